// Which characters make up written words.
#pragma once

#include "text/unicode.h"

namespace heed::text {

// Whether a script writes words without spaces between them: Chinese, Japanese, Thai and their neighbors.
inline bool is_unspaced_script(char32_t c) {
  const bool is_hangul = c >= 0xAC00 && c <= 0xD7FF;
  return (c >= 0x2E80 && !is_hangul) || (c >= 0x0E00 && c <= 0x0EFF) || (c >= 0x1000 && c <= 0x109F) ||
         (c >= 0x1780 && c <= 0x17FF);
}

// A letter, digit or mark that forms one word with such a character beside it.
inline bool joins_words(char32_t c) {
  return CharacterClasses::get().is(c, kLetter | kNumber | kNonspacing) && !is_unspaced_script(c);
}

}  // namespace heed::text
