// Checks foreign subword models before SentencePiece reads them: the library (0.1.97) trusts the normalization rules in
// a model file, and a damaged or hostile one would make it read out of bounds.
#pragma once

#include <string_view>

namespace heed::text {

struct SubwordModelTraits {
  bool normalizes = false;  // it has normalization rules; models trained by heed have none
};

// InputError, which begins with `name`, unless `bytes` are a SentencePiece model that the library can read and use
// safely, in time and memory proportional to its size and to the text. Takes linear time.
SubwordModelTraits check_subword_model(std::string_view bytes, std::string_view name);

}  // namespace heed::text
