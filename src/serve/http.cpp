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

namespace {

std::string finish_head(std::string head, const HttpResponse& response, bool allows_reuse) {
  for (const HttpHeader& header : response.headers) {
    const bool valid = std::ranges::all_of(header.value, [](char c) { return c >= ' ' && c <= '~'; });
    check<InternalError>(valid, "the value of the header {} is not printable ASCII", header.name);
    fmt::format_to(std::back_inserter(head), "{}: {}\r\n", header.name, header.value);
  }
  head += allows_reuse ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

std::string start_head(int status) {
  return fmt::format("HTTP/1.1 {} {}\r\nServer: heed\r\n", status, status_text(status));
}

}  // namespace

std::string response_head(const HttpResponse& response, bool allows_reuse) {
  std::string head = start_head(response.status);
  if (response.status != 204)
    fmt::format_to(std::back_inserter(head), "Content-Type: {}\r\nContent-Length: {}\r\n", response.content_type,
                   response.body.size());
  return finish_head(std::move(head), response, allows_reuse);
}

std::string stream_head(const HttpResponse& response, bool chunked, bool allows_reuse) {
  std::string head = start_head(response.status);
  fmt::format_to(std::back_inserter(head), "Content-Type: {}\r\n", response.content_type);
  if (chunked) head += "Transfer-Encoding: chunked\r\n";
  return finish_head(std::move(head), response, allows_reuse);
}

std::string make_event(std::string_view name, std::string_view data) {
  while (data.ends_with('\n')) data.remove_suffix(1);
  return fmt::format("event: {}\ndata: {}\n\n", name, data);
}

}  // namespace heed::serve
