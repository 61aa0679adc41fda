#include "alignment/word_links.h"

#include <algorithm>

#include "alignment/from_attention.h"

namespace heed {
namespace {

// The words that tokens stand for: a run of all of them.
std::span<const Token> covered(std::span<const Token> words, const std::vector<Token>& tokens) {
  if (tokens.empty()) return {};
  const auto first =
      std::ranges::upper_bound(words, tokens.front().span.from, {}, [](const Token& w) { return w.span.to; });
  const auto last =
      std::ranges::lower_bound(words, tokens.back().span.to, {}, [](const Token& w) { return w.span.from; });
  return {first, std::max(first, last)};
}

}  // namespace

Alignment word_links(std::string_view line, std::string_view translation,
                     std::span<const AttentionMatrix* const> parts) {
  const std::vector<Token> source = whitespace_words(line);
  const std::vector<Token> target = whitespace_words(translation);
  Alignment links;
  const auto add = [&](const AttentionMatrix& map) {
    const std::span<const Token> s = covered(source, map.source), t = covered(target, map.target);
    for (const Link& link : attention_links(by_words(map, s, t)))
      links.push_back({.source = link.source + static_cast<std::uint32_t>(s.data() - source.data()),
                       .target = link.target + static_cast<std::uint32_t>(t.data() - target.data())});
  };
  for (const AttentionMatrix* part : parts) add(*part);
  return tidy(links);
}

}  // namespace heed
