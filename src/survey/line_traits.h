// Properties of a single line: its script, its folded form, and signs of damage. Does not throw.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "text/scripts.h"

namespace heed::survey {

struct LineTraits {
  std::uint32_t characters = 0;
  text::Script script = text::kNoScript;  // that most of the letters belong to
  bool control = false;                   // has a control character or a line separator
  bool wrong_encoding = false;            // has "Ã¼" for "ü" or the like, or U+FFFD
  bool mixed_word = false;                // mixes Latin, Greek and Cyrillic letters in one word
  std::uint32_t odd_at = 0;               // code-point index of the first character that set one of these three
  std::uint64_t hash = 0;                 // of the unchanged line
  std::uint64_t folded_hash = 0;          // of the letters and numbers only, case-folded; 0 if there are none
};

// Not thread-safe, because of its buffers.
class LineScanner {
 public:
  // `line` is valid UTF-8.
  LineTraits scan(std::string_view line);
  // The number of letters of each script, indexed by text::Script, in everything scanned so far.
  const std::array<std::int64_t, 256>& script_letters() const { return script_letters_; }

 private:
  std::u32string text_, folded_;
  std::array<std::int64_t, 256> script_letters_{};
};

}  // namespace heed::survey
