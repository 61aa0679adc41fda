#include "base/encoding.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.h"

namespace heed::inline base {

namespace {

constexpr std::string_view kMarkUtf8 = "\xEF\xBB\xBF", kMarkLittle = "\xFF\xFE", kMarkBig = "\xFE\xFF";

// 0x80 to 0x9F in CP1252; 0: not assigned.
constexpr std::array<char16_t, 32> kCp1252 = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                              0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                              0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                              0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

void append_code_point(std::string& out, char32_t c) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    tail(12), tail(6), tail(0);
  }
}

bool is_high(char16_t unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}
bool is_low(char16_t unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

// Whether text could be UTF-16 in this byte order: it has no unpaired surrogates and no control characters.
bool can_be_utf16(std::string_view text, bool big) {
  bool pending = false;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const auto first = static_cast<unsigned char>(text[i]), second = static_cast<unsigned char>(text[i + 1]);
    const auto unit = static_cast<char16_t>(big ? first << 8 | second : second << 8 | first);
    if (pending != is_low(unit)) return false;
    pending = is_high(unit);
    if (unit < 0x20 && unit != '\t' && unit != '\n' && unit != '\r') return false;
    if (unit >= 0xFFFE) return false;
  }
  return true;
}

// Without a byte-order mark: zeros occur only as the high bytes of characters, and either most characters have one, or
// at least one in 64 does, some are line feeds, and most are not two ASCII characters, which may well be ASCII text
// with a stray zero.
bool looks_utf16(std::string_view text, bool big) {
  constexpr std::size_t kMinBytes = 16, kCharactersPerZero = 64;
  if (text.size() < kMinBytes || text.size() % 2 != 0) return false;
  const std::size_t units = text.size() / 2;
  const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
  std::size_t high = 0, low = 0, lines = 0, ascii = 0;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const char first = text[i], second = text[i + 1];
    high += (big ? first : second) == '\0';
    low += (big ? second : first) == '\0';
    lines += (big ? first : second) == '\0' && (big ? second : first) == '\n';
    ascii += is_printable(first) && is_printable(second) ? 1 : 0;
  }
  const bool is_wide = lines > 0 && high * kCharactersPerZero >= units && 2 * ascii < units;
  return low == 0 && (2 * high > units || is_wide) && can_be_utf16(text, big);
}

bool is_ascii_letter(unsigned char c) {
  return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}
// Letters of CP1252, except þ, ÿ and Ÿ, which are too rare to count on.
bool is_cp1252_letter(unsigned char c) {
  return c == 0x8A || c == 0x8C || c == 0x8E || c == 0x9A || c == 0x9C || c == 0x9E ||
         (c >= 0xC0 && c != 0xD7 && c != 0xF7 && c < 0xFE);
}
// Punctuation and signs of CP1252 that occur in prose.
bool is_cp1252_sign(unsigned char c) {
  constexpr std::string_view kSigns =
      "\x80\x82\x84\x85\x8B\x91\x92\x93\x94\x95\x96\x97\x99\x9B\xA0\xA1\xA3\xA7\xA9\xAB\xAE\xB0\xB2\xB3\xB4\xB7\xBB\xBD"
      "\xBF\xD7";
  return kSigns.find(static_cast<char>(c)) != std::string_view::npos;
}

// Mostly ASCII letters and some accented ones, the latter never in long runs, as they would be in another alphabet.
bool looks_cp1252(std::string_view text) {
  constexpr std::size_t kMinLetters = 3, kLongestRun = 3;
  const auto at = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : '\n'; };
  const auto is_letter = [](unsigned char c) { return is_ascii_letter(c) || is_cp1252_letter(c); };
  std::size_t ascii = 0, letters = 0, signs = 0, run = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = at(i);
    if (c < 0x20 && c != '\t' && c != '\n' && c != '\r') return false;
    ascii += is_ascii_letter(c);
    run = is_cp1252_letter(c) ? run + 1 : 0;
    if (run > kLongestRun) return false;
    if (c < 0x80) continue;
    const bool after_letter = is_letter(at(i - 1)), before_letter = is_letter(at(i + 1));
    if (is_cp1252_letter(c)) {
      ++letters;
    } else {
      ++signs;
      // Between letters, any sign but an apostrophe, a dash or the like is a letter of another encoding.
      const bool joins = (c >= 0x91 && c <= 0x97) || c == 0xA0 || c == 0xB4 || c == 0xB7;
      if (!is_cp1252_sign(c) || (after_letter && before_letter && !joins)) return false;
    }
  }
  return letters + signs >= kMinLetters && 2 * letters <= ascii;
}

}  // namespace

std::vector<std::string> enum_names(Encoding) {
  return {"auto", "utf-8", "utf-16", "utf-16le", "utf-16be", "cp1252", "latin-1"};
}

Encoding encoding_by_name(std::string_view name) {
  std::string plain;  // "ISO-8859-1" as "iso88591"
  for (const char c : name)
    if (c != '-' && c != '_') plain += static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  constexpr std::pair<std::string_view, Encoding> kNames[] = {
      {"utf8", Encoding::utf8},       {"usascii", Encoding::utf8},       {"ascii", Encoding::utf8},
      {"utf16", Encoding::utf16},     {"utf16le", Encoding::utf16le},    {"utf16be", Encoding::utf16be},
      {"iso88591", Encoding::cp1252}, {"windows1252", Encoding::cp1252}, {"cp1252", Encoding::cp1252},
      {"latin1", Encoding::cp1252}};
  const auto* found = std::ranges::find(kNames, std::string_view(plain), [](const auto& entry) { return entry.first; });
  return found == std::end(kNames) ? Encoding::detect : found->second;
}

std::string_view encoding_title(Encoding encoding) {
  if (encoding == Encoding::detect || encoding == Encoding::utf8) return "UTF-8";
  return encoding == Encoding::cp1252 || encoding == Encoding::latin1 ? "CP1252 (Latin-1)" : "UTF-16";
}

bool may_become_mark(std::string_view start) {
  return std::ranges::any_of(std::array{kMarkUtf8, kMarkLittle, kMarkBig}, [&](std::string_view mark) {
    return start.size() < mark.size() && mark.starts_with(start);
  });
}

Encoding detect_encoding(std::string_view sample) {
  if (sample.starts_with(kMarkLittle) && can_be_utf16(sample.substr(2), false)) return Encoding::utf16le;
  if (sample.starts_with(kMarkBig) && can_be_utf16(sample.substr(2), true)) return Encoding::utf16be;
  if (sample.find('\0') != sample.npos) {
    if (looks_utf16(sample, false)) return Encoding::utf16le;
    if (looks_utf16(sample, true)) return Encoding::utf16be;
    return Encoding::utf8;
  }
  for (std::size_t i = 0; i < sample.size(); ++i)
    if (static_cast<unsigned char>(sample[i]) >= 0x80 && utf8_sequence_length(sample.substr(i)) > 1)
      return Encoding::utf8;
  // The sample may end inside a UTF-8 sequence.
  for (int k = 0; k < 3 && !sample.empty() && static_cast<unsigned char>(sample.back()) >= 0x80; ++k)
    sample.remove_suffix(1);
  return looks_cp1252(sample) ? Encoding::cp1252 : Encoding::utf8;
}

void Decoder::decode_unit(char16_t unit, std::string& out) {
  const char16_t high = std::exchange(high_surrogate_, 0);
  if (high != 0 && is_low(unit))
    return append_code_point(out, 0x10000 + (char32_t{high} - 0xD800) * 0x400 + (char32_t{unit} - 0xDC00));
  if (high != 0) append_code_point(out, high);
  if (is_high(unit))
    high_surrogate_ = unit;
  else if (unit != 0xFEFF || !start_)
    append_code_point(out, unit);
}

void Decoder::decode(std::string_view bytes, bool last, std::string& out) {
  if (encoding_ == Encoding::utf8) {
    out += bytes;
    return;
  }
  if (encoding_ == Encoding::cp1252 || encoding_ == Encoding::latin1) {
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      const char32_t code = byte >= 0x80 && byte < 0xA0 ? kCp1252[byte - 0x80] : byte;
      if (code == 0 && byte != 0)
        out += c;
      else
        append_code_point(out, code);
    }
    return;
  }
  for (const char c : bytes) {
    const int byte = static_cast<unsigned char>(c);
    if (odd_byte_ < 0) {
      odd_byte_ = byte;
      continue;
    }
    const int first = std::exchange(odd_byte_, -1);
    if (start_ && encoding_ == Encoding::utf16)
      encoding_ = first == 0xFE && byte == 0xFF ? Encoding::utf16be : Encoding::utf16le;
    decode_unit(static_cast<char16_t>(encoding_ == Encoding::utf16be ? first << 8 | byte : byte << 8 | first), out);
    start_ = false;
  }
  if (!last) return;
  if (high_surrogate_ != 0) append_code_point(out, std::exchange(high_surrogate_, 0));
  if (std::exchange(odd_byte_, -1) >= 0) out += '\xFF';
}

}  // namespace heed::base
