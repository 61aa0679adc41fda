// Word alignments from attention. The rule: each target word is linked to the source word that was attended to most
// when it was predicted, the first of equals. The end symbol's own row makes no link. Attention to the end of the
// source counts as "to nothing": if it is more than any word got, there is no link; nor if the most is below the
// threshold.
#pragma once

#include <memory>
#include <span>

#include "alignment/links.h"
#include "text/attention_matrix.h"
#include "text/text_config.h"

namespace heed::alignment {

struct LinkOptions {
  double threshold = 0;
  // Links from the row of the step after the word instead of the one that predicts it. Attention that follows the cell
  // has read the word by then; attention before the cell looks with the state before, which has not.
  bool shift = false;
};

// The tokenizers of the words that links count. Text that is tokenized already: what stands between white space.
// Otherwise the model's own tokens if its tokenizer makes words, and those of the `words` tokenizer if it makes
// characters or subwords.
struct LinkWords {
  LinkWords(const text::TextConfig& config, bool pretokenized);
  std::unique_ptr<text::Tokenizer> source, target;
};

// The links between the words of a line and of its translation. `matrices` are those of the line's parts in order, by
// tokens of any kind, with spans in the whole line and translation; one if the line was translated whole. A matrix
// without weights makes no links. Takes memory in proportion to the line if there are several.
Alignment attention_links(std::span<const text::AttentionMatrix* const> matrices,
                          std::span<const text::Token> source_words, std::span<const text::Token> target_words,
                          const LinkOptions& options = {});

}  // namespace heed::alignment
