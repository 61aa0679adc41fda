#include "translate/chunks.h"

#include <algorithm>
#include <string_view>

#include "translate/pipeline.h"

namespace heed::translate {
namespace {

// Characters that end a sentence if white space follows, and those that always do.
constexpr std::string_view kEnds[] = {".", "!", "?", "…", "؟", "۔", "।", "॥", "։", "።"};
constexpr std::string_view kFreeEnds[] = {"。", "！", "？", "｡"};
// Characters that may follow the end and still belong to the sentence.
constexpr std::string_view kClosers[] = {"\"", "'", ")", "]", "”", "’", "»", "›", "“", "」", "』", "）"};

template <class List>
bool ends_with_one_of(std::string_view text, const List& list) {
  return std::ranges::any_of(list, [&](std::string_view end) { return text.ends_with(end); });
}

std::string_view without_closers(std::string_view text) {
  for (;;) {
    const auto* closer = std::ranges::find_if(kClosers, [&](std::string_view end) { return text.ends_with(end); });
    if (closer == std::end(kClosers)) return text;
    text.remove_suffix(closer->size());
  }
}

// How well the line can be split after token i: inside a word (0), between words (1), between sentences (2).
int quality(std::span<const text::Token> tokens, std::size_t i) {
  const text::Token& next = tokens[i + 1];
  const bool between_words = next.span.from > tokens[i].span.to || next.text.starts_with(kSpaceMark);
  std::size_t last = i;  // closing quotes may be tokens of their own
  std::string_view text = without_closers(tokens[last].text);
  while (text.empty() && last > 0 && i - last < 3) text = without_closers(tokens[--last].text);
  if (ends_with_one_of(text, kFreeEnds) || (between_words && ends_with_one_of(text, kEnds))) return 2;
  return between_words ? 1 : 0;
}

}  // namespace

std::vector<std::size_t> split_into_chunks(std::span<const text::Token> tokens, std::size_t limit) {
  std::vector<std::size_t> ends;
  std::size_t from = 0;
  while (tokens.size() - from > limit) {
    std::size_t best = from + limit;
    int best_quality = 0;
    for (std::size_t end = from + limit; end > from && best_quality < 2; --end) {
      const int here = quality(tokens, end - 1);
      if (here > best_quality) best = end, best_quality = here;
    }
    ends.push_back(from = best);
  }
  ends.push_back(tokens.size());
  return ends;
}

}  // namespace heed::translate
