// Any query, content type and body is read or refused with a sentence. The input is a query, a content type and a body,
// each on its own line; the body may have more lines.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"
#include "serve/parameters.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const auto take_line = [&] {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    return std::string(line);
  };
  heed::serve::HttpRequest request{.method = "POST", .path = "/"};
  request.query = take_line();
  request.content_type = take_line();
  request.body = rest;
  try {
    const heed::serve::Parameters parameters(request);
    bool is_array = false;
    for (const std::string& text : parameters.texts("q", true, &is_array))
      if (!heed::is_valid_utf8(text)) std::abort();
    parameters.integer("alternatives", 0);
    parameters.flag("flag", false);
    parameters.text("source");
  } catch (const heed::serve::ApiError& error) {
    if (error.status() != 400 || !heed::is_valid_utf8(error.what())) std::abort();
  }
  return 0;
}
