// XML; what was well-formed must stay so, and a declared encoding becomes UTF-8.
#include "document_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  std::string result;
  try {
    result = translated_document("xml", bytes, true);
  } catch (const heed::InputError&) {
    return 0;
  }
  translated_document("xml", result, true);  // an error here is a crash
  return fuzz_document("xml", data, size, bytes.find("encoding") == bytes.npos);
}
