#include "text/scripts.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <vector>

namespace heed::text {

namespace {

static_assert(USCRIPT_CODE_LIMIT <= 256, "a Script is one byte");

Script look_up(char32_t character) {
  UErrorCode status = U_ZERO_ERROR;
  const UScriptCode code = uscript_getScript(static_cast<UChar32>(character), &status);
  switch (code) {
    case USCRIPT_COMMON:
    case USCRIPT_INHERITED:
    case USCRIPT_UNKNOWN:
    case USCRIPT_INVALID_CODE:
      return kNoScript;
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
      return USCRIPT_HAN;
    default:
      return static_cast<Script>(code);
  }
}

}  // namespace

Script script_of(char32_t character) {
  constexpr char32_t kTabled = 0x3000;
  static const std::vector<Script> table = [] {
    std::vector<Script> scripts(kTabled);
    for (char32_t c = 0; c < kTabled; ++c) scripts[c] = look_up(c);
    return scripts;
  }();
  return character < kTabled ? table[character] : look_up(character);
}

std::string script_name(Script script) {
  if (script == kNoScript) return "none";
  if (script == USCRIPT_HAN) return "Han and kana";
  const char* name = uscript_getName(static_cast<UScriptCode>(script));
  return name ? name : "none";
}

char32_t fold_case(char32_t character) {
  return static_cast<char32_t>(u_foldCase(static_cast<UChar32>(character), U_FOLD_CASE_DEFAULT));
}

}  // namespace heed::text
