#include "serve/http.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace heed::serve {

std::string_view status_text(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Payload Too Large";
    case 414:
      return "URI Too Long";
    case 417:
      return "Expectation Failed";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

std::string response_head(const HttpResponse& response, bool allows_reuse) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\nServer: heed\r\n", response.status, status_text(response.status));
  if (response.status != 204)
    fmt::format_to(std::back_inserter(head), "Content-Type: {}\r\nContent-Length: {}\r\n", response.content_type,
                   response.body.size());
  for (const HttpHeader& header : response.headers) {
    const bool valid = std::ranges::all_of(header.value, [](char c) { return c >= ' ' && c <= '~'; });
    check<InternalError>(valid, "the header {} has a value with control characters", header.name);
    fmt::format_to(std::back_inserter(head), "{}: {}\r\n", header.name, header.value);
  }
  head += allows_reuse ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

}  // namespace heed::serve
