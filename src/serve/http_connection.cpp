#include "serve/http_connection.h"

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

constexpr std::size_t kChunkHeader = 4 << 10;  // room in the buffer beyond the header
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

// What makes it doubtful where a request ends or whom it is for; programs between client and server may see it
// differently. The status is 0 if there is nothing.
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

// The path and the query of a target, without the server's name, which proxies send.
void split_target(std::string_view target, HttpRequest& request) {
  if (target.starts_with("http://")) {
    const std::size_t slash = target.find('/', 7);
    target = slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  const std::size_t question = target.find('?');
  request.path = target.substr(0, question);
  if (question != std::string_view::npos) request.query = target.substr(question + 1);
}

}  // namespace

Connection::Connection(Tcp::socket socket, ConnectionSettings& settings)
    : settings_(settings),
      socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      buffer_(settings.limits.header + kChunkHeader) {
  ++settings_.counters.accepted, ++settings_.counters.connections;
  Error ignored;
  socket_.set_option(Tcp::no_delay(true), ignored);
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
      socket_.cancel(ignored);  // ends the reading, which then answers
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
  parser_->body_limit(settings_.limits.body);
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

void Connection::read_body() {
  if (parser_->is_done()) return pass_on();
  set_state(State::body);
  expire_after(settings_.limits.body_time);
  http::async_read(socket_, buffer_, *parser_,
                   [self = shared_from_this()](Error error, std::size_t /*bytes*/) { self->on_read(error); });
}

void Connection::on_read(Error error) {
  if (state_ == State::closed) return;
  if (error) return refuse_read_error(error);
  pass_on();
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

// An answer to what is not a request that can be passed on. The rest of it cannot be told from the next request.
void Connection::refuse(int status, std::string_view text) {
  ++settings_.counters.refused;
  reusable_ = head_only_ = false;
  write({.status = status, .body = dump_json({{"error", text}})});
}

void Connection::pass_on() {
  auto exchange = std::make_shared<Exchange>();
  http::request<http::string_body> message = parser_->release();
  reusable_ = message.keep_alive();
  head_only_ = message.method() == http::verb::head;
  exchange->request.method = view(message.method_string());
  split_target(view(message.target()), exchange->request);
  exchange->request.content_type = view(message[http::field::content_type]);
  exchange->request.authorization = view(message[http::field::authorization]);
  exchange->request.origin = view(message[http::field::origin]);
  exchange->request.body = std::move(message.body());
  parser_.reset();
  // Called on other threads, which must not be the last to hold a connection.
  exchange->answer = [weak = weak_from_this(), executor = socket_.get_executor(),
                      number = ++number_](HttpResponse response) {
    asio::post(executor, [weak, number, response = std::move(response)]() mutable {
      if (const auto connection = weak.lock()) connection->on_answer(number, std::move(response));
    });
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

// Notices that the client has closed the connection before it has its answer.
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
  write(std::move(response));
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

// Closes after an answer. If the client is still sending, the system would otherwise discard the answer.
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
  socket_.async_read_some(buffer_.prepare(kChunkHeader), [self = shared_from_this()](Error error, std::size_t bytes) {
    if (self->state_ != State::lingering) return;
    self->discarded_ += bytes;
    if (error || self->discarded_ > kMostDiscarded) return self->close();
    self->discard();
  });
}

}  // namespace heed::serve
