// Unicode: decoding, encoding and classes of characters. A character, here and wherever heed counts characters, is a
// code point. All functions are thread-safe; none throws on any input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

// Characters [from, to) of the line that the user wrote.
struct Span {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  bool operator==(const Span&) const = default;
};

// Invalid UTF-8 in a text: every byte outside a valid sequence counts, and is decoded as U+FFFD.
struct Utf8Report {
  std::size_t bad_bytes = 0;
  std::size_t first_bad_byte = 0;  // byte offset, if bad_bytes > 0
};

// Checks without decoding: fast for text that is usually valid.
Utf8Report check_utf8(std::string_view utf8);
// Decodes into `text`, replacing its contents.
Utf8Report decode_utf8(std::string_view utf8, std::u32string& text);
std::u32string decode_utf8(std::string_view utf8);

void append_utf8(std::string& utf8, char32_t character);
std::string encode_utf8(std::u32string_view text);

// The byte offset at which each character of valid UTF-8 starts, followed by the size.
std::vector<std::uint32_t> byte_offsets(std::string_view utf8);

// A line as code points. Each has an origin, the characters of the original line that it came from, so that a token
// keeps its span whatever normalization inserts, drops, joins or swaps.
class MappedText {
 public:
  MappedText() = default;
  // Every character is its own origin. At most 2^32 - 1 characters; file readers stop far below that.
  explicit MappedText(std::string_view utf8);

  std::size_t size() const { return text_.size(); }
  bool empty() const { return text_.empty(); }
  char32_t operator[](std::size_t i) const { return text_[i]; }
  Span origin(std::size_t i) const { return origins_[i]; }
  const std::u32string& text() const { return text_; }

  void set(std::size_t i, char32_t character) { text_[i] = character; }
  void push(char32_t character, Span origin) {
    text_.push_back(character);
    origins_.push_back(origin);
  }
  // Keeps characters [from, to).
  void keep(std::size_t from, std::size_t to);
  void clear();
  void reserve(std::size_t size);

  // The smallest span that covers the origins of characters [from, to); empty at 0 if from == to.
  Span cover(std::size_t from, std::size_t to) const;
  std::string utf8() const { return encode_utf8(text_); }

 private:
  std::u32string text_;
  std::vector<Span> origins_;
};

inline bool is_ascii_digit(char32_t c) {
  return c >= '0' && c <= '9';
}
inline bool is_ascii_letter(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// 0 to 9 for a decimal digit of any script, -1 for another character.
int digit_value(char32_t c);

// Properties of a character, as Unicode (through ICU) defines them.
enum CharacterClass : std::uint16_t {
  kAlphabetic = 1,     // Alphabetic
  kDecimal = 2,        // general category Nd
  kNumber = 4,         // general category N*
  kLowercase = 8,      // Lowercase
  kLowerLetter = 16,   // general category Ll
  kSpace = 32,         // White_Space
  kNonspacing = 64,    // general category Mn
  kLetter = 128,       // general category L*
  kPunctuation = 256,  // general category P*
  kCurrency = 512,     // general category Sc
  kSymbol = 1024,      // general category S*
};

// The classes of every character, from a table that is built on first use.
// Take the reference outside the loop: `const CharacterClasses& classes = CharacterClasses::get();`
class CharacterClasses {
 public:
  static const CharacterClasses& get();
  std::uint16_t of(char32_t c) const { return c < kTabled ? table_[c] : look_up(c); }
  bool is(char32_t c, unsigned classes) const { return (of(c) & classes) != 0; }

 private:
  static constexpr char32_t kTabled = 0x10000;
  CharacterClasses();
  static std::uint16_t look_up(char32_t c);
  std::vector<std::uint16_t> table_;
};

}  // namespace heed::text
