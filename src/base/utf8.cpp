#include "base/utf8.h"

#include <algorithm>

namespace heed::inline base {

std::size_t utf8_sequence_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) -> unsigned { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4 || !continues(1)) return 0;
  if (first < 0xE0) return 2;
  const unsigned second = byte(1);
  if (first < 0xF0) {
    const bool overlong = first == 0xE0 && second < 0xA0, surrogate = first == 0xED && second > 0x9F;
    return !overlong && !surrogate && continues(2) ? 3 : 0;
  }
  const bool overlong = first == 0xF0 && second < 0x90, past_end = first == 0xF4 && second > 0x8F;
  return !overlong && !past_end && continues(2) && continues(3) ? 4 : 0;
}

bool is_valid_utf8(std::string_view text) {
  while (const std::size_t length = utf8_sequence_length(text)) text.remove_prefix(length);
  return text.empty();
}

std::string replace_bad_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    out += length > 0 ? text.substr(0, length) : "\xEF\xBF\xBD";
    text.remove_prefix(length > 0 ? length : 1);
  }
  return out;
}

std::size_t utf8_length(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

std::string in_quotes(std::string_view value) {
  constexpr std::size_t kLongest = 60;
  std::string text = replace_bad_utf8(value.substr(0, kLongest));
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return "'" + text + (value.size() > kLongest ? "…'" : "'");
}

}  // namespace heed::base
