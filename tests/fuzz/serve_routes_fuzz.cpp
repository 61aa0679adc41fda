// Any request to any route of a server with a model is answered: with JSON if the answer says so, and never with status
// 500. The input is "METHOD TARGET", a content type and a body, each on its own line; the body may have more lines.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/json.h"
#include "serve/service.h"
#include "serve_fuzz.h"

namespace {

heed::serve::Service& service() {
  static heed::serve::Service* const service = [] {
    heed::serve::block_signals();
    heed::serve::ServeOptions options{.models = {"en-de=" HEED_SOURCE_DIR "/tests/fixtures/format-1/run"}, .port = 0};
    options.threads = 1;
    options.quiet = true;
    options.translate.search.beam = 2;
    options.translate.search.attention = false;
    auto* const made = new heed::serve::Service(options, [](std::string_view /*lines*/) { return true; });
    made->open();
    std::thread([made] { made->run(); }).detach();
    return made;
  }();
  return *service;
}

// What a header can have.
std::string header_text(std::string_view text) {
  std::string result(text);
  std::erase_if(result, [](unsigned char c) { return c < ' ' || c > '~'; });
  return result;
}

void check_answer(std::string_view answer, bool has_body) {
  const int status = status_of(answer);
  const std::size_t end = answer.find("\r\n\r\n");
  if (status == 500 || end == std::string_view::npos) {
    fmt::print(stderr, "{}\n", answer);
    std::abort();
  }
  if (has_body && answer.substr(0, end).find("Content-Type: application/json") != std::string_view::npos)
    heed::parse_json(std::string(answer.substr(end + 4)), "the answer");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const auto take_line = [&] {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    return line;
  };
  const std::string request = header_text(take_line()), type = header_text(take_line());
  const std::string answer =
      exchange_bytes(service().port(),
                     fmt::format("{} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {}\r\n"
                                 "Content-Length: {}\r\n\r\n{}",
                                 request, type, rest.size(), rest),
                     false);
  if (!answer.empty()) check_answer(answer, !request.starts_with("HEAD"));
  return 0;
}
