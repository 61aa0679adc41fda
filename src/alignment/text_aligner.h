// Word alignments of two texts from the texts alone, without a model: words that often co-occur in translations of each
// other correspond, and neighbors tend to have neighboring translations. Both directions are trained together, each on
// the links that the other agrees with (Liang, Taskar and Klein, 2006), which avoids most of the errors of either
// alone. Words are compared by their first letters in lower case, so that inflected forms share statistics.
//
// More text gives better links; a few thousand pairs are enough. The links do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "alignment/links.h"
#include "text/tokenizer.h"

namespace heed::alignment {

struct TextAlignerOptions {
  int threads = 1;
  std::function<void(std::size_t done, std::size_t all)> on_progress = {};  // in pairs
};

struct AlignedTexts {
  std::vector<Alignment> links;  // one per pair
  std::int64_t too_long = 0;     // pairs with more than kMaxWords words on a side, which get no links
  static constexpr std::size_t kMaxWords = 256;
};

// Links refer to tokens of the tokenizers. InputError if the texts have too many co-occurring words (lexicon.h).
AlignedTexts align_texts(std::span<const std::string> sources, std::span<const std::string> targets,
                         const text::Tokenizer& source_words, const text::Tokenizer& target_words,
                         const TextAlignerOptions& options = {});

}  // namespace heed::alignment
