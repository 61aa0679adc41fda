#include "serve/http_server.h"

#include <sys/resource.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <csignal>
#include <unordered_set>

#include "base/error.h"
#include "base/system.h"
#include "serve/http_connection.h"

namespace heed::serve {
namespace {

namespace asio = boost::asio;
using Error = boost::system::error_code;
using Tcp = asio::ip::tcp;

constexpr std::size_t kOtherFiles = 64;  // file descriptors for everything but connections
constexpr std::chrono::milliseconds kPauseAfterError{50}, kLastAnswers{1000};

// The signals that the server handles, except those that it inherited as ignored.
sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaddset(&set, signal);
  }
  return set;
}

// How many of the wanted connections the limit on open files allows, after raising it as far as possible.
std::size_t possible_connections(std::size_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min<rlim_t>(limit.rlim_max, wanted + kOtherFiles));
  setrlimit(RLIMIT_NOFILE, &limit);
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return wanted;
  return std::clamp<std::size_t>(limit.rlim_cur - std::min<rlim_t>(limit.rlim_cur, kOtherFiles), 1, wanted);
}

}  // namespace

void block_signals() {
  sigset_t set = watched_signals();
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

class HttpServer::Listener : public std::enable_shared_from_this<Listener> {
 public:
  Listener(const Settings& settings, Handler handler);
  ~Listener() { ended_ = true; }

  void listen(const Settings& settings);
  int port() const { return port_; }
  void run();
  void stop() {
    asio::post(io_, [this] { begin_stop(); });
  }
  Hooks hooks = {};
  bool is_stopping() const { return shared_.stopping; }
  const HttpCounters& counters() const { return shared_.counters; }

 private:
  void accept();
  void add(Tcp::socket socket);
  void evict();
  void adopt(int socket);
  void watch_signals();
  void tick();
  void end();
  void begin_stop();
  void end_grace();
  // Calls function(connection) for every open connection.
  template <class Function>
  void for_connections(Function function);

  // These three are declared before io_ because they must outlive the connections, which io_ may own.
  ConnectionSettings shared_;
  std::unordered_set<Connection*> connections_;  // a closed one stays until its last operation has ended
  bool ended_ = false;
  int port_ = 0;  // constant after listen()
  asio::io_context io_{1};
  Tcp::acceptor acceptor_{io_};
  asio::posix::stream_descriptor signals_{io_};
  signalfd_siginfo signal_{};
  asio::steady_timer pause_{io_}, grace_{io_}, tick_{io_};
};

HttpServer::Listener::Listener(const Settings& settings, Handler handler)
    : shared_{.limits = settings.limits, .handler = std::move(handler)} {
  shared_.limits.connections = possible_connections(settings.limits.connections);
}

void HttpServer::Listener::adopt(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  Error error;
  acceptor_.assign(address.ss_family == AF_INET6 ? Tcp::v6() : Tcp::v4(), socket, error);
  if (!error) acceptor_.non_blocking(true, error);
  check<InputError>(!error, "cannot use the socket that the service manager passes: {}", error.message());
  port_ = acceptor_.local_endpoint().port();
}

void HttpServer::Listener::listen(const Settings& settings) {
  if (settings.listening >= 0) return adopt(settings.listening);
  Error error;
  Tcp::resolver resolver(io_);
  const auto found = resolver.resolve(settings.host, std::to_string(settings.port),
                                      Tcp::resolver::passive | Tcp::resolver::numeric_service, error);
  check<InputError>(!error && !found.empty(),
                    "--host {} is not a valid address; use 127.0.0.1, 0.0.0.0 or an address of this machine",
                    in_quotes(settings.host));
  const Tcp::endpoint endpoint = *found.begin();
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(Tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(Tcp::acceptor::max_listen_connections, error);
  if (!error) acceptor_.non_blocking(true, error);
  check<InputError>(!error, "cannot listen on port {} of {}: {}; choose another --port or --host", settings.port,
                    settings.host, error.message());
  port_ = acceptor_.local_endpoint().port();
}

void HttpServer::Listener::run() {
  const sigset_t set = watched_signals();
  const int descriptor = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  check<InputError>(descriptor >= 0, "cannot watch for signals: {}", system_message(errno));
  signals_.assign(descriptor);
  watch_signals();
  accept();
  if (hooks.interval.count() > 0) tick();
  io_.run();
}

void HttpServer::Listener::watch_signals() {
  signals_.async_read_some(asio::buffer(&signal_, sizeof signal_), [this](Error failure, std::size_t /*bytes*/) {
    if (failure) return;
    if (signal_.ssi_signo == SIGHUP)
      hooks.hangup();
    else if (shared_.stopping)
      end_grace();
    else
      begin_stop();
    if (signals_.is_open()) watch_signals();
  });
}

void HttpServer::Listener::accept() {
  acceptor_.async_accept([this](Error error, Tcp::socket socket) {
    if (!error) add(std::move(socket));  // even while stopping: the client may have sent a request already
    if (shared_.stopping) return;
    if (!error) return accept();
    evict();  // the process may have run out of file descriptors
    pause_.expires_after(kPauseAfterError);
    pause_.async_wait([this](Error cancelled) {
      if (!cancelled && !shared_.stopping) accept();
    });
  });
}

void HttpServer::Listener::add(Tcp::socket socket) {
  if (shared_.counters.connections >= shared_.limits.connections) evict();
  if (shared_.counters.connections >= shared_.limits.connections) return;  // all others are being served
  // connections_ must not point to a connection that is being destroyed.
  const auto forget = [this](Connection* connection) {
    connections_.erase(connection);
    delete connection;
    if (shared_.stopping && connections_.empty() && !ended_) end();
  };
  const std::shared_ptr<Connection> connection(new Connection(std::move(socket), shared_), forget);
  connections_.insert(connection.get());
  connection->start();
  if (shared_.stopping) connection->finish();
}

void HttpServer::Listener::evict() {
  if (shared_.evictable.empty()) return;
  ++shared_.counters.evicted;
  shared_.evictable.front()->close();
}

template <class Function>
void HttpServer::Listener::for_connections(Function function) {
  std::vector<std::shared_ptr<Connection>> open;
  for (Connection* connection : connections_)
    if (auto shared = connection->weak_from_this().lock()) open.push_back(std::move(shared));
  for (const auto& connection : open) function(*connection);
}

void HttpServer::Listener::begin_stop() {
  if (shared_.stopping) return;
  // Connections that wait in the system's queue may already have sent a request.
  for (;;) {
    Error error;
    Tcp::socket socket = acceptor_.accept(error);
    if (error) break;
    add(std::move(socket));
  }
  shared_.stopping = true;
  Error ignored;
  acceptor_.close(ignored);
  for_connections([](Connection& connection) { connection.finish(); });
  grace_.expires_after(shared_.limits.grace);
  grace_.async_wait([this](Error cancelled) {
    if (!cancelled) end_grace();
  });
  hooks.stopping();
  if (connections_.empty()) end();
}

// Cancels everything that io_ still waits for, so that run() returns.
void HttpServer::Listener::end() {
  grace_.cancel();
  tick_.cancel();
  Error ignored;
  signals_.close(ignored);
}

void HttpServer::Listener::tick() {
  hooks.tick();
  tick_.expires_after(hooks.interval);
  tick_.async_wait([this](Error cancelled) {
    if (!cancelled && signals_.is_open()) tick();
  });
}

void HttpServer::Listener::end_grace() {
  for_connections([](Connection& connection) { connection.give_up(); });
  grace_.expires_after(kLastAnswers);
  grace_.async_wait([this](Error cancelled) {
    if (!cancelled) for_connections([](Connection& connection) { connection.close(); });
  });
}

HttpServer::HttpServer(const Settings& settings, Handler handler)
    : listener_(std::make_shared<Listener>(settings, std::move(handler))) {
  listener_->listen(settings);
}

HttpServer::~HttpServer() = default;

int HttpServer::port() const {
  return listener_->port();
}

void HttpServer::run() {
  listener_->run();
}

void HttpServer::stop() {
  listener_->stop();
}

void HttpServer::set_hooks(Hooks hooks) {
  listener_->hooks = std::move(hooks);
}

bool HttpServer::is_stopping() const {
  return listener_->is_stopping();
}

HttpCounters HttpServer::counters() const {
  return listener_->counters();
}

}  // namespace heed::serve
