#include "serve/http_connection.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/http/read.hpp>

#include "base/json.h"

namespace heed::serve {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kSpareBuffer = 4 << 10;  // capacity of the buffer beyond the header limit
constexpr std::size_t kMostDiscarded = 1 << 20;
constexpr std::chrono::milliseconds kLingerTime{2000};

std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

bool is_chunked(std::string_view coding) {
  return coding.size() == 7 && std::ranges::equal(coding, std::string_view("chunked"), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b;
         });
}

struct Refusal {
  int status = 0;
  std::string_view text = {};
};

// Refuses a request if it is ambiguous where it ends or which host it is for: a proxy in front of the server may have
// decided differently (request smuggling). The status is 0 if there is no problem.
Refusal framing_problem(const http::request_header<>& header) {
  const std::size_t codings = header.count(http::field::transfer_encoding);
  const std::size_t lengths = header.count(http::field::content_length);
  if (header.version() != 10 && header.version() != 11) return {505, "this server speaks HTTP/1.1 and HTTP/1.0"};
  if (codings > 0 && header.version() == 10) return {400, "Transfer-Encoding does not exist in HTTP/1.0"};
  if (codings > 1 || (codings == 1 && !is_chunked(view(header[http::field::transfer_encoding]))))
    return {501, "the only Transfer-Encoding that this server knows is chunked"};
  if (codings + lengths > 1) return {400, "more than one of Content-Length and Transfer-Encoding"};
  if (lengths == 1 &&
      !std::ranges::all_of(header[http::field::content_length], [](char c) { return c >= '0' && c <= '9'; }))
    return {400, "Content-Length is not a number"};
  const std::size_t hosts = header.count(http::field::host);
  if (hosts > 1) return {400, "more than one Host"};
  if (header.version() == 11 && (hosts == 0 || header[http::field::host].empty())) return {400, "there is no Host"};
  if (header.target().empty() ||
      (header.target().front() != '/' && header.target() != "*" && !header.target().starts_with("http://")))
    return {400, "the request target is not a path"};
  return {};
}

// Sets the path and the query; drops the scheme and host that clients of a proxy send.
void split_target(std::string_view target, HttpRequest& request) {
  if (target.starts_with("http://")) {
    const std::size_t slash = target.find('/', 7);
    target = slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  const std::size_t question = target.find('?');
  request.path = target.substr(0, question);
  if (question != std::string_view::npos) request.query = target.substr(question + 1);
}

// The values of all headers with this name, separated by commas.
std::string joined_values(const http::request_header<>& header, boost::beast::string_view name) {
  std::string all;
  const auto [first, last] = header.equal_range(name);
  for (auto field = first; field != last; ++field) {
    if (!all.empty()) all += ',';
    all += view(field->value());
  }
  return all;
}

void add_chunk(std::string& to, std::string_view part, bool chunked) {
  if (part.empty()) return;  // an empty chunk would end the body
  if (!chunked) {
    to += part;
    return;
  }
  fmt::format_to(std::back_inserter(to), "{:x}\r\n", part.size());
  to.append(part).append("\r\n");
}

}  // namespace

Connection::Connection(Tcp::socket socket, ConnectionSettings& settings)
    : settings_(settings),
      socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      buffer_(settings.limits.header + kSpareBuffer) {
  ++settings_.counters.accepted, ++settings_.counters.connections;
  Error ignored;
  socket_.set_option(Tcp::no_delay(true), ignored);
  const Tcp::endpoint peer = socket_.remote_endpoint(ignored);
  if (!ignored) client_ = peer.address().to_string();
}

Connection::~Connection() {
  close();
}

void Connection::set_state(State state) {
  if (state_ == State::closed) return;
  state_ = state;
  const bool waits = state == State::idle || state == State::header || state == State::body;
  if (waits && !evictable_) {
    evictable_ = settings_.evictable.insert(settings_.evictable.end(), this);
  } else if (!waits && evictable_) {
    settings_.evictable.erase(*evictable_);
    evictable_.reset();
  }
}

void Connection::expire_at(Clock::time_point time) {
  timer_.expires_at(time);
  timer_.async_wait([self = weak_from_this(), generation = ++timer_generation_](Error error) {
    const auto connection = self.lock();
    if (!error && connection && connection->timer_generation_ == generation) connection->on_timer();
  });
}

void Connection::on_timer() {
  switch (state_) {
    case State::header:
    case State::body: {
      timed_out_ = true;
      Error ignored;
      socket_.cancel(ignored);  // aborts the read, whose handler answers with status 408
      return;
    }
    case State::working:
      exchange_->stop.request_stop();
      on_answer(number_, std::move(exchange_->late));
      return;
    default:
      close();
  }
}

void Connection::close() {
  if (state_ == State::closed) return;
  const std::shared_ptr<Connection> self = std::move(self_);
  if (exchange_) {
    exchange_->stop.request_stop();
    end_exchange({.status = 499});
  }
  set_state(State::closed);
  --settings_.counters.connections;
  ++timer_generation_;
  timer_.cancel();
  Error ignored;
  socket_.close(ignored);
}

void Connection::finish() {
  if (state_ != State::idle) return;
  Error error;
  if (socket_.available(error) > 0) return;  // a request that has not been read yet
  if (served_)
    close();
  else
    expire_after(std::chrono::seconds(1));  // its first request may be on the way
}

void Connection::give_up() {
  if (state_ != State::working) return;
  exchange_->stop.request_stop();
  on_answer(number_, {.status = 503, .body = dump_json({{"error", "the server is shutting down"}})});
}

void Connection::wait_for_request() {
  set_state(State::idle);
  if (buffer_.size() > 0) return read_header();
  if (settings_.stopping && served_) return close();
  expire_after(settings_.limits.idle_time);
  socket_.async_wait(Tcp::socket::wait_read, [self = shared_from_this(), number = number_](Error error) {
    if (self->state_ != State::idle || self->number_ != number) return;
    if (error) return self->close();
    self->read_header();
  });
}

void Connection::read_header() {
  set_state(State::header);
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(settings_.limits.header));
  parser_->body_limit(std::max(settings_.limits.body, settings_.limits.upload));
  timed_out_ = false;
  expire_after(settings_.limits.header_time);
  http::async_read_header(socket_, buffer_, *parser_,
                          [self = shared_from_this()](Error error, std::size_t /*bytes*/) { self->on_header(error); });
}

void Connection::on_header(Error error) {
  if (state_ == State::closed) return;
  if (error) return refuse_read_error(error);
  const http::request_header<>& header = parser_->get();
  if (const Refusal refusal = framing_problem(header); refusal.status != 0) return refuse(refusal.status, refusal.text);
  if (const std::size_t limit = body_limit(header); parser_->content_length().value_or(0) > limit)
    return refuse(413, "the body of the request is too long");
  else
    parser_->body_limit(limit);
  const std::string_view expects = view(header[http::field::expect]);
  if (expects.empty() || parser_->is_done()) return read_body();
  if (expects != "100-continue") return refuse(417, "the only Expect that this server knows is 100-continue");
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(socket_, asio::buffer(kContinue),
                    [self = shared_from_this()](Error failure, std::size_t /*bytes*/) {
                      if (self->state_ == State::closed) return;
                      if (failure) return self->close();
                      self->read_body();
                    });
}

std::size_t Connection::body_limit(const http::request_header<>& header) const {
  HttpRequest request;
  split_target(view(header.target()), request);
  return request.path == settings_.limits.upload_path ? settings_.limits.upload : settings_.limits.body;
}

void Connection::read_body() {
  if (parser_->is_done()) return call_handler();
  set_state(State::body);
  expire_after(settings_.limits.body_time);
  http::async_read(socket_, buffer_, *parser_,
                   [self = shared_from_this()](Error error, std::size_t /*bytes*/) { self->on_read(error); });
}

void Connection::on_read(Error error) {
  if (state_ == State::closed) return;
  if (error) return refuse_read_error(error);
  call_handler();
}

void Connection::refuse_read_error(Error error) {
  if (timed_out_) return refuse(408, "the request did not arrive in time");
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return refuse(431, "the header of the request is too long");
  if (error == http::error::body_limit) return refuse(413, "the body of the request is too long");
  if (error == http::error::end_of_stream || error == http::error::partial_message ||
      error.category() != http::make_error_code(http::error::bad_method).category())
    return close();
  refuse(400, "this is not a valid HTTP request");
}

// Answers a request that does not reach the handler, and closes the connection: it is unclear where the next request
// would start.
void Connection::refuse(int status, std::string_view text) {
  ++settings_.counters.refused;
  reusable_ = head_only_ = false;
  write({.status = status, .body = dump_json({{"error", text}})});
}

void Connection::call_handler() {
  auto exchange = std::make_shared<Exchange>();
  http::request<http::string_body> message = parser_->release();
  reusable_ = message.keep_alive();
  http_1_0_ = message.version() == 10;
  head_only_ = message.method() == http::verb::head;
  exchange->request.method = view(message.method_string());
  split_target(view(message.target()), exchange->request);
  exchange->request.content_type = view(message[http::field::content_type]);
  exchange->request.authorization = view(message[http::field::authorization]);
  exchange->request.origin = view(message[http::field::origin]);
  exchange->request.host = view(message[http::field::host]);
  exchange->request.accept = view(message[http::field::accept]);
  exchange->request.forwarded_for = joined_values(message, "X-Forwarded-For");
  exchange->request.forwarded_proto = view(message["X-Forwarded-Proto"]);
  exchange->request.client = client_;
  exchange->request.body = std::move(message.body());
  parser_.reset();
  // Called on other threads, so it holds a weak pointer: a connection must be destroyed on the I/O thread.
  exchange->answer = [weak = weak_from_this(), executor = socket_.get_executor(),
                      number = ++number_](HttpResponse response) {
    asio::post(executor, [weak, number, response = std::move(response)]() mutable {
      if (const auto connection = weak.lock()) connection->on_answer(number, std::move(response));
    });
  };
  const auto post = [weak = weak_from_this(), executor = socket_.get_executor(), number = number_](auto action) {
    asio::post(executor, [weak, number, action = std::move(action)]() mutable {
      if (const auto connection = weak.lock()) action(*connection, number);
    });
  };
  exchange->begin = [post](HttpResponse head) {
    post([head = std::move(head)](Connection& c, std::uint64_t number) { c.on_begin(number, head); });
  };
  exchange->send = [post](std::string part) {
    post([part = std::move(part)](Connection& c, std::uint64_t number) { c.on_part(number, part); });
  };
  exchange_ = exchange;
  self_ = shared_from_this();
  set_state(State::working);
  ++timer_generation_;
  timer_.cancel();
  try {
    settings_.handler(exchange);
  } catch (...) {
    exchange->answer({.status = 500, .body = dump_json({{"error", "the server could not process the request"}})});
  }
  if (exchange->deadline != Clock::time_point::max()) expire_at(exchange->deadline);
  watch_client();
}

// Closes the connection if the client disconnects before its answer is ready.
void Connection::watch_client() {
  socket_.async_wait(Tcp::socket::wait_read, [self = shared_from_this(), number = number_](Error error) {
    if (self->state_ != State::working || self->number_ != number) return;
    char byte = 0;
    const ssize_t size = error ? 0 : ::recv(self->socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (size > 0) return;  // the client has sent its next request
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return self->watch_client();
    self->close();
  });
}

void Connection::on_answer(std::uint64_t number, HttpResponse response) {
  if (state_ != State::working || number != number_) return;
  const std::shared_ptr<Connection> self = std::move(self_);
  if (streaming_) return end_stream(std::move(response));
  write(std::move(response));
}

void Connection::on_begin(std::uint64_t number, const HttpResponse& head) {
  if (state_ != State::working || number != number_ || streaming_) return;
  streaming_ = true;
  chunked_ = !http_1_0_;
  reusable_ = reusable_ && chunked_ && !settings_.stopping;  // without chunks, closing the connection ends the answer
  waiting_ = stream_head(head, chunked_, reusable_);
  write_parts();
}

void Connection::on_part(std::uint64_t number, const std::string& part) {
  constexpr std::size_t kMostWaiting = 64 << 10;
  if (state_ != State::working || number != number_ || !streaming_ || part.empty()) return;
  if (waiting_.size() > kMostWaiting) return;
  add_chunk(waiting_, part, chunked_);
  write_parts();
}

void Connection::end_stream(HttpResponse response) {
  served_ = true;
  if (response.status != 200) response.body = make_event("error", response.body);
  add_chunk(waiting_, response.body, chunked_);
  if (chunked_) waiting_ += "0\r\n\r\n";
  response_ = std::move(response);
  set_state(State::writing);
  expire_after(settings_.limits.write_time);
  write_parts();
}

void Connection::write_parts() {
  if (writing_part_ || waiting_.empty()) return;
  writing_part_ = true;
  in_flight_.swap(waiting_);
  waiting_.clear();
  asio::async_write(socket_, asio::buffer(in_flight_), [self = shared_from_this()](Error error, std::size_t /*bytes*/) {
    self->writing_part_ = false;
    if (self->state_ == State::closed) return;
    if (error) return self->close();
    if (!self->waiting_.empty()) return self->write_parts();
    if (self->state_ != State::writing) return;
    self->streaming_ = false;
    self->on_written(error);
  });
}

void Connection::write(HttpResponse response) {
  served_ = true;
  reusable_ = reusable_ && !settings_.stopping;
  response_ = std::move(response);
  head_ = response_head(response_, reusable_);
  set_state(State::writing);
  expire_after(settings_.limits.write_time);
  const std::array<asio::const_buffer, 2> parts = {asio::buffer(head_),
                                                   head_only_ ? asio::const_buffer() : asio::buffer(response_.body)};
  asio::async_write(socket_, parts,
                    [self = shared_from_this()](Error error, std::size_t /*bytes*/) { self->on_written(error); });
}

void Connection::on_written(Error error) {
  if (state_ == State::closed) return;
  if (error) return close();
  end_exchange(response_);
  response_ = {};
  if (!reusable_) return linger();
  wait_for_request();
}

void Connection::end_exchange(const HttpResponse& sent) {
  const std::shared_ptr<Exchange> exchange = std::exchange(exchange_, nullptr);
  if (exchange && exchange->on_end) exchange->on_end(sent);
}

// Closes the connection after an answer. First reads what the client is still sending: otherwise the system would reset
// the connection, and the client might lose the answer.
void Connection::linger() {
  set_state(State::lingering);
  Error error;
  socket_.shutdown(Tcp::socket::shutdown_send, error);
  if (error) return close();
  expire_after(kLingerTime);
  buffer_.clear();
  discard();
}

void Connection::discard() {
  socket_.async_read_some(buffer_.prepare(kSpareBuffer), [self = shared_from_this()](Error error, std::size_t bytes) {
    if (self->state_ != State::lingering) return;
    self->discarded_ += bytes;
    if (error || self->discarded_ > kMostDiscarded) return self->close();
    self->discard();
  });
}

}  // namespace heed::serve
