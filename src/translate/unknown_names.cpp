#include "translate/unknown_names.h"

#include <algorithm>

#include "text/scripts.h"
#include "text/unicode.h"

namespace heed::translate {

bool looks_like_name(std::u32string_view word) {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  return std::ranges::any_of(word, [&](char32_t c) {
    return classes.is(c, text::kDecimal) || (classes.is(c, text::kLetter) && text::fold_case(c) != c);
  });
}

std::vector<UnknownName> find_unknown_names(std::span<const text::Token> tokens, Ids ids, Id unknown,
                                            std::string_view text) {
  std::vector<UnknownName> names;
  if (unknown < 0 || std::ranges::find(ids, unknown) == ids.end()) return names;
  const std::u32string characters = text::decode_utf8(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const text::Span& span = tokens[i].span;
    if (ids[i] != unknown || span.from >= span.to || span.to > characters.size()) continue;
    const std::u32string_view word = std::u32string_view(characters).substr(span.from, span.to - span.from);
    if (looks_like_name(word)) names.push_back({i, text::encode_utf8(word)});
  }
  return names;
}

const UnknownName* NameCopier::choose(std::span<const float> weights) {
  std::size_t best = names_.size();
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (!is_used_[i] && (best == names_.size() || weights[names_[i].token] > weights[names_[best].token])) best = i;
  if (best == names_.size()) return nullptr;
  is_used_[best] = true;
  return &names_[best];
}

}  // namespace heed::translate
