// An HTTP/1.1 server on one thread: reads requests within limits, passes them on, and writes the answers. It never
// computes and never waits for anything but its sockets, timers and signals.
//
//   HttpServer server({.port = 0}, [](std::shared_ptr<Exchange> exchange) { exchange->answer({.body = "hello"}); });
//   print(server.port());
//   server.run();
//
// A request is passed on only if every server and proxy would agree where it ends. Everything else gets an error in
// JSON, and its connection is closed.
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
  std::size_t connections = 4096;
  // The time for a header once its first byte is there, for a body, and for an answer; and how long a connection may
  // wait for its next request.
  std::chrono::milliseconds header_time{10'000}, body_time{30'000}, write_time{30'000}, idle_time{60'000};
  std::chrono::milliseconds grace{30'000};  // after the request to stop
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
    int port = 0;  // 0: any free one
    HttpLimits limits = {};
  };
  // Called on the I/O thread; must return soon and must answer, now or later, on any thread.
  using Handler = std::function<void(std::shared_ptr<Exchange>)>;

  // Listens. InputError if the address is not valid or in use.
  HttpServer(const Settings& settings, Handler handler);
  ~HttpServer();

  int port() const;
  // Until stop() was called or SIGTERM or SIGINT arrived, and then until every request that has arrived is answered, or
  // the grace time is over. SIGTERM, SIGINT and SIGHUP must be blocked in all threads (block_signals()). A second one
  // ends the grace time.
  void run();
  // From any thread.
  void stop();
  // What SIGHUP calls, on the I/O thread; set before run(). By default nothing.
  void on_hangup(std::function<void()> action);
  // Whether run() is about to end; and the counters. From the I/O thread, that is in a handler.
  bool is_stopping() const;
  HttpCounters counters() const;

 private:
  class Listener;
  std::shared_ptr<Listener> listener_;
};

// Blocks SIGTERM, SIGINT, SIGHUP and SIGPIPE in this thread and those that it starts. Call before any thread is
// started.
void block_signals();

}  // namespace heed::serve
