#include "text/placeholders.h"

#include <algorithm>
#include <map>

namespace heed::text {
namespace {

// A side of a pair with the spans that can be masked.
struct MaskableSide {
  std::u32string text;
  std::vector<Span> spans;

  explicit MaskableSide(std::string_view utf8) : text(decode_utf8(utf8)) {
    std::ranges::replace_if(text, is_placeholder, U'\uFFFD');
    for (const ProtectedSpan& found : find_protected_spans(text))
      if (is_maskable(found.kind, of(found.span))) spans.push_back(found.span);
  }
  std::u32string_view of(const Span& span) const {
    return std::u32string_view(text).substr(span.from, span.to - span.from);
  }
  // numbers[i] is the placeholder of span i; -1: the span stays.
  std::string masked(const std::vector<int>& numbers) const {
    std::u32string result;
    std::size_t at = 0;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (numbers[i] < 0) continue;
      result += text.substr(at, spans[i].from - at);
      result += kFirstPlaceholder + static_cast<char32_t>(numbers[i]);
      at = spans[i].to;
    }
    return encode_utf8(result += text.substr(at));
  }
};

}  // namespace

std::vector<std::string> placeholder_tokens() {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < kPlaceholders; ++i)
    tokens.push_back(encode_utf8(std::u32string(1, kFirstPlaceholder + static_cast<char32_t>(i))));
  return tokens;
}

bool is_maskable(SpanKind kind, std::u32string_view text) {
  constexpr std::size_t kLongestWord = 2;  // in digits
  if (kind == SpanKind::emoji || kind == SpanKind::tag) return false;
  return kind != SpanKind::number || text.size() > kLongestWord;
}

std::size_t mask_pair(std::string& source, std::string& target, const Random& random) {
  const MaskableSide from(source), to(target);
  std::multimap<std::u32string_view, std::size_t> targets;
  for (std::size_t i = 0; i < to.spans.size(); ++i) targets.emplace(to.of(to.spans[i]), i);
  std::vector<int> source_numbers(from.spans.size(), -1), target_numbers(to.spans.size(), -1);
  int masked = 0;
  if (random.bits(0) % 2 == 0) {
    for (std::size_t i = 0; i < from.spans.size() && masked < static_cast<int>(kPlaceholders); ++i) {
      const auto found = targets.find(from.of(from.spans[i]));
      if (found == targets.end()) continue;
      source_numbers[i] = target_numbers[found->second] = masked++;
      targets.erase(found);
    }
  }
  source = from.masked(source_numbers);
  target = to.masked(target_numbers);
  return static_cast<std::size_t>(masked);
}

}  // namespace heed::text
