// Decoding any bytes agrees with the byte-by-byte reader, and its report is true.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"
#include "text/unicode.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::u32string text;
  const heed::text::Utf8Report report = heed::text::decode_utf8(bytes, text);
  const std::string again = heed::text::encode_utf8(text);
  if (again != heed::replace_bad_utf8(bytes)) std::abort();
  if ((report.bad_bytes == 0) != heed::is_valid_utf8(bytes)) std::abort();
  if (report.bad_bytes != heed::text::check_utf8(bytes).bad_bytes) std::abort();
  if (report.bad_bytes > 0 && !heed::is_valid_utf8(bytes.substr(0, report.first_bad_byte))) std::abort();
  if (heed::text::byte_offsets(again).size() != text.size() + 1) std::abort();
  return 0;
}
