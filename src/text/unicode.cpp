#include "text/unicode.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <cstring>

#include "base/utf8.h"

namespace heed::text {

namespace {

constexpr char32_t kReplacement = 0xFFFD;

// The length of the run of ASCII bytes that starts at `at`; reads eight bytes at a time.
std::size_t ascii_run(std::string_view utf8, std::size_t at) {
  std::size_t i = at;
  for (; i + 8 <= utf8.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, utf8.data() + i, 8);
    if (word & 0x8080808080808080ULL) break;
  }
  while (i < utf8.size() && static_cast<unsigned char>(utf8[i]) < 0x80) ++i;
  return i - at;
}

char32_t join_sequence(const char* bytes, std::size_t length) {
  constexpr unsigned char kFirstBits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t c = static_cast<unsigned char>(bytes[0]) & kFirstBits[length];
  for (std::size_t k = 1; k < length; ++k) c = (c << 6) | (static_cast<unsigned char>(bytes[k]) & 0x3F);
  return c;
}

// Calls ascii(from, count) for runs of ASCII and other(character) for every other character; counts bad bytes.
template <class Ascii, class Other>
Utf8Report scan(std::string_view utf8, Ascii ascii, Other other) {
  Utf8Report report;
  for (std::size_t i = 0; i < utf8.size();) {
    if (const std::size_t run = ascii_run(utf8, i)) {
      ascii(i, run);
      i += run;
      continue;
    }
    const std::size_t length = utf8_sequence_length(utf8.substr(i, 4));
    if (length == 0) {
      if (report.bad_bytes++ == 0) report.first_bad_byte = i;
      other(kReplacement);
    } else {
      other(join_sequence(utf8.data() + i, length));
    }
    i += std::max<std::size_t>(length, 1);
  }
  return report;
}

}  // namespace

Utf8Report check_utf8(std::string_view utf8) {
  return scan(
      utf8, [](std::size_t, std::size_t) {}, [](char32_t) {});
}

Utf8Report decode_utf8(std::string_view utf8, std::u32string& text) {
  text.resize(utf8.size());
  char32_t* out = text.data();
  const Utf8Report report = scan(
      utf8,
      [&](std::size_t from, std::size_t count) {
        for (std::size_t k = 0; k < count; ++k) *out++ = static_cast<unsigned char>(utf8[from + k]);
      },
      [&](char32_t c) { *out++ = c; });
  text.resize(static_cast<std::size_t>(out - text.data()));
  return report;
}

std::u32string decode_utf8(std::string_view utf8) {
  std::u32string text;
  decode_utf8(utf8, text);
  return text;
}

void append_utf8(std::string& utf8, char32_t c) {
  if (c < 0x80) {
    utf8 += static_cast<char>(c);
    return;
  }
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = kReplacement;
  if (c < 0x800) {
    utf8 += static_cast<char>(0xC0 | (c >> 6));
  } else {
    if (c < 0x10000) {
      utf8 += static_cast<char>(0xE0 | (c >> 12));
    } else {
      utf8 += static_cast<char>(0xF0 | (c >> 18));
      utf8 += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    }
    utf8 += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
  }
  utf8 += static_cast<char>(0x80 | (c & 0x3F));
}

std::string encode_utf8(std::u32string_view text) {
  std::string utf8;
  utf8.reserve(text.size() + text.size() / 8);
  for (const char32_t c : text) append_utf8(utf8, c);
  return utf8;
}

std::vector<std::uint32_t> byte_offsets(std::string_view utf8) {
  std::vector<std::uint32_t> offsets;
  offsets.reserve(utf8.size() + 1);
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    if ((static_cast<unsigned char>(utf8[i]) & 0xC0) != 0x80) offsets.push_back(static_cast<std::uint32_t>(i));
  }
  offsets.push_back(static_cast<std::uint32_t>(utf8.size()));
  return offsets;
}

MappedText::MappedText(std::string_view utf8) {
  decode_utf8(utf8, text_);
  origins_.resize(text_.size());
  for (std::uint32_t i = 0; i < origins_.size(); ++i) origins_[i] = {i, i + 1};
}

void MappedText::keep(std::size_t from, std::size_t to) {
  text_ = text_.substr(from, to - from);
  origins_ = {origins_.begin() + static_cast<std::ptrdiff_t>(from), origins_.begin() + static_cast<std::ptrdiff_t>(to)};
}

void MappedText::clear() {
  text_.clear();
  origins_.clear();
}

void MappedText::reserve(std::size_t size) {
  text_.reserve(size);
  origins_.reserve(size);
}

Span MappedText::cover(std::size_t from, std::size_t to) const {
  if (from >= to) return {};
  Span span = origins_[from];
  for (std::size_t i = from + 1; i < to; ++i) {
    span.from = std::min(span.from, origins_[i].from);
    span.to = std::max(span.to, origins_[i].to);
  }
  return span;
}

int digit_value(char32_t c) {
  if (c < 0x80) return is_ascii_digit(c) ? static_cast<int>(c - '0') : -1;
  return u_charDigitValue(static_cast<UChar32>(c));
}

CharacterClasses::CharacterClasses() : table_(kTabled) {
  for (char32_t c = 0; c < kTabled; ++c) table_[c] = look_up(c);
}

const CharacterClasses& CharacterClasses::get() {
  static const CharacterClasses classes;
  return classes;
}

std::uint16_t CharacterClasses::look_up(char32_t c) {
  const auto code = static_cast<UChar32>(c);
  const std::uint32_t category = U_GET_GC_MASK(code);
  unsigned classes = 0;
  if (u_isUAlphabetic(code)) classes |= kAlphabetic;
  if (category & U_GC_ND_MASK) classes |= kDecimal;
  if (category & U_GC_N_MASK) classes |= kNumber;
  if (u_isULowercase(code)) classes |= kLowercase;
  if (category & U_GC_LL_MASK) classes |= kLowerLetter;
  if (u_isUWhiteSpace(code)) classes |= kSpace;
  if (category & U_GC_MN_MASK) classes |= kNonspacing;
  if (category & U_GC_L_MASK) classes |= kLetter;
  if (category & U_GC_P_MASK) classes |= kPunctuation;
  if (category & U_GC_SC_MASK) classes |= kCurrency;
  if (category & U_GC_S_MASK) classes |= kSymbol;
  return static_cast<std::uint16_t>(classes);
}

}  // namespace heed::text
