#include "text/spans.h"

#include <algorithm>
#include <numeric>

namespace heed::text {

std::span<const Token> words_in(std::span<const Token> words, const Span& span) {
  const auto first = std::ranges::upper_bound(words, span.from, {}, [](const Token& w) { return w.span.to; });
  const auto last =
      std::ranges::lower_bound(first, words.end(), span.to, {}, [](const Token& w) { return w.span.from; });
  return {first, last};
}

std::vector<std::vector<std::size_t>> words_of_tokens(std::span<const Token> tokens, std::span<const Token> words) {
  std::vector<std::vector<std::size_t>> found(tokens.size());
  if (words.empty()) return found;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::span<const Token> in = words_in(words, tokens[i].span);
    const auto first = static_cast<std::size_t>(in.data() - words.data());
    found[i].resize(std::max<std::size_t>(in.size(), 1));
    std::iota(found[i].begin(), found[i].end(), in.empty() ? std::max<std::size_t>(first, 1) - 1 : first);
  }
  return found;
}

}  // namespace heed::text
