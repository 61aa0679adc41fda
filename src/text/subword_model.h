// Checks subword models of other people before SentencePiece reads them: the library (0.1.97) trusts the normalization
// rules in a model file, and a damaged or hostile one would make it read outside of its memory.
#pragma once

#include <string_view>

namespace heed::text {

struct SubwordModelTraits {
  bool normalizes = false;  // it contains normalization rules; those that heed trains do not
};

// InputError, which begins with `name`, unless `bytes` are a SentencePiece model that the library can read and use
// safely, in time and memory proportional to its size and to the text. Takes linear time.
SubwordModelTraits check_subword_model(std::string_view bytes, std::string_view name);

}  // namespace heed::text
