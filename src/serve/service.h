// The server's application: finds the route of a request, answers what needs no work at once, accepts or refuses the
// rest, and keeps log and metrics.
//
//   Service service(options, sink);
//   service.open();                   // the port is known, and clients can connect
//   service.run();                    // until SIGTERM
//
// SIGHUP loads models and keys again, beside those in use, and replaces them if that succeeds. No request is lost.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "serve/http_server.h"
#include "serve/log_writer.h"
#include "serve/metrics.h"
#include "serve/request_pool.h"
#include "serve/routes.h"
#include "serve/serve_options.h"

namespace heed::serve {

class Service {
 public:
  // Loads the models. `log` gets the lines of the log.
  Service(ServeOptions options, LogWriter::Sink log);
  ~Service();

  // Listens; InputError if that is not possible.
  void open();
  int port() const { return http_->port(); }
  void run() { http_->run(); }

  const ServeOptions& options() const { return options_; }
  // The models and keys in use. From any thread.
  std::shared_ptr<const Loaded> loaded() const;
  // On the I/O thread.
  bool is_stopping() const { return http_->is_stopping(); }
  std::string metrics_page() const;
  std::uint64_t translated_characters() const { return metrics_.characters; }

 private:
  void handle(const std::shared_ptr<Exchange>& exchange);
  void work(const std::shared_ptr<Exchange>& exchange, const Route& route);
  HttpResponse answer(const Exchange& exchange, const Route& route);
  HttpResponse refusal(const Route& route);
  void finish(const Exchange& exchange, const Route* route, const HttpResponse& sent);
  void add_cors(HttpResponse& response) const;
  std::shared_ptr<const Loaded> load() const;
  void reload();

  const ServeOptions options_;
  mutable std::mutex mutex_;  // guards loaded_
  std::shared_ptr<const Loaded> loaded_;
  Metrics metrics_;  // of the I/O thread
  double seconds_per_request_ = 0.1;
  std::chrono::steady_clock::time_point last_answer_ = {};
  LogWriter log_;
  std::unique_ptr<HttpServer> http_;
  std::thread loader_;  // loads new models while the old ones work
  std::atomic<bool> loading_ = false;
  std::unique_ptr<RequestPool> pool_;  // ends first: its tasks use everything above
};

}  // namespace heed::serve
