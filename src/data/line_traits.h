// Properties of a single line: its script, its folded form, its numbers, and signs of damage. Does not throw.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/scripts.h"

namespace heed::data {

struct LineTraits {
  std::uint32_t characters = 0;
  text::Script script = text::kNoScript;  // that most of the letters belong to
  bool control = false;                   // has a control character or a line separator
  bool wrong_encoding = false;            // has "Ã¼" for "ü" or the like, or U+FFFD
  bool mixed_word = false;                // mixes Latin, Greek and Cyrillic letters in one word
  std::optional<std::uint32_t> odd_at;    // code-point index of the first character that set one of these three
  std::uint64_t hash = 0;                 // of the unchanged line
  std::uint64_t folded_hash = 0;          // of the letters and numbers only, case-folded; 0 if there are none
  std::uint64_t shape_hash = 0;           // the same with one digit for every number
  // The numbers in digits, sorted; without leading zeros and separators of thousands, so that 1,000 and 1.000 are
  // 1000. A number of more than 18 digits is represented by its last ones.
  std::vector<std::uint64_t> numbers = {};
};

// Whether two sides have different numbers. Numbers up to twelve may be written as words on one of them.
bool numbers_differ(const LineTraits& source, const LineTraits& target);

// Not thread-safe, because of its buffers.
class LineScanner {
 public:
  // `line` is valid UTF-8.
  LineTraits scan(std::string_view line);
  // The number of letters of each script, indexed by text::Script, in everything scanned so far.
  const std::array<std::int64_t, 256>& script_letters() const { return script_letters_; }

 private:
  std::u32string text_, folded_, shape_;
  std::array<std::int64_t, 256> script_letters_{};
};

}  // namespace heed::data
