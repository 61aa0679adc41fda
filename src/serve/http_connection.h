// One connection of the HTTP server, and what it needs of the server. Only the files of the server include this header.
// Everything runs on the I/O thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <list>
#include <memory>
#include <optional>

#include "serve/http_server.h"

namespace heed::serve {

class Connection;

// Shared by all connections.
struct ConnectionSettings {
  HttpLimits limits;
  HttpServer::Handler handler;
  HttpCounters counters = {};
  bool stopping = false;  // answers close their connection
  // The connections that wait for a request or for the rest of one, longest first: those that may be closed to make
  // room. The others have a request that was accepted.
  std::list<Connection*> evictable = {};
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Tcp = boost::asio::ip::tcp;

  Connection(Tcp::socket socket, ConnectionSettings& settings);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() { wait_for_request(); }
  // Closes the connection unless a request has arrived or is arriving.
  void finish();
  // Answers a request that is being computed with 503.
  void give_up();
  void close();

 private:
  enum class State { idle, header, body, working, writing, lingering, closed };
  using Error = boost::system::error_code;

  void wait_for_request();
  void read_header();
  void on_header(Error error);
  void read_body();
  void on_read(Error error);
  void pass_on();
  void watch_client();
  void on_answer(std::uint64_t number, HttpResponse response);
  void refuse(int status, std::string_view text);
  void refuse_read_error(Error error);
  void write(HttpResponse response);
  void on_written(Error error);
  void linger();
  void discard();
  void end_exchange(const HttpResponse& sent);
  void set_state(State state);
  void expire_at(std::chrono::steady_clock::time_point time);
  void expire_after(std::chrono::milliseconds time) { expire_at(std::chrono::steady_clock::now() + time); }
  void on_timer();

  ConnectionSettings& settings_;
  Tcp::socket socket_;
  boost::asio::steady_timer timer_;
  std::uint64_t timer_generation_ = 0;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  State state_ = State::idle;
  std::optional<std::list<Connection*>::iterator> evictable_;
  std::shared_ptr<Exchange> exchange_;
  std::shared_ptr<Connection> self_;  // while an answer is computed: nothing else may hold the connection then
  std::uint64_t number_ = 0;          // of the request; answers to others come too late
  bool served_ = false;               // an earlier request
  bool timed_out_ = false, reusable_ = false, head_only_ = false;
  HttpResponse response_;
  std::string head_;
  std::size_t discarded_ = 0;
};

}  // namespace heed::serve
