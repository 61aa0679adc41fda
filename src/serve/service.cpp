#include "serve/service.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <system_error>

#include "base/utf8.h"
#include "serve/texts.h"

namespace heed::serve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestPath = 100;  // in the log
constexpr std::chrono::minutes kFileLifetime{30};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// "2026-11-18T02:15:18.123Z"
std::string time_stamp() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  const std::time_t seconds = milliseconds / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, milliseconds % 1000);
}

}  // namespace

Service::Service(ServeOptions options, LogWriter::Sink log)
    : options_(std::move(options)),
      proxies_(options_.trusted_proxies),
      files_(static_cast<std::size_t>(options_.file_memory) << 20, kFileLifetime),
      log_(std::move(log)) {
  if (options_.cache > 0)
    cache_ = std::make_shared<translate::SentenceCache>(static_cast<std::size_t>(options_.cache) << 20);
  loaded_ = load();
  pool_ = std::make_unique<RequestPool>(options_.pool_limits());
}

Service::~Service() {
  if (loader_.joinable()) loader_.join();
  pool_.reset();
}

std::shared_ptr<const Loaded> Service::load() const {
  auto loaded = std::make_shared<Loaded>();
  loaded->keys = options_.keys.empty() ? std::make_unique<ApiKeys>() : std::make_unique<ApiKeys>(options_.keys);
  for (const std::string& model : options_.models) {
    loaded->pairs.add(model, {.threads = options_.threads}, options_.text, cache_);
    translate::check_shortlist(options_.shortlist, loaded->pairs.all().back()->translator->has_shortlist(),
                               model_of_argument(model));
  }
  if (!options_.pivot.empty()) loaded->pairs.set_pivot(options_.pivot);
  loaded->detector = std::make_unique<LanguageDetector>(loaded->pairs.sources());
  return loaded;
}

std::shared_ptr<const Loaded> Service::loaded() const {
  const std::lock_guard lock(mutex_);
  return loaded_;
}

// Called on the I/O thread, which must not block, so another thread reads the files.
void Service::reload() try {
  if (loading_.exchange(true)) return;
  if (loader_.joinable()) loader_.join();  // has ended
  manager_.reloading();
  loader_ = std::thread([this] {
    Json line = {{"time", time_stamp()}};
    try {
      std::shared_ptr<const Loaded> fresh = load();
      {
        const std::lock_guard lock(mutex_);
        loaded_.swap(fresh);
      }
      line["event"] = "models loaded again";
      // The old models are freed with the last request that uses them, or here if there is none.
    } catch (const std::exception& error) {
      line["event"] = "models not loaded, those in use stay";
      line["failure"] = printable(error.what());
    }
    log_.write(dump_json(line) + "\n");
    manager_.ready();
    loading_ = false;
  });
} catch (const std::system_error&) {  // cannot start a thread; the next SIGHUP tries again
  loading_ = false;
}

void Service::open() {
  HttpServer::Settings settings = options_.http_settings();
  settings.listening = manager_.listening_socket();
  http_ =
      std::make_unique<HttpServer>(settings, [this](const std::shared_ptr<Exchange>& exchange) { handle(exchange); });
  // The I/O thread itself reports that it is alive, twice as often as required.
  http_->set_hooks({.hangup = [this] { reload(); },
                    .stopping = [this] { manager_.stopping(); },
                    .tick = [this] { manager_.alive(); },
                    .interval = manager_.watchdog() / 2});
}

void Service::run() {
  manager_.ready();
  http_->run();
}

void Service::add_cors(HttpResponse& response) const {
  if (options_.cors == "none") return;
  response.headers.push_back({"Access-Control-Allow-Origin", options_.cors});
  if (options_.cors != "*") response.headers.push_back({"Vary", "Origin"});
  response.headers.push_back({"Access-Control-Allow-Headers", "Authorization, Content-Type"});
  response.headers.push_back({"Access-Control-Expose-Headers", "Authorization"});
  response.headers.push_back({"Access-Control-Allow-Methods", "GET, POST"});
  response.headers.push_back({"Access-Control-Allow-Credentials", "true"});
  response.headers.push_back({"Access-Control-Max-Age", "1728000"});
}

void RouteCall::begin_events() const {
  HttpResponse head{.content_type = "text/event-stream",
                    .headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}}};
  service.add_cors(head);
  exchange.begin(std::move(head));
}

void RouteCall::send_event(std::string_view name, const Json& data) const {
  exchange.send(make_event(name, dump_json(data)));
}

// On the I/O thread.
void Service::handle(const std::shared_ptr<Exchange>& exchange) {
  std::string allowed;
  const Route* route = find_route(exchange->request.method, exchange->request.path, allowed);
  exchange->on_end = [this, route, weak = std::weak_ptr(exchange)](const HttpResponse& sent) {
    if (const auto ended = weak.lock()) finish(*ended, route, sent);
  };
  const auto send = [&](HttpResponse response) {
    add_cors(response);
    exchange->answer(std::move(response));
  };
  if (route == nullptr && exchange->request.method == "OPTIONS" && (!allowed.empty() || exchange->request.path == "*"))
    return send({.status = 204, .headers = {{"Allow", allowed.empty() ? "GET, HEAD, POST, OPTIONS" : allowed}}});
  if (route == nullptr) {
    const ErrorStyle style = exchange->request.path.starts_with("/v2/") ? ErrorStyle::message : ErrorStyle::error;
    HttpResponse response =
        allowed.empty() ? error_response(style, 404, "Not Found") : error_response(style, 405, "Method Not Allowed");
    if (!allowed.empty()) response.headers.push_back({"Allow", allowed});
    return send(std::move(response));
  }
  if (!route->translates) return send(answer(*exchange, *route));
  exchange->deadline =
      exchange->arrived + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.timeout));
  exchange->late = error_response(route->style, 504, fmt::format("not done within {} s", options_.timeout));
  add_cors(exchange->late);
  if (queued_tokens() >= static_cast<std::size_t>(options_.max_tokens)) return send(refusal(*route, "tokens"));
  const auto id = pool_->submit({.bytes = exchange->request.body.size() + exchange->request.query.size(),
                                 .client = proxies_.client_of(exchange->request),
                                 .task = [this, exchange, route] { work(exchange, *route); }});
  if (!id) return send(refusal(*route, "requests"));
  exchange->on_end = [this, route, id = *id, weak = std::weak_ptr(exchange)](const HttpResponse& sent) {
    pool_->forget(id);  // if it is still queued, nobody needs its answer
    if (const auto ended = weak.lock()) finish(*ended, route, sent);
  };
}

// Source tokens that wait for a worker, summed over all models.
std::size_t Service::queued_tokens() const {
  std::size_t tokens = 0;
  for (const auto& pair : loaded()->pairs.all()) tokens += pair->shared->statistics().queued_tokens;
  return tokens;
}

// Asks the client to come back when the current requests should be done.
HttpResponse Service::refusal(const Route& route, std::string_view reason) {
  ++metrics_.refused[reason];
  const RequestPool::Load load = pool_->load();
  const double seconds = static_cast<double>(load.queued + load.running) * seconds_per_request_;
  HttpResponse response = error_response(route.style, 429, "Too many requests; try again later");
  response.headers.push_back({"Retry-After", fmt::format("{}", std::clamp(std::ceil(seconds), 1.0, 60.0))});
  return response;
}

// On a thread of the pool.
void Service::work(const std::shared_ptr<Exchange>& exchange, const Route& route) {
  const auto started = Clock::now();
  if (exchange->stop.stop_requested()) return;
  HttpResponse response = answer(*exchange, route);
  response.started = started;
  add_cors(response);
  exchange->answer(std::move(response));
}

HttpResponse Service::answer(const Exchange& exchange, const Route& route) {
  RouteCall call{.service = *this,
                 .route = route,
                 .loaded = loaded(),
                 .request = exchange.request,
                 .exchange = exchange,
                 .stop = exchange.stop.get_token(),
                 .deadline = exchange.deadline};
  HttpResponse response;
  try {
    response = route.answer(call);
  } catch (const ApiError& error) {
    response = error_response(route.style, error.status(), error.what());
  } catch (const Stopped&) {
    response = error_response(route.style, 504, fmt::format("not done within {} s", options_.timeout));
  } catch (const UsageError& error) {
    response = error_response(route.style, 400, error.what());
  } catch (const std::exception& error) {  // the message may name files of this machine, so it goes only to the log
    call.details["failure"] = printable(error.what());
    response = error_response(route.style, 500, "Cannot translate text: internal error");
  }
  if (call.retry_after > 0) response.headers.push_back({"Retry-After", fmt::format("{}", call.retry_after)});
  response.details = std::move(call.details);
  return response;
}

// On the I/O thread.
void Service::finish(const Exchange& exchange, const Route* route, const HttpResponse& sent) {
  const double total = seconds_since(exchange.arrived);
  ++metrics_.requests[{route != nullptr ? route->path : "other", sent.status}];
  if (sent.status == 499) ++metrics_.cancelled;
  if (sent.status == 504) ++metrics_.refused["timeout"];
  if (sent.status == 429 && sent.details.contains("key")) ++metrics_.refused["key"];
  if (route != nullptr && route->translates && sent.started) {
    const auto now = Clock::now();
    if (last_answer_ != Clock::time_point{}) {
      const double since = std::min(std::chrono::duration<double>(now - last_answer_).count(), total);
      seconds_per_request_ += 0.05 * (since - seconds_per_request_);
    }
    last_answer_ = now;
    metrics_.total.add(total);
    metrics_.wait.add(std::chrono::duration<double>(*sent.started - exchange.arrived).count());
    metrics_.work.add(std::chrono::duration<double>(now - *sent.started).count());
    if (sent.status == 200 && sent.details.contains("texts")) {
      metrics_.texts += sent.details["texts"].get<std::uint64_t>();
      metrics_.characters += sent.details["characters"].get<std::uint64_t>();
      metrics_.words += sent.details.value("words", std::uint64_t{0});
    }
  }
  if (options_.quiet) return;
  Json line = {
      {"time", time_stamp()},
      {"client", printable(proxies_.client_of(exchange.request))},
      {"method", printable(exchange.request.method, kLongestPath)},
      {"path", printable(route != nullptr && route->is_folder ? route->path : exchange.request.path, kLongestPath)},
      {"status", sent.status},
      {"ms", std::round(total * 1e5) / 100},
      {"bytes_in", exchange.request.body.size()},
      {"bytes_out", sent.body.size()}};
  if (sent.details.is_object()) line.update(sent.details);
  log_.write(dump_json(line) + "\n");
}

std::string Service::address_for(const HttpRequest& request) const {
  const bool is_name = !request.host.empty() && std::ranges::all_of(request.host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::strchr(".-_:[]", c) != nullptr;
  });
  return fmt::format("{}://{}", proxies_.is_https(request) ? "https" : "http",
                     is_name ? request.host : fmt::format("{}:{}", options_.host, port()));
}

std::string Service::metrics_page() const {
  std::string page;
  metrics_.print(page);
  const auto print = [&](std::string_view name, std::string_view kind, std::string_view help, double value) {
    print_metric_head(page, name, kind, help);
    print_metric(page, name, "", value);
  };
  const RequestPool::Load load = pool_->load();
  print("heed_waiting_requests", "gauge", "accepted requests that wait for a thread", static_cast<double>(load.queued));
  print("heed_running_requests", "gauge", "requests that are being answered", static_cast<double>(load.running));
  const HttpCounters http = http_->counters();
  print("heed_connections", "gauge", "open connections", static_cast<double>(http.connections));
  print("heed_connections_total", "counter", "accepted connections", static_cast<double>(http.accepted));
  print("heed_evicted_connections_total", "counter", "idle connections closed to make room",
        static_cast<double>(http.evicted));
  print("heed_invalid_requests_total", "counter", "requests that broke a limit or a rule of HTTP",
        static_cast<double>(http.refused));
  print("heed_dropped_log_lines_total", "counter", "lines that the log could not take",
        static_cast<double>(log_.dropped()));
  print("heed_resident_bytes", "gauge", "memory of the process", static_cast<double>(resident_bytes()));

  const FileStore::Size files = files_.size();
  print("heed_files", "gauge", "translated documents that wait for their clients", static_cast<double>(files.files));
  print("heed_file_bytes", "gauge", "their size", static_cast<double>(files.bytes));
  if (cache_ != nullptr) {
    const translate::SentenceCache::Statistics cache = cache_->statistics();
    print("heed_cache_hits_total", "counter", "sentences found in the cache", static_cast<double>(cache.hits));
    print("heed_cache_misses_total", "counter", "sentences not found in the cache", static_cast<double>(cache.misses));
    print("heed_cache_sentences", "gauge", "sentences in the cache", static_cast<double>(cache.entries));
    print("heed_cache_bytes", "gauge", "their memory", static_cast<double>(cache.bytes));
  }
  const std::shared_ptr<const Loaded> now = loaded();
  using Statistics = translate::SharedTranslator::Statistics;
  struct Row {
    std::string_view name, kind, help;
    double (*value)(const Statistics&);
  };
  static constexpr Row kRows[] = {
      {"heed_queued_tokens", "gauge", "source tokens that wait for a worker",
       [](const Statistics& s) { return static_cast<double>(s.queued_tokens); }},
      {"heed_running_tokens", "gauge", "source tokens of the sentences that are being translated",
       [](const Statistics& s) { return static_cast<double>(s.running_tokens); }},
      {"heed_sentences_total", "counter", "translated sentences",
       [](const Statistics& s) { return static_cast<double>(s.sentences); }},
      {"heed_stopped_sentences_total", "counter", "sentences whose request was stopped",
       [](const Statistics& s) { return static_cast<double>(s.stopped); }},
      {"heed_source_tokens_total", "counter", "source tokens of translated sentences",
       [](const Statistics& s) { return static_cast<double>(s.source_tokens); }},
      {"heed_target_tokens_total", "counter", "tokens of translations",
       [](const Statistics& s) { return static_cast<double>(s.target_tokens); }},
      {"heed_steps_total", "counter", "steps of the decoder",
       [](const Statistics& s) { return static_cast<double>(s.steps); }},
      {"heed_batch_fill", "gauge", "how full the steps of the decoder were, from 0 to 1, on average since the start",
       [](const Statistics& s) { return s.fill(); }},
      {"heed_step_sentences_total", "counter", "sentences of all steps; per step, this is the batch size",
       [](const Statistics& s) { return static_cast<double>(s.step_sentences); }},
  };
  for (const Row& row : kRows) {
    print_metric_head(page, row.name, row.kind, row.help);
    for (const auto& pair : now->pairs.all())
      print_metric(page, row.name, fmt::format("pair=\"{}\"", pair->name()), row.value(pair->shared->statistics()));
  }
  const auto print_times = [&](std::string_view name, std::string_view help, TimeHistogram Statistics::*times) {
    print_metric_head(page, name, "histogram", help);
    for (const auto& pair : now->pairs.all())
      print_histogram(page, name, fmt::format("pair=\"{}\"", pair->name()), pair->shared->statistics().*times);
  };
  print_times("heed_sentence_wait_seconds", "time that sentences wait for a worker of the model", &Statistics::wait);
  print_times("heed_sentence_decode_seconds", "time from then on to their translation", &Statistics::decode);
  return page;
}

}  // namespace heed::serve
