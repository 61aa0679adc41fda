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

namespace {

// Controls, bidirectional marks, separators and invisible characters, as ranges in ascending order.
bool can_hide_text(char32_t c) {
  constexpr std::pair<char32_t, char32_t> kRanges[] = {
      {0x80, 0x9F},     {0xAD, 0xAD},     {0x61C, 0x61C},   {0x180E, 0x180E}, {0x200B, 0x200B},  {0x200E, 0x200F},
      {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
  const bool noncharacter = (c & 0xFFFE) == 0xFFFE;
  return noncharacter ||
         std::ranges::any_of(kRanges, [c](auto range) { return range.first <= c && c <= range.second; });
}

// The code point of a valid sequence.
char32_t code_point(std::string_view sequence) {
  constexpr unsigned char kFirstBits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t c = static_cast<unsigned char>(sequence[0]) & kFirstBits[sequence.size()];
  for (const char next : sequence.substr(1)) c = c << 6 | (static_cast<unsigned char>(next) & 0x3F);
  return c;
}

}  // namespace

bool is_printable(std::string_view sequence) {
  const char32_t c = code_point(sequence);
  return c >= 0x20 && c != 0x7F && !can_hide_text(c);
}

std::string printable(std::string_view text, std::size_t max) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string out;
  for (std::size_t count = 0; !text.empty(); ++count) {
    if (count == max) return out + "…";
    const std::size_t length = utf8_sequence_length(text);
    const std::string_view sequence = text.substr(0, length);
    const char32_t c = length > 0 ? code_point(sequence) : 0xFFFD;
    if (c < 0x20)
      (out += "\xE2\x90") += static_cast<char>(0x80 + c);  // U+2400 + c
    else if (c == 0x7F)
      out += "\xE2\x90\xA1";  // U+2421
    else
      out += length == 0 || can_hide_text(c) ? kReplacement : sequence;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string in_quotes(std::string_view value) {
  return "'" + printable(value, 60) + "'";
}

}  // namespace heed::base
