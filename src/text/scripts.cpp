#include "text/scripts.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <array>
#include <vector>

namespace heed::text {

namespace {

static_assert(USCRIPT_CODE_LIMIT <= 256, "a Script is one byte");

Script script_of_code(UScriptCode code) {
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

Script look_up(char32_t character) {
  UErrorCode status = U_ZERO_ERROR;
  return script_of_code(uscript_getScript(static_cast<UChar32>(character), &status));
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

std::vector<Script> scripts_of_language(const std::string& language) {
  // ICU would also accept the name of a script, and would use its default locale for an empty name.
  const std::size_t code = std::min(language.find_first_of("-_"), language.size());
  if (code < 2 || code > 3) return {};
  std::array<UScriptCode, 8> codes{};
  UErrorCode status = U_ZERO_ERROR;
  const int count = uscript_getCode(language.c_str(), codes.data(), static_cast<int>(codes.size()), &status);
  std::vector<Script> scripts;
  for (int i = 0; U_SUCCESS(status) && i < count; ++i)
    scripts.push_back(script_of_code(codes[static_cast<std::size_t>(i)]));
  return scripts;
}

char32_t fold_case(char32_t character) {
  return static_cast<char32_t>(u_foldCase(static_cast<UChar32>(character), U_FOLD_CASE_DEFAULT));
}

char32_t title_case(char32_t character) {
  return static_cast<char32_t>(u_totitle(static_cast<UChar32>(character)));
}

}  // namespace heed::text
