#include "text/spelled_numbers.h"

#include <unicode/rbnf.h>

#include "text/normalize.h"

namespace heed::text {
namespace {

std::string lower_case(std::string_view word) {
  MappedText text(word);
  to_lowercase(text);
  return text.utf8();
}

}  // namespace

void SpelledNumbers::spell() const {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Locale locale(language_.c_str());
  const icu::RuleBasedNumberFormat format(icu::URBNF_SPELLOUT, locale, status);
  // ICU falls back on the rules of the system's language.
  if (U_FAILURE(status) || language_.empty() ||
      language_.substr(0, 2) != format.getLocale(ULOC_ACTUAL_LOCALE, status).getLanguage())
    return;
  for (std::int32_t set = 0; set < format.getNumberOfRuleSetNames(); ++set) {
    for (int number = 0; number <= kLargest; ++number) {
      icu::UnicodeString text;
      icu::FieldPosition position;
      status = U_ZERO_ERROR;
      format.format(static_cast<std::int32_t>(number), format.getRuleSetName(set), text, position, status);
      std::string word;
      if (U_SUCCESS(status)) numbers_.emplace(lower_case(text.toUTF8String(word)), number);
    }
  }
}

bool SpelledNumbers::spells(std::string_view word, int number) const {
  std::call_once(spelled_, [this] { spell(); });
  const auto [from, to] = numbers_.equal_range(lower_case(word));
  for (auto found = from; found != to; ++found)
    if (found->second == number) return true;
  return false;
}

}  // namespace heed::text
