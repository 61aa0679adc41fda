// An HTTP/1.1 server on one thread, the I/O thread: reads requests within limits, passes them to a handler, and writes
// the answers. It only ever waits for sockets, timers and signals.
//
//   HttpServer server({.port = 0}, [](std::shared_ptr<Exchange> exchange) { exchange->answer({.body = "hello"}); });
//   print(server.port());
//   server.run();
//
// A request reaches the handler only if every server and proxy would agree where it ends. Anything else is answered
// with an error in JSON, and its connection is closed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "serve/http.h"

namespace heed::serve {

struct HttpLimits {
  std::size_t header = 16 << 10;  // bytes of a request's header
  std::size_t body = 1 << 20;     // bytes of a request's body
  // Requests to this path may have bodies of `upload` bytes.
  std::string upload_path = {};
  std::size_t upload = 0;
  std::size_t connections = 4096;
  // The time to receive a header, counted from its first byte, to receive a body, and to send an answer; and how long
  // a connection may be idle.
  std::chrono::milliseconds header_time{10'000}, body_time{30'000}, write_time{30'000}, idle_time{60'000};
  std::chrono::milliseconds grace{30'000};  // time to answer the remaining requests before the server stops
};

struct HttpCounters {
  std::uint64_t connections = 0;  // open now
  std::uint64_t accepted = 0;     // connections since the start
  std::uint64_t refused = 0;      // requests that broke a limit or a rule of HTTP
  std::uint64_t evicted = 0;      // idle connections that were closed to make room for others
};

class HttpServer {
 public:
  struct Settings {
    std::string host = "127.0.0.1";
    int port = 0;        // 0: any free port
    int listening = -1;  // a listening socket to use instead of host and port; -1: none
    HttpLimits limits = {};
  };
  // Called on the I/O thread; must return quickly. It must answer eventually, from any thread.
  using Handler = std::function<void(std::shared_ptr<Exchange>)>;

  // Listens. InputError if the address is not valid or in use.
  HttpServer(const Settings& settings, Handler handler);
  ~HttpServer();

  int port() const;
  // Serves requests until stop() is called or SIGTERM or SIGINT arrives. Returns when all requests that arrived by then
  // are answered, or the grace time is over. A second SIGTERM or SIGINT ends the grace time. SIGTERM, SIGINT and SIGHUP
  // must be blocked in all threads (block_signals()).
  void run();
  // Thread-safe.
  void stop();
  // Called on the I/O thread: on SIGHUP, when the server begins to stop, and at regular intervals while it runs.
  struct Hooks {
    std::function<void()> hangup = [] {}, stopping = [] {}, tick = [] {};
    std::chrono::microseconds interval{0};  // between two ticks; zero: no ticks
  };
  // Call before run().
  void set_hooks(Hooks hooks);
  // Only on the I/O thread, for example in a handler.
  bool is_stopping() const;
  HttpCounters counters() const;

 private:
  class Listener;
  std::shared_ptr<Listener> listener_;
};

// Blocks SIGTERM, SIGINT, SIGHUP and SIGPIPE in this thread and in those it starts. Call before starting any thread.
void block_signals();

}  // namespace heed::serve
