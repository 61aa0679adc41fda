#include "text/char_width.h"

#include <unicode/uchar.h>

namespace heed::text {

std::size_t terminal_columns(char32_t character) {
  const auto c = static_cast<UChar32>(character);
  const auto type = u_charType(c);
  const auto syllable = u_getIntPropertyValue(c, UCHAR_HANGUL_SYLLABLE_TYPE);
  if (type == U_NON_SPACING_MARK || type == U_ENCLOSING_MARK || syllable == U_HST_VOWEL_JAMO ||
      syllable == U_HST_TRAILING_JAMO || u_hasBinaryProperty(c, UCHAR_EMOJI_MODIFIER) ||
      u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT))
    return 0;
  const auto width = u_getIntPropertyValue(c, UCHAR_EAST_ASIAN_WIDTH);
  return width == U_EA_WIDE || width == U_EA_FULLWIDTH ? 2 : 1;
}

}  // namespace heed::text
