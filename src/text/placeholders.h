// Placeholder tokens: each stands for a protected span in the text of a model that has learned to copy them
// (data.placeholders). A token is one character that Unicode reserves for such internal use, so no text contains it,
// and tokenizers of words, subwords and characters keep it whole. Functions without state, thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/random.h"
#include "text/protected_spans.h"

namespace heed::text {

inline constexpr std::size_t kPlaceholders = 10;  // at most this many spans of a sentence are masked
inline constexpr char32_t kFirstPlaceholder = 0xFDD0;

constexpr bool is_placeholder(char32_t c) {
  return c >= kFirstPlaceholder && c < kFirstPlaceholder + kPlaceholders;
}
// All of them, in order.
std::vector<std::string> placeholder_tokens();

// Whether a span of this kind is masked. Emoji and tags are removed before the model reads the text, and numbers of one
// or two digits count as words: a model may inflect what follows, or spell them out.
bool is_maskable(SpanKind kind, std::u32string_view text);

// For training: in half of all pairs, drawn at random, replaces the spans that are identical on both sides with
// placeholder tokens, numbered in source order; from the other half, the model learns the spans themselves. Placeholder
// tokens that the text already contains become U+FFFD. Returns the number of masked spans.
std::size_t mask_pair(std::string& source, std::string& target, const Random& random);

}  // namespace heed::text
