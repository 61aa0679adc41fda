// The safetensors reader on any bytes: it reads them or throws an InputError.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/safetensors.h"

namespace {

// Reads every byte of every tensor, as a model loader would.
void use(const heed::Safetensors& file) {
  for (const heed::StoredTensor& tensor : file.tensors()) {
    if (file.find(tensor.name) != &tensor) std::abort();
    std::uint64_t elements = 1;
    for (const heed::Index size : tensor.shape) elements *= static_cast<std::uint64_t>(size);
    if (elements != static_cast<std::uint64_t>(tensor.elements())) std::abort();
    if (tensor.type <= heed::StoredType::bf16) {
      std::vector<float> values(static_cast<std::size_t>(elements));
      tensor.convert_to(values);
    } else if (tensor.type == heed::StoredType::i64) {
      (void)tensor.values<std::int64_t>();
    }
  }
  (void)heed::find_non_finite(file.tensors());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  for (const bool verify : {false, true}) {
    try {
      use(heed::Safetensors(bytes, "fuzz", {.verify_checksum = verify}));
    } catch (const heed::InputError&) {
    }
  }
  return 0;
}
