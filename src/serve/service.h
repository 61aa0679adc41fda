// The translation server: finds the route of each request, answers quick requests at once, queues or refuses the
// others, and keeps the log and the metrics.
//
//   Service service(options, sink);
//   service.open();                   // from now on the port is known and clients can connect
//   service.run();                    // until SIGTERM
//
// SIGHUP loads models and keys again while the old ones keep serving, and switches to them if that succeeds. No request
// is lost.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "serve/file_store.h"
#include "serve/http_server.h"
#include "serve/log_writer.h"
#include "serve/metrics.h"
#include "serve/request_pool.h"
#include "serve/routes.h"
#include "serve/serve_options.h"
#include "serve/service_manager.h"
#include "serve/trusted_proxies.h"

namespace heed::serve {

class Service {
 public:
  // Loads the models; throws what LanguagePairs and ApiKeys throw. Log lines are written to `log`.
  Service(ServeOptions options, LogWriter::Sink log);
  ~Service();

  // Starts listening. InputError if that fails.
  void open();
  int port() const { return http_->port(); }
  void run();

  const ServeOptions& options() const { return options_; }
  // The models and keys in use. Thread-safe.
  std::shared_ptr<const Loaded> loaded() const;
  // Only on the I/O thread.
  bool is_stopping() const { return http_->is_stopping(); }
  std::string metrics_page() const;
  std::uint64_t translated_characters() const { return metrics_.characters; }
  // Thread-safe.
  void add_cors(HttpResponse& response) const;
  FileStore& files() const { return files_; }
  // The URL under which the client of a request reached this server: http://localhost:5000.
  std::string address_for(const HttpRequest& request) const;

 private:
  void handle(const std::shared_ptr<Exchange>& exchange);
  void work(const std::shared_ptr<Exchange>& exchange, const Route& route);
  HttpResponse answer(const Exchange& exchange, const Route& route);
  HttpResponse refusal(const Route& route, std::string_view reason);
  std::size_t queued_tokens() const;
  void finish(const Exchange& exchange, const Route* route, const HttpResponse& sent);
  std::shared_ptr<const Loaded> load() const;
  void reload();

  const ServeOptions options_;
  const ServiceManager manager_;
  const TrustedProxies proxies_;
  std::shared_ptr<translate::SentenceCache> cache_;  // null: none; outlives a reload
  mutable std::mutex mutex_;                         // guards loaded_
  std::shared_ptr<const Loaded> loaded_;
  mutable FileStore files_;  // thread-safe
  // These three are used only on the I/O thread.
  Metrics metrics_;
  double seconds_per_request_ = 0.1;  // moving average of the time between answers
  std::chrono::steady_clock::time_point last_answer_ = {};
  LogWriter log_;
  std::unique_ptr<HttpServer> http_;
  std::thread loader_;  // reloads models and keys
  std::atomic<bool> loading_ = false;
  std::unique_ptr<RequestPool> pool_;  // destroyed first: its tasks use everything above
};

}  // namespace heed::serve
