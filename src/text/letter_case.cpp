#include "text/letter_case.h"

#include <unicode/uchar.h>
#include <unicode/ustring.h>

#include "text/unicode.h"

namespace heed::text {
namespace {

// Turkish and Azerbaijani: I and ı, İ and i.
bool has_dotless_i(std::string_view language) {
  return language.starts_with("tr") || language.starts_with("az");
}

}  // namespace

bool is_upper_case(char32_t c) {
  return c < 0x80 ? c >= 'A' && c <= 'Z' : u_isupper(static_cast<UChar32>(c)) || u_istitle(static_cast<UChar32>(c));
}

bool is_lower_case(char32_t c) {
  return c < 0x80 ? c >= 'a' && c <= 'z' : u_islower(static_cast<UChar32>(c)) != 0;
}

char32_t to_lower_case(char32_t c, std::string_view language) {
  if (c == 'I' && has_dotless_i(language)) return U'ı';
  return static_cast<char32_t>(u_tolower(static_cast<UChar32>(c)));
}

std::u32string to_upper_case(char32_t c, std::string_view language) {
  if (c < 0x80 && c != 'i') return {c >= 'a' && c <= 'z' ? static_cast<char32_t>(c - 0x20) : c};
  if (c == 'i') return {has_dotless_i(language) ? U'İ' : U'I'};
  if (!is_lower_case(c)) return {c};
  UChar from[2], to[8];
  int32_t length = 0;
  U16_APPEND_UNSAFE(from, length, static_cast<UChar32>(c));
  UErrorCode error = U_ZERO_ERROR;
  const int32_t size = u_strToUpper(to, 8, from, length, "", &error);
  if (U_FAILURE(error) || size > 8) return {c};
  std::u32string result;
  for (int32_t i = 0; i < size;) {
    UChar32 next = 0;
    U16_NEXT_UNSAFE(to, i, next);
    result += static_cast<char32_t>(next);
  }
  return result;
}

std::string upper_case(std::string_view utf8, std::string_view language) {
  std::u32string result;
  for (const char32_t c : decode_utf8(utf8)) result += to_upper_case(c, language);
  return encode_utf8(result);
}

std::string title_case(std::string_view utf8, std::string_view language) {
  const CharacterClasses& classes = CharacterClasses::get();
  std::u32string result;
  bool in_word = false;
  for (const char32_t c : decode_utf8(utf8)) {
    const bool is_letter = classes.is(c, kLetter | kNumber | kNonspacing) || (in_word && (c == '\'' || c == U'’'));
    if (is_letter && !in_word)
      result += to_upper_case(c, language).substr(0, 1);
    else
      result += c;
    in_word = is_letter;
  }
  return encode_utf8(result);
}

}  // namespace heed::text
