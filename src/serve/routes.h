// The table of routes: what the server answers, and how it describes that (OpenAPI).
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/json.h"
#include "serve/api_keys.h"
#include "serve/http.h"
#include "serve/language_detector.h"
#include "serve/language_pairs.h"

namespace heed::serve {

class Service;
struct Route;

// Everything the server reads from files. A reload replaces it as a whole; requests keep the one they began with.
struct Loaded {
  LanguagePairs pairs;
  std::unique_ptr<LanguageDetector> detector;  // for the source languages of the pairs
  std::unique_ptr<ApiKeys> keys;
};

// What a route's function gets to answer a request.
struct RouteCall {
  const Service& service;
  const Route& route;
  std::shared_ptr<const Loaded> loaded;
  const HttpRequest& request;
  const Exchange& exchange;
  std::stop_token stop;
  std::chrono::steady_clock::time_point deadline;
  Json details = Json::object();  // for the log and the metrics
  int retry_after = 0;            // seconds, for the header Retry-After; 0: no such header

  // Makes the answer a stream of server-sent events: those of send_event(), and at the end what the route returns or
  // throws.
  void begin_events() const;
  void send_event(std::string_view name, const Json& data) const;
};

// How the APIs report errors: {"error": "…"} or {"message": "…"}.
enum class ErrorStyle { error, message };

struct RouteField {
  std::string_view name, type, help;  // the type is one of Swagger 2.0
  bool required = false;
  bool only_json = false;  // a form cannot have it
};

struct Route {
  std::string_view method, path;
  // May throw ApiError. Runs on a thread of the request pool if `translates`, otherwise on the I/O thread, where it
  // must return quickly.
  HttpResponse (*answer)(RouteCall& call);
  bool translates = false;
  std::string_view summary;
  std::span<const RouteField> fields = {};
  bool is_folder = false;  // answers all paths that start with `path`, which ends in a slash
  ErrorStyle style = ErrorStyle::error;
};

std::span<const Route> routes();
// Null if there is none; if the path exists, `allowed` then lists its methods: "GET, HEAD, OPTIONS". HEAD finds the
// route of GET.
const Route* find_route(std::string_view method, std::string_view path, std::string& allowed);

// The description of all routes: OpenAPI 2.0 ("Swagger"), as LibreTranslate has it.
Json describe_routes();

HttpResponse json_response(const Json& body, int status = 200);
HttpResponse error_response(ErrorStyle style, int status, std::string_view text);

}  // namespace heed::serve
