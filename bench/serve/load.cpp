// A load generator for HTTP servers that verifies every answer.
//
//   serve_load --port N --requests FILE [--path /translate] [--connections 64] [--rate R] [--seconds 10] [--count N]
//
// Each line of FILE is the JSON of a request, a tab and the JSON of its answer, byte for byte. Without --rate, each
// connection sends its next request as soon as it has its answer. With --rate, R requests per second arrive at random
// times (exponential intervals, the same in every run), whether or not earlier ones are answered; a request that finds
// all connections busy waits for one, and its latency includes that wait. Every 20 ms another connection asks for
// /health. After --seconds, or --count requests, it waits until every request is answered, at most 70 s, and prints
// JSON.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <deque>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr Seconds kProbePeriod{0.02}, kDrainTime{70};

struct Settings {
  int port = 0;
  std::string requests, path = "/translate";
  std::size_t connections = 64;
  double rate = 0, seconds = 10;
  std::uint64_t count = UINT64_MAX;
};

struct Pair {
  std::string request, answer;  // the whole request, and the body of the answer
};

struct Connection {
  int file = -1;
  const Pair* pair = nullptr;  // null: idle
  Clock::time_point due = {};  // when the request arrived
  std::string received = {};
};

struct Times {
  std::vector<float> milliseconds;

  void add(Clock::time_point due) {
    milliseconds.push_back(static_cast<float>(1000 * Seconds(Clock::now() - due).count()));
  }
  // {"mean": …, "p50": …}
  void print(std::ostream& to) {
    std::ranges::sort(milliseconds);
    double sum = 0;
    for (const float one : milliseconds) sum += one;
    const auto at = [&](double part) {
      if (milliseconds.empty()) return 0.0F;
      return milliseconds[static_cast<std::size_t>(part * static_cast<double>(milliseconds.size() - 1))];
    };
    to << "{\"mean\": " << (milliseconds.empty() ? 0 : sum / static_cast<double>(milliseconds.size()))
       << ", \"p50\": " << at(0.5) << ", \"p90\": " << at(0.9) << ", \"p99\": " << at(0.99) << ", \"max\": " << at(1)
       << "}";
  }
};

[[noreturn]] void fail(const std::string& sentence) {
  std::cerr << "serve_load: " << sentence << '\n';
  std::exit(1);
}

class Load {
 public:
  explicit Load(Settings settings);
  void run();
  void print();

 private:
  int open_file() const;
  void open(Connection& connection);
  void start(Connection& connection, const Pair& pair, Clock::time_point due);
  void start_next(Connection& connection, Clock::time_point due);
  void receive(Connection& connection);
  void finish(Connection& connection, int status, std::string_view body, bool closes);
  void drop(Connection& connection);
  bool issues(Clock::time_point now) const { return now < end_ && issued_ < settings_.count; }
  void arrive(Clock::time_point now);
  int wait_time(Clock::time_point now) const;

  const Settings settings_;
  std::vector<Pair> pairs_;
  Pair health_;
  int epoll_ = ::epoll_create1(0);
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<Connection*> idle_;
  std::deque<Clock::time_point> waiting_;  // arrivals without a connection
  Connection probe_;
  Clock::time_point begin_ = Clock::now(), end_ = {}, next_arrival_ = begin_, next_probe_ = begin_;
  Clock::time_point last_answer_ = begin_;
  std::mt19937_64 random_{1};
  std::uint64_t issued_ = 0, running_ = 0, wrong_ = 0, lost_ = 0, lost_probes_ = 0;
  std::map<int, std::uint64_t> statuses_;
  std::map<std::string, Times> times_ = {{"answered", {}}, {"refused", {}}, {"health", {}}};
};

Load::Load(Settings settings) : settings_(std::move(settings)) {
  std::ifstream file(settings_.requests);
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) fail("a line of " + settings_.requests + " has no tab");
    pairs_.push_back({.request = "POST " + settings_.path +
                                 " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
                                 std::to_string(tab) + "\r\n\r\n" + line.substr(0, tab),
                      .answer = line.substr(tab + 1) + "\n"});
  }
  if (pairs_.empty()) fail(settings_.requests + " cannot be read or is empty");
  health_ = {.request = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", .answer = "{\"status\":\"ok\"}\n"};
  end_ = begin_ + std::chrono::duration_cast<Clock::duration>(Seconds(settings_.seconds));
}

int Load::open_file() const {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(settings_.port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int file = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0 || ::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    fail("cannot connect to port " + std::to_string(settings_.port) + ": " + std::strerror(errno));
  const int on = 1;
  ::setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::fcntl(file, F_SETFL, O_NONBLOCK);
  return file;
}

void Load::open(Connection& connection) {
  connection.file = open_file();
  epoll_event event{.events = EPOLLIN, .data = {.ptr = &connection}};
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.file, &event);
}

// Sends a request; it is small enough for send() to accept it at once. Reconnects if the server has closed an idle
// connection.
void Load::start(Connection& connection, const Pair& pair, Clock::time_point due) {
  connection.pair = &pair;
  connection.due = due;
  for (const bool second : {false, true}) {
    if (connection.file < 0) open(connection);
    const ssize_t sent = ::send(connection.file, pair.request.data(), pair.request.size(), MSG_NOSIGNAL);
    if (sent == static_cast<ssize_t>(pair.request.size())) return;
    ::close(connection.file);
    connection.file = -1;
    if (second) fail("the server closes new connections at once");
  }
}

void Load::start_next(Connection& connection, Clock::time_point due) {
  start(connection, pairs_[issued_ % pairs_.size()], due);
  ++issued_, ++running_;
}

void Load::drop(Connection& connection) {
  ::close(connection.file);
  connection.file = -1;
  connection.received.clear();
  if (connection.pair == nullptr) return;  // the server has closed an idle connection
  if (&connection == &probe_) {
    ++lost_probes_;
    connection.pair = nullptr;
    return;
  }
  ++lost_, --running_;
  connection.pair = nullptr;
  idle_.push_back(&connection);
}

void Load::receive(Connection& connection) {
  std::array<char, 65536> bytes;
  const ssize_t size = ::recv(connection.file, bytes.data(), bytes.size(), 0);
  if (size < 0 && errno == EAGAIN) return;
  if (size <= 0) return drop(connection);
  std::string& text = connection.received;
  text.append(bytes.data(), static_cast<std::size_t>(size));
  const std::size_t end = text.find("\r\n\r\n");
  if (end == std::string::npos) return;
  const std::string_view head = std::string_view(text).substr(0, end + 2);
  static constexpr std::string_view kLength = "\r\nContent-Length: ";
  const std::size_t at = head.find(kLength);
  if (at == std::string_view::npos || head.size() < 12) return drop(connection);
  const std::size_t length = std::strtoull(text.c_str() + at + kLength.size(), nullptr, 10);
  if (text.size() < end + 4 + length) return;
  const bool closes = head.find("\r\nConnection: close\r\n") != std::string_view::npos;
  finish(connection, std::atoi(text.c_str() + 9), std::string_view(text).substr(end + 4, length), closes);
}

void Load::finish(Connection& connection, int status, std::string_view body, bool closes) {
  const Pair& pair = *connection.pair;
  const bool is_probe = &connection == &probe_;
  last_answer_ = is_probe ? last_answer_ : Clock::now();
  if (!is_probe) ++statuses_[status], --running_;
  if (status == 200 && body != pair.answer) {
    if (wrong_++ == 0) std::cerr << "serve_load: expected " << pair.answer << "but got " << body;
  }
  if (is_probe || status == 200 || status == 429 || status == 503)
    times_[is_probe ? "health" : status == 200 ? "answered" : "refused"].add(connection.due);
  connection.pair = nullptr;
  connection.received.clear();
  if (closes) drop(connection);
  if (is_probe) return;
  const auto now = Clock::now();
  if (!waiting_.empty()) {
    start_next(connection, waiting_.front());
    waiting_.pop_front();
  } else if (settings_.rate == 0 && issues(now)) {
    start_next(connection, now);
  } else {
    idle_.push_back(&connection);
  }
}

// Starts the requests that are due.
void Load::arrive(Clock::time_point now) {
  if (now >= next_probe_ && probe_.pair == nullptr && now < end_) {
    start(probe_, health_, now);
    next_probe_ = now + std::chrono::duration_cast<Clock::duration>(kProbePeriod);
  }
  if (settings_.rate == 0) return;
  std::exponential_distribution<double> interval(settings_.rate);
  while (next_arrival_ <= now && issues(next_arrival_)) {
    if (idle_.empty() && connections_.size() < settings_.connections)
      idle_.push_back(connections_.emplace_back(std::make_unique<Connection>()).get());
    if (idle_.empty()) {
      waiting_.push_back(next_arrival_);
    } else {
      Connection& connection = *idle_.back();
      idle_.pop_back();
      start_next(connection, next_arrival_);
    }
    next_arrival_ += std::chrono::duration_cast<Clock::duration>(Seconds(interval(random_)));
  }
}

int Load::wait_time(Clock::time_point now) const {
  auto next = next_probe_;
  if (settings_.rate > 0) next = std::min(next, next_arrival_);
  return std::clamp(static_cast<int>(std::ceil(1000 * Seconds(next - now).count())), 0, 20);
}

void Load::run() {
  if (settings_.rate == 0)
    for (std::size_t i = 0; i < settings_.connections && issues(Clock::now()); ++i)
      start_next(*connections_.emplace_back(std::make_unique<Connection>()), Clock::now());
  std::array<epoll_event, 256> events;
  for (;;) {
    const auto now = Clock::now();
    arrive(now);
    if (!issues(now) && running_ == 0 && waiting_.empty() && probe_.pair == nullptr) return;
    if (now > end_ + kDrainTime) break;
    const int count = ::epoll_wait(epoll_, events.data(), events.size(), wait_time(now));
    for (int i = 0; i < count; ++i) receive(*static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr));
  }
  lost_ += running_ + waiting_.size();
}

void Load::print() {
  const double seconds = Seconds(last_answer_ - begin_).count();
  const double answered = static_cast<double>(statuses_[200]);
  std::cout << "{\"seconds\": " << seconds << ", \"issued\": " << issued_ << ", \"wrong\": " << wrong_
            << ", \"lost\": " << lost_ << ", \"lost_probes\": " << lost_probes_
            << ", \"per_second\": " << answered / seconds << ", \"statuses\": {";
  const char* comma = "";
  for (const auto& [status, count] : statuses_)
    std::cout << std::exchange(comma, ", ") << '"' << status << "\": " << count;
  std::cout << "}";
  for (auto& [name, times] : times_) {
    std::cout << ", \"" << name << "_ms\": ";
    times.print(std::cout);
  }
  std::cout << "}\n";
}

Settings read_settings(int count, char** words) {
  Settings settings;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string flag = words[i], value = words[i + 1];
    if (flag == "--port")
      settings.port = std::stoi(value);
    else if (flag == "--requests")
      settings.requests = value;
    else if (flag == "--path")
      settings.path = value;
    else if (flag == "--connections")
      settings.connections = std::stoul(value);
    else if (flag == "--rate")
      settings.rate = std::stod(value);
    else if (flag == "--seconds")
      settings.seconds = std::stod(value);
    else if (flag == "--count")
      settings.count = std::stoull(value);
    else
      fail("there is no option " + flag);
  }
  if (settings.port == 0 || settings.requests.empty() || count % 2 == 0)
    fail("expected --port N --requests FILE [--path P] [--connections N] [--rate R] [--seconds S] [--count N]");
  return settings;
}

}  // namespace

int main(int count, char** words) try {
  Load load(read_settings(count, words));
  load.run();
  load.print();
} catch (const std::exception& error) {
  fail(error.what());
}
