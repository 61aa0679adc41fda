// What can be said of a line by itself: its script, its folded form, and what damage it shows. Free of state but for
// buffers: one scanner per thread. Nothing here fails.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "text/scripts.h"

namespace heed::survey {

struct LineTraits {
  std::uint32_t characters = 0;
  std::uint32_t letters = 0;
  text::Script script = text::kNoScript;  // of most letters
  bool control = false;                   // a control character or a line separator inside the line
  bool wrong_encoding = false;            // "Ã¼" for "ü" and the like, or a U+FFFD
  bool mixed_word = false;                // Latin, Greek and Cyrillic letters inside one word
  std::uint32_t odd_at = 0;               // the first character of any of these three
  std::uint64_t hash = 0;                 // of the line as it is
  std::uint64_t folded_hash = 0;          // of its letters and numbers alone, without case; 0 if it has none
};

class LineScanner {
 public:
  // `line` is valid UTF-8.
  LineTraits scan(std::string_view line);
  // Letters of each script in everything scanned so far.
  const std::array<std::int64_t, 256>& script_letters() const { return script_letters_; }

 private:
  std::u32string text_, folded_;
  std::array<std::int64_t, 256> script_letters_{};
};

}  // namespace heed::survey
