// HTTP requests and answers, independent of the library that reads and writes them (http_server.h).
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
  std::string host = {};
  std::string accept = {};
  std::string forwarded_for = {}, forwarded_proto = {};  // X-Forwarded-…: untrusted, see TrustedProxies
  std::string client = {};                               // address of the other end of the connection
  std::string body = {};
};

struct HttpHeader {
  std::string_view name;  // a constant
  std::string value;      // must be printable ASCII, otherwise response_head() throws InternalError
};

struct HttpResponse {
  int status = 200;
  std::string body = {};
  std::string_view content_type = "application/json";
  std::vector<HttpHeader> headers = {};
  // For the log and the metrics, not sent: facts about the request, and when work on it began.
  Json details = {};
  std::optional<std::chrono::steady_clock::time_point> started = {};
};

// "Not Found" for 404.
std::string_view status_text(int status);

// The status line and the headers of an answer, up to and including the empty line. `allows_reuse`: the client may send
// another request on the connection.
std::string response_head(const HttpResponse& response, bool allows_reuse);
// The same for a streamed answer, whose length is not known.
std::string stream_head(const HttpResponse& response, bool chunked, bool allows_reuse);
// A server-sent event. `data` must be a single line, such as {"a": 1}; line ends after it are removed.
std::string make_event(std::string_view name, std::string_view data);

// A request that is being answered, shared by its connection and by the code that computes the answer. The connection
// requests a stop when the client disconnects, when the deadline passes and when the server gives up on it at shutdown.
struct Exchange {
  HttpRequest request;
  std::stop_source stop = {};
  std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();
  // Set by the handler before it returns, unless it answers at once: if there is no answer by the deadline, the
  // connection sends `late` instead.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  HttpResponse late = {.status = 504};
  // Sends the answer; only the first call counts. Thread-safe.
  std::function<void(HttpResponse)> answer = {};
  // To stream an answer, call begin() with its head, send() for each part of the body, and answer() with the last part.
  // If the status of that is not 200, its body is sent as the event "error". Thread-safe. Parts are dropped if the
  // request is over or the client reads too slowly.
  std::function<void(HttpResponse head)> begin = {};
  std::function<void(std::string part)> send = {};
  // Called once, on the I/O thread, after the answer was sent or the connection was lost. `sent` is the answer; if the
  // client disconnected before it was sent, only a status of 499.
  std::function<void(const HttpResponse& sent)> on_end = {};
};

}  // namespace heed::serve
