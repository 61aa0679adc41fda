// Word alignments of two texts from the texts alone, no model and no other resource: words that keep turning up in each
// other's translations belong together, and neighbors mostly have neighbors for translations. Both directions are
// learnt together, each from the links that the other agrees with (Liang, Taskar and Klein, 2006), which leaves few of
// the mistakes that either makes alone. Words are compared by their first letters in lower case, so that inflected
// forms share what is known of them.
//
// The more text the better; a few thousand pairs will do. The same texts give the same links, whatever the
// number of threads.
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
  std::int64_t too_long = 0;     // pairs with more than kMostWords words on a side, which get no links
  static constexpr std::size_t kMostWords = 256;
};

// What the tokenizers make are the words that links count. InputError if the texts have too many pairs of words.
AlignedTexts align_texts(std::span<const std::string> sources, std::span<const std::string> targets,
                         const text::Tokenizer& source_words, const text::Tokenizer& target_words,
                         const TextAlignerOptions& options = {});

}  // namespace heed::alignment
