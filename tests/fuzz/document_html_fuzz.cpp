// HTML; a declared encoding becomes UTF-8.
#include "document_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const bool declares = bytes.find("meta") != bytes.npos || bytes.find("META") != bytes.npos;
  return fuzz_document("html", data, size, !declares);
}
