// Protected spans of any bytes: they lie within the text, in order, without overlaps; masking a pair keeps both sides
// valid UTF-8.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"
#include "text/placeholders.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::u32string text = heed::text::decode_utf8(bytes);
  std::uint32_t end = 0;
  for (const heed::text::ProtectedSpan& found : heed::text::find_protected_spans(text)) {
    require(end <= found.span.from && found.span.from < found.span.to);
    end = found.span.to;
    heed::text::numeric_key(std::u32string_view(text).substr(found.span.from, found.span.to - found.span.from));
  }
  require(end <= text.size());
  std::string source(bytes.substr(0, size / 2)), target(bytes.substr(size / 2));
  const std::size_t masked = heed::text::mask_pair(
      source, target, heed::Random(0, heed::Stream::placeholder, static_cast<std::uint32_t>(size)));
  require(masked <= heed::text::kPlaceholders);
  require(heed::is_valid_utf8(source) && heed::is_valid_utf8(target));
  return 0;
}
