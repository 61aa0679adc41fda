// Loading any bytes as a model throws an InputError or gives a model whose parameters are all in the file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "base/checksum.h"
#include "model/model_file.h"

namespace {

// Writes the correct checksum into a model file, so that the code after the checksum is reached too.
void fix_checksum(std::string& bytes) {
  constexpr std::string_view kStart = R"({"__metadata__":{"heed.checksum":")";
  constexpr std::size_t kAt = 8 + kStart.size(), kDigits = 16;
  if (bytes.size() < kAt + kDigits || std::string_view(bytes).substr(8, kStart.size()) != kStart) return;
  std::fill_n(bytes.begin() + kAt, kDigits, '0');
  heed::Xxh64 checksum;
  checksum.update(std::as_bytes(std::span(bytes)));
  const std::string digits = heed::hex_digest(checksum.digest());
  std::copy(digits.begin(), digits.end(), bytes.begin() + kAt);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  fix_checksum(bytes);
  try {
    const heed::model::ModelFile file = heed::model::load_model(std::as_bytes(std::span(bytes)), "fuzz");
    if (file.model->parameters().count() * 2 > static_cast<heed::Index>(size)) std::abort();  // F16 at least
  } catch (const heed::InputError&) {
  }
  return 0;
}
