#include "alignment/word_links.h"

#include "alignment/from_attention.h"
#include "text/spans.h"

namespace heed {

Alignment word_links(std::string_view line, std::string_view translation,
                     std::span<const AttentionMatrix* const> parts) {
  const std::vector<Token> source = whitespace_words(line);
  const std::vector<Token> target = whitespace_words(translation);
  Alignment links;
  const auto add = [&](const AttentionMatrix& map) {
    const std::span<const Token> s = words_in(source, map.source), t = words_in(target, map.target);
    for (const Link& link : attention_links(by_words(map, s, t)))
      links.push_back({.source = link.source + static_cast<std::uint32_t>(s.data() - source.data()),
                       .target = link.target + static_cast<std::uint32_t>(t.data() - target.data())});
  };
  for (const AttentionMatrix* part : parts) add(*part);
  return tidy(links);
}

}  // namespace heed
