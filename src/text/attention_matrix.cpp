#include "text/attention_matrix.h"

#include "text/spans.h"

namespace heed::text {
namespace {

// Words and, where the tokens have one, the end symbol.
std::vector<Token> with_end(std::span<const Token> words, const std::vector<Token>& tokens, bool has_end) {
  std::vector<Token> all(words.begin(), words.end());
  if (has_end) all.push_back(tokens.back());
  return all;
}

// As words_of_tokens, with the end symbol as a word of its own behind the others.
std::vector<std::vector<std::size_t>> places(const std::vector<Token>& tokens, std::span<const Token> words,
                                             bool has_end) {
  auto found = words_of_tokens(std::span(tokens).first(tokens.size() - (has_end ? 1 : 0)), words);
  if (has_end) found.push_back({words.size()});
  return found;
}

}  // namespace

AttentionMatrix by_words(const AttentionMatrix& map, std::span<const Token> source_words,
                         std::span<const Token> target_words) {
  AttentionMatrix result{.source = with_end(source_words, map.source, map.source_end),
                         .target = with_end(target_words, map.target, map.target_end),
                         .source_end = map.source_end,
                         .target_end = map.target_end,
                         .weights = {}};
  if (!map.has_weights()) return result;
  const auto sources = places(map.source, source_words, map.source_end);
  const auto targets = places(map.target, target_words, map.target_end);
  std::vector<float> tokens(result.target.size(), 0);  // how many stand for each target word
  for (const auto& words : targets)
    for (const std::size_t word : words) ++tokens[word];
  const std::size_t width = result.source.size();
  result.weights.assign(result.target.size() * width, 0);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    for (const std::size_t row : targets[t]) {
      for (std::size_t s = 0; s < sources.size(); ++s) {
        const float share = map.at(t, s) / (tokens[row] * static_cast<float>(sources[s].size()));
        for (const std::size_t column : sources[s]) result.weights[row * width + column] += share;
      }
    }
  }
  return result;
}

}  // namespace heed::text
