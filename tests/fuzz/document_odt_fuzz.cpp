// The XML of the text, in an archive that is right.
#include "../document/zip_builder.h"
#include "document_formats_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  return fuzz_document("odt", heed::document::fake::make_zip({{"content.xml", text}}), true);
}
