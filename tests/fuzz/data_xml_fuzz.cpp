// TMX and XLIFF, as the first element says.
#include "format_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  return fuzz_format(bytes.find("<xliff") != bytes.npos ? "xliff" : "tmx", data, size);
}
