#include "document_formats_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz_document("tsv", {reinterpret_cast<const char*>(data), size}, true);
}
