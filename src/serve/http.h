// Requests and answers of HTTP, without the library that reads and writes them (http_server.h).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace heed::serve {

struct HttpRequest {
  std::string method;      // "GET"
  std::string path;        // "/translate", as sent
  std::string query = {};  // what follows the question mark, as sent
  std::string content_type = {};
  std::string authorization = {};
  std::string origin = {};
  std::string body = {};
};

struct HttpHeader {
  std::string_view name;  // a constant
  std::string value;      // never holds bytes of a client; characters that a header may not have are an InternalError
};

struct HttpResponse {
  int status = 200;
  std::string body = {};
  std::string_view content_type = "application/json";
  std::vector<HttpHeader> headers = {};
  // For the log and the metrics, not sent: facts about the request, and when its computation began.
  Json details = {};
  std::optional<std::chrono::steady_clock::time_point> started = {};
};

// "Not Found" for 404.
std::string_view status_text(int status);

// The status line and the header of an answer, with the empty line that ends it. `allows_reuse`: the client may send
// another request on the connection.
std::string response_head(const HttpResponse& response, bool allows_reuse);

// A request that is being answered, shared by the connection and by what computes the answer. Its connection requests a
// stop when the client is gone, when the deadline has passed and when the server is about to end.
struct Exchange {
  HttpRequest request;
  std::stop_source stop = {};
  std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();
  // Set by the handler before it returns, unless it answers at once: when the connection answers in its place, and how.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  HttpResponse late = {.status = 504};
  // Sends the answer; only the first one counts. May be called from any thread.
  std::function<void(HttpResponse)> answer = {};
  // Called once, by the I/O thread, when an answer was sent or the connection was lost: with the answer, or with the
  // status 499 and nothing else if the client was gone before.
  std::function<void(const HttpResponse& sent)> on_end = {};
};

}  // namespace heed::serve
