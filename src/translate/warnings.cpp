#include "translate/warnings.h"

#include <algorithm>

namespace heed::translate {
namespace {

bool has_letter_or_digit(std::string_view word) {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  return std::ranges::any_of(text::decode_utf8(word),
                             [&](char32_t c) { return classes.is(c, text::kLetter | text::kNumber); });
}

// A single word counts if it occurs three times in a row ("very, very" is good English), a phrase if it occurs twice.
constexpr std::size_t kLongestPhrase = 8;

// The first run of words that repeats one phrase; empty if there is none.
std::span<const text::Token> find_repetition(std::span<const text::Token> words) {
  for (std::size_t from = 0; from < words.size(); ++from) {
    for (std::size_t length = 1; length <= kLongestPhrase && from + 2 * length <= words.size(); ++length) {
      std::size_t to = from + length;
      while (to < words.size() && words[to].text == words[to - length].text) ++to;
      if (to - from >= (length == 1 ? 3 : 2) * length) return words.subspan(from, to - from);
    }
  }
  return {};
}

}  // namespace

std::string_view name_of(Warning::Kind kind) {
  constexpr std::string_view kNames[] = {"unattended",   "repetition",     "unaligned", "unknown", "number",
                                         "untranslated", "low_confidence", "too_short", "too_long"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<Warning> find_warnings(const text::AttentionMatrix& map, std::string_view source,
                                   std::string_view translation) {
  std::vector<Warning> warnings;
  const std::vector<text::Token> source_words = text::whitespace_words(source),
                                 words = text::whitespace_words(translation);
  if (map.has_weights()) {
    const text::AttentionMatrix by = by_words(map, source_words, words);
    for (std::size_t s = 0; s < source_words.size(); ++s) {
      float sum = 0;
      for (std::size_t t = 0; t < by.target.size(); ++t) sum += by.at(t, s);
      if (sum < kUnattended && has_letter_or_digit(source_words[s].text))
        warnings.push_back({Warning::Kind::unattended, source_words[s].text, source_words[s].span});
    }
  }
  // The translation of a source that repeats itself may do so too.
  const std::span<const text::Token> repeated = find_repetition(words);
  if (!repeated.empty() && find_repetition(source_words).empty()) {
    std::string text;
    for (const text::Token& word : repeated) text += (text.empty() ? "" : " ") + word.text;
    warnings.push_back({Warning::Kind::repetition, text, {repeated.front().span.from, repeated.back().span.to}});
  }
  return warnings;
}

}  // namespace heed::translate
