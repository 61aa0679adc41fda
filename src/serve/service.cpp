#include "serve/service.h"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "base/utf8.h"
#include "serve/texts.h"

namespace heed::serve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestPath = 100;  // in the log

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

Service::Service(ServeOptions options, LogWriter::Sink log) : options_(std::move(options)), log_(std::move(log)) {
  loaded_ = load();
  pool_ = std::make_unique<RequestPool>(options_.pool());
}

Service::~Service() {
  if (loader_.joinable()) loader_.join();
  pool_.reset();
}

std::shared_ptr<const Loaded> Service::load() const {
  auto loaded = std::make_shared<Loaded>();
  loaded->keys = options_.keys.empty() ? std::make_unique<ApiKeys>() : std::make_unique<ApiKeys>(options_.keys);
  for (const std::string& model : options_.models)
    loaded->pairs.add(model, {.threads = options_.threads}, options_.text);
  return loaded;
}

std::shared_ptr<const Loaded> Service::loaded() const {
  const std::lock_guard lock(mutex_);
  return loaded_;
}

// On the I/O thread, which must not wait: the files are read on a thread of their own.
void Service::reload() try {
  if (loading_.exchange(true)) return;
  if (loader_.joinable()) loader_.join();  // has ended
  loader_ = std::thread([this] {
    Json line = {{"time", time_stamp()}};
    try {
      std::shared_ptr<const Loaded> fresh = load();
      {
        const std::lock_guard lock(mutex_);
        loaded_.swap(fresh);
      }
      line["event"] = "models loaded again";
      // The old models end with the last request that uses them, here if there is none.
    } catch (const std::exception& error) {
      line["event"] = "models not loaded, those in use stay";
      line["failure"] = printable(error.what());
    }
    log_.write(dump_json(line) + "\n");
    loading_ = false;
  });
} catch (const std::system_error&) {  // no thread to be had: the next signal may find one
  loading_ = false;
}

void Service::open() {
  http_ = std::make_unique<HttpServer>(options_.http(),
                                       [this](const std::shared_ptr<Exchange>& exchange) { handle(exchange); });
  http_->on_hangup([this] { reload(); });
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
    HttpResponse response = allowed.empty() ? error_response(ErrorStyle::error, 404, "Not Found")
                                            : error_response(ErrorStyle::error, 405, "Method Not Allowed");
    if (!allowed.empty()) response.headers.push_back({"Allow", allowed});
    return send(std::move(response));
  }
  if (!route->translates) return send(answer(*exchange, *route));
  exchange->deadline =
      exchange->arrived + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.timeout));
  exchange->late = error_response(route->style, 504, fmt::format("not done within {} s", options_.timeout));
  add_cors(exchange->late);
  const auto id = pool_->submit(exchange->request.body.size() + exchange->request.query.size(),
                                [this, exchange, route] { work(exchange, *route); });
  if (!id) return send(refusal(*route));
  exchange->on_end = [this, route, id = *id, weak = std::weak_ptr(exchange)](const HttpResponse& sent) {
    pool_->forget(id);  // if it still waits, nobody waits for it
    if (const auto ended = weak.lock()) finish(*ended, route, sent);
  };
}

// There is no room: the client shall come back when about the present requests will be done.
HttpResponse Service::refusal(const Route& route) {
  ++metrics_.refused["busy"];
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
                 .loaded = loaded(),
                 .request = exchange.request,
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
  } catch (const std::exception& error) {  // may name files of this machine, so only the log gets it
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
  if (route != nullptr && route->translates && sent.started) {
    const auto now = Clock::now();
    if (last_answer_ != Clock::time_point{}) {
      const double since = std::min(std::chrono::duration<double>(now - last_answer_).count(), total);
      seconds_per_request_ += 0.05 * (since - seconds_per_request_);
    }
    last_answer_ = now;
    metrics_.total.add(total);
    metrics_.wait.add(std::chrono::duration<double>(*sent.started - exchange.arrived).count());
    if (sent.status == 200 && sent.details.contains("texts")) {
      metrics_.texts += sent.details["texts"].get<std::uint64_t>();
      metrics_.characters += sent.details["characters"].get<std::uint64_t>();
    }
  }
  if (options_.quiet) return;
  Json line = {{"time", time_stamp()},
               {"method", printable(exchange.request.method, kLongestPath)},
               {"path", printable(exchange.request.path, kLongestPath)},
               {"status", sent.status},
               {"ms", std::round(total * 1e5) / 100},
               {"bytes_in", exchange.request.body.size()},
               {"bytes_out", sent.body.size()}};
  if (sent.details.is_object()) line.update(sent.details);
  log_.write(dump_json(line) + "\n");
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
      {"heed_step_sentences_total", "counter", "sentences of all steps; per step, this is the batch size",
       [](const Statistics& s) { return static_cast<double>(s.step_sentences); }},
  };
  for (const Row& row : kRows) {
    print_metric_head(page, row.name, row.kind, row.help);
    for (const auto& pair : now->pairs.all())
      print_metric(page, row.name, fmt::format("pair=\"{}\"", pair->name()), row.value(pair->shared->statistics()));
  }
  return page;
}

}  // namespace heed::serve
