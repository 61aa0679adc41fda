#include "alignment/attention_links.h"

#include <algorithm>

#include "text/spans.h"

namespace heed::alignment {
namespace {

// Replaces each row by that of the following step; the last row, that of the end symbol, stays.
text::AttentionMatrix shift_rows(text::AttentionMatrix matrix) {
  const auto columns = static_cast<std::ptrdiff_t>(matrix.source.size());
  if (matrix.has_weights()) std::copy(matrix.weights.begin() + columns, matrix.weights.end(), matrix.weights.begin());
  return matrix;
}

// Adds the links of a word-level matrix whose first column and row are the words first_source and first_target.
void add_links(const text::AttentionMatrix& words, std::size_t first_source, std::size_t first_target, double threshold,
               Alignment& links) {
  if (!words.has_weights()) return;
  const std::size_t source_words = words.source.size() - (words.source_end ? 1 : 0);
  const std::size_t target_words = words.target.size() - (words.target_end ? 1 : 0);
  for (std::size_t t = 0; t < target_words && source_words > 0; ++t) {
    std::size_t best = 0;
    for (std::size_t s = 1; s < source_words; ++s)
      if (words.at(t, s) > words.at(t, best)) best = s;
    const float most = words.at(t, best);
    const bool attends_to_end = words.source_end && words.at(t, source_words) > most;
    // A word without a token has weight 0 everywhere.
    if (most > 0 && !attends_to_end && static_cast<double>(most) >= threshold)
      links.push_back({static_cast<std::uint32_t>(first_source + best), static_cast<std::uint32_t>(first_target + t)});
  }
}

}  // namespace

LinkWords::LinkWords(const text::TextConfig& config, bool pretokenized) {
  const auto words = [&](text::TokenizerOptions side) {
    const bool makes_words = side.kind == "words" || side.kind == "whitespace" || side.kind == "word-characters";
    if (pretokenized)
      side = {.kind = "whitespace"};
    else if (!makes_words)
      side = {.kind = "words", .language = side.language};
    return make_tokenizer(side);
  };
  source = words(config.source());
  target = words(config.target());
}

Alignment attention_links(std::span<const text::AttentionMatrix* const> matrices,
                          std::span<const text::Token> source_words, std::span<const text::Token> target_words,
                          const LinkOptions& options) {
  Alignment links;
  for (const text::AttentionMatrix* matrix : matrices) {
    const auto source = words_in(source_words, matrix->source), target = words_in(target_words, matrix->target);
    add_links(options.shift ? by_words(shift_rows(*matrix), source, target) : by_words(*matrix, source, target),
              static_cast<std::size_t>(source.data() - source_words.data()),
              static_cast<std::size_t>(target.data() - target_words.data()), options.threshold, links);
  }
  return tidy(links);
}

}  // namespace heed::alignment
