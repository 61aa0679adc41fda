#include "text/attention_matrix.h"

#include "text/spans.h"

namespace heed::text {
namespace {

// The words of one side, and for each token the indices of its words. An end symbol is a word of its own.
struct SideByWords {
  std::vector<Token> words;
  std::vector<std::vector<std::size_t>> indices;

  SideByWords(std::span<const Token> tokens, std::span<const Token> side_words, bool has_end)
      : words(side_words.begin(), side_words.end()),
        indices(words_of_tokens(tokens.first(tokens.size() - (has_end ? 1 : 0)), side_words)) {
    if (!has_end) return;
    indices.push_back({words.size()});
    words.push_back(tokens.back());
  }
};

}  // namespace

AttentionMatrix by_words(const AttentionMatrix& tokens, std::span<const Token> source_words,
                         std::span<const Token> target_words) {
  const SideByWords source(tokens.source, source_words, tokens.source_end);
  const SideByWords target(tokens.target, target_words, tokens.target_end);
  AttentionMatrix result{.source = source.words,
                         .target = target.words,
                         .source_end = tokens.source_end,
                         .target_end = tokens.target_end,
                         .weights = {}};
  if (!tokens.has_weights()) return result;
  std::vector<float> token_counts(target.words.size(), 0);  // by target word
  for (const auto& words : target.indices)
    for (const std::size_t word : words) ++token_counts[word];
  const std::size_t width = source.words.size();
  result.weights.assign(target.words.size() * width, 0);
  for (std::size_t t = 0; t < target.indices.size(); ++t) {
    for (const std::size_t row : target.indices[t]) {
      for (std::size_t s = 0; s < source.indices.size(); ++s) {
        const auto& columns = source.indices[s];
        const float part = tokens.at(t, s) / (token_counts[row] * static_cast<float>(columns.size()));
        for (const std::size_t column : columns) result.weights[row * width + column] += part;
      }
    }
  }
  return result;
}

}  // namespace heed::text
