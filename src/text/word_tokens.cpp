#include "text/word_tokens.h"

#include <algorithm>

namespace heed {

std::vector<std::vector<std::size_t>> words_of_tokens(std::span<const Token> tokens, std::span<const Token> words) {
  std::vector<std::vector<std::size_t>> found(tokens.size());
  if (words.empty()) return found;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Span& span = tokens[i].span;
    // The first word that ends behind the token's start.
    auto word = static_cast<std::size_t>(
        std::ranges::upper_bound(words, span.from, {}, [](const Token& w) { return w.span.to; }) - words.begin());
    const std::size_t before = std::max<std::size_t>(word, 1) - 1;
    for (; word < words.size() && words[word].span.from < span.to; ++word) found[i].push_back(word);
    if (found[i].empty()) found[i].push_back(before);
  }
  return found;
}

std::span<const Token> covered_words(std::span<const Token> words, std::span<const Token> tokens) {
  if (tokens.empty()) return {};
  const auto first =
      std::ranges::upper_bound(words, tokens.front().span.from, {}, [](const Token& w) { return w.span.to; });
  const auto last =
      std::ranges::lower_bound(words, tokens.back().span.to, {}, [](const Token& w) { return w.span.from; });
  return {first, std::max(first, last)};
}

}  // namespace heed
