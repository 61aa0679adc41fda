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
#include "serve/language_pairs.h"

namespace heed::serve {

class Service;

// What the server reads from files. A reload replaces all of it; requests that have begun keep theirs.
struct Loaded {
  LanguagePairs pairs;
  std::unique_ptr<ApiKeys> keys;
};

// A request, for the function that answers it.
struct RouteCall {
  const Service& service;
  std::shared_ptr<const Loaded> loaded;
  const HttpRequest& request;
  std::stop_token stop;
  std::chrono::steady_clock::time_point deadline;
  Json details = Json::object();  // facts for the log
  int retry_after = 0;            // seconds, for the header Retry-After; 0: none
};

// How the APIs report errors: {"error": "…"} or {"message": "…"}.
enum class ErrorStyle { error, message };

struct RouteField {
  std::string_view name, type, help;
  bool required = false;
};

struct Route {
  std::string_view method, path;
  // Throws ApiError. Runs on a thread of the request pool if the route translates, otherwise on the I/O thread, where
  // it must return at once.
  HttpResponse (*answer)(RouteCall& call);
  bool translates = false;
  std::string_view summary;
  std::span<const RouteField> fields = {};
  ErrorStyle style = ErrorStyle::error;
};

std::span<const Route> routes();
// Null if there is none; `allowed` then lists the methods of the path, if it exists: "GET, HEAD, OPTIONS". HEAD is
// answered as GET.
const Route* find_route(std::string_view method, std::string_view path, std::string& allowed);

// The description of all routes: OpenAPI 2.0, as LibreTranslate has it.
Json describe_routes();

// A JSON answer.
HttpResponse json_response(const Json& body, int status = 200);
HttpResponse error_response(ErrorStyle style, int status, std::string_view text);

}  // namespace heed::serve
