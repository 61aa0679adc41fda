// One connection of the HTTP server: a state machine that reads a request, passes it to the handler, writes the answer
// and waits for the next request. Private to http_server.cpp and http_connection.cpp. Everything runs on the I/O
// thread.
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
  bool stopping = false;  // connections close after their answer
  // The connections that may be closed to make room: those still waiting for a complete request, longest wait first.
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
  // When the server stops: closes the connection unless a request has arrived or is arriving.
  void finish();
  // Answers with status 503 if the answer is still being computed.
  void give_up();
  void close();

 private:
  enum class State { idle, header, body, working, writing, lingering, closed };
  using Error = boost::system::error_code;

  void wait_for_request();
  void read_header();
  void on_header(Error error);
  std::size_t body_limit(const boost::beast::http::request_header<>& header) const;
  void read_body();
  void on_read(Error error);
  void call_handler();
  void watch_client();
  void on_answer(std::uint64_t number, HttpResponse response);
  void on_begin(std::uint64_t number, const HttpResponse& head);
  void on_part(std::uint64_t number, const std::string& part);
  void end_stream(HttpResponse response);
  void write_parts();
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
  std::shared_ptr<Connection> self_;  // keeps the connection alive while an answer is computed
  std::string client_;                // address
  std::uint64_t number_ = 0;          // of the current request; answers to earlier ones are ignored
  bool served_ = false;               // at least one request has been answered
  bool timed_out_ = false, reusable_ = false, head_only_ = false;
  HttpResponse response_;
  std::string head_;
  // A streamed answer: the bytes that wait to be written, and those that are being written.
  bool streaming_ = false, chunked_ = false, http_1_0_ = false, writing_part_ = false;
  std::string waiting_, in_flight_;
  std::size_t discarded_ = 0;
};

}  // namespace heed::serve
