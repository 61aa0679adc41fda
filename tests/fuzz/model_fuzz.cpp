// Whatever the bytes are, loading a model gives one sentence or a model whose numbers are all there.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "model/model_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const heed::ModelFile file = heed::load_model(std::as_bytes(std::span(data, size)), "fuzz");
    if (file.model->parameters().count() * 4 > static_cast<heed::Index>(size)) std::abort();
  } catch (const heed::InputError&) {
  }
  return 0;
}
