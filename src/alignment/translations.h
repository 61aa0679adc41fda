// The most probable translations of each word, learned from a text of word ids with IBM model 1 (Brown et al. 1993).
// Unlike align_texts(), it looks at single words, not at their order, and takes only a few rounds. For vocabulary
// selection.
#pragma once

#include <cstddef>
#include <vector>

#include "alignment/lexicon.h"

namespace heed::alignment {

struct TranslationOptions {
  int rounds = 3;
  std::size_t most = 100;  // translations of a word
};

// By source word of the text: its target words, ascending. On the calling thread, and always the same for the same
// text. Needs 4 bytes for every source word times every target word of a pair, and about 30 bytes for every two words
// that co-occur. InputError as Lexicon.
std::vector<std::vector<WordId>> find_translations(const EncodedText& source, const EncodedText& target,
                                                   const TranslationOptions& options = {});

}  // namespace heed::alignment
