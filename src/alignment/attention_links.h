// Word alignments from attention: each target word is linked to the source word with the largest weight when it was
// predicted (the first if there are several). There is no link if the end of the source has a larger weight, or if the
// largest weight is below the threshold. The end symbol of the target has no links.
#pragma once

#include <memory>
#include <span>

#include "alignment/links.h"
#include "text/attention_matrix.h"
#include "text/text_config.h"

namespace heed::alignment {

struct LinkOptions {
  double threshold = 0;
  // Link a word by the attention of the step after the one that predicts it. Attention after the cell has then read the
  // word; attention before the cell has not, because it uses the previous state.
  bool shift = false;
};

// The tokenizers that define the words of links: white space for pretokenized text; otherwise the model's tokenizer if
// its tokens are words, and the `words` tokenizer if they are characters or subwords.
struct LinkWords {
  LinkWords(const text::TextConfig& config, bool pretokenized);
  std::unique_ptr<text::Tokenizer> source, target;
};

// The links between the words of a line and of its translation. `matrices` are those of the line's chunks in order (one
// if the line was translated whole), over tokens of any kind, with spans in the whole line and translation. A matrix
// without weights gives no links.
Alignment attention_links(std::span<const text::AttentionMatrix* const> matrices,
                          std::span<const text::Token> source_words, std::span<const text::Token> target_words,
                          const LinkOptions& options = {});

}  // namespace heed::alignment
