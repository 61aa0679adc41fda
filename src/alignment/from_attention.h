// Word alignments from attention. The rule: each word of the target is linked to the word of the source that was
// attended to most when it was predicted, the first of equals. The end symbol's own row makes no link. Attention to the
// end of the source counts as "to nothing": where it is more than any word got, there is no link; nor where the most
// is below the threshold.
#pragma once

#include "alignment/links.h"
#include "text/attention_matrix.h"
#include "text/text_config.h"

namespace heed {

struct LinkOptions {
  double threshold = 0;
  // Links from the row of the step after the word instead of the one that predicts it. Attention that follows the cell
  // has read the word by then; attention before the cell looks with the state before, which has not.
  bool shift = false;
};

// Of a map by words. None where it has no weights.
Alignment attention_links(const AttentionMatrix& words, const LinkOptions& options = {});

// What links count as words. Of text that is tokenised already: what stands between white space. Else the model's own
// tokens where its tokeniser makes words, and those of the `words` tokeniser where it makes characters or subwords.
struct LinkWords {
  LinkWords(const TextConfig& config, bool pretokenized);
  std::unique_ptr<Tokeniser> source, target;
};

// The links between the words of a pair, at that level whatever tokens the model reads.
Alignment link_words(AttentionMatrix attention, std::string_view source, std::string_view target,
                     const LinkWords& words, const LinkOptions& options = {});

}  // namespace heed
