#include "text/spelled_numbers.h"

#include <dlfcn.h>
#include <unicode/locid.h>
#include <unicode/unistr.h>
#include <unicode/unum.h>
#include <unicode/uvernum.h>

#include <memory>

#include "text/normalize.h"

namespace heed::text {
namespace {

#define HEED_NAME(name) #name
#define HEED_FILE(version) "libicui18n.so." HEED_NAME(version)
#define HEED_FUNCTION(name) decltype(&::name) name = reinterpret_cast<decltype(&::name)>(find(HEED_NAME(name)))

// The functions of ICU's formatting library. It is loaded on first use, because loading it takes a tenth of a command's
// start-up time. Without it, no language has words for numbers.
struct Library {
  void* handle = dlopen(HEED_FILE(U_ICU_VERSION_MAJOR_NUM), RTLD_LAZY | RTLD_LOCAL);
  void* find(const char* name) const { return handle != nullptr ? dlsym(handle, name) : nullptr; }

  HEED_FUNCTION(unum_open);
  HEED_FUNCTION(unum_close);
  HEED_FUNCTION(unum_getLocaleByType);
  HEED_FUNCTION(unum_getTextAttribute);
  HEED_FUNCTION(unum_setTextAttribute);
  HEED_FUNCTION(unum_formatInt64);

  bool is_complete() const {
    return unum_open != nullptr && unum_close != nullptr && unum_getLocaleByType != nullptr &&
           unum_getTextAttribute != nullptr && unum_setTextAttribute != nullptr && unum_formatInt64 != nullptr;
  }
  static const Library& get() {
    static const Library kLibrary;
    return kLibrary;
  }
};

#undef HEED_FUNCTION
#undef HEED_FILE
#undef HEED_NAME

std::string lower_case(std::string_view word) {
  MappedText text(word);
  to_lowercase(text);
  return text.utf8();
}

// What an ICU function writes into a buffer, whose size a first call determines.
template <class Write>
icu::UnicodeString written(const Write& write) {
  icu::UnicodeString text;
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t size = write(nullptr, 0, &status);
  status = U_ZERO_ERROR;
  text.releaseBuffer(write(text.getBuffer(size + 1), size + 1, &status));
  return U_SUCCESS(status) ? text : icu::UnicodeString();
}

}  // namespace

void SpelledNumbers::spell() const {
  const Library& icu_formats = Library::get();
  if (language_.empty() || !icu_formats.is_complete()) return;
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UNumberFormat, decltype(icu_formats.unum_close)> format(
      icu_formats.unum_open(UNUM_SPELLOUT, nullptr, 0, language_.c_str(), nullptr, &status), icu_formats.unum_close);
  if (U_FAILURE(status)) return;
  // For an unknown language, ICU falls back on the system's.
  const char* const actual = icu_formats.unum_getLocaleByType(format.get(), ULOC_ACTUAL_LOCALE, &status);
  if (U_FAILURE(status) || language_.substr(0, 2) != icu::Locale(actual).getLanguage()) return;
  icu::UnicodeString sets = written([&](UChar* to, std::int32_t size, UErrorCode* error) {
    return icu_formats.unum_getTextAttribute(format.get(), UNUM_PUBLIC_RULESETS, to, size, error);
  });
  // Each name ends with a semicolon.
  for (std::int32_t from = 0, end = 0; (end = sets.indexOf(u';', from)) >= 0; from = end + 1) {
    status = U_ZERO_ERROR;
    icu_formats.unum_setTextAttribute(format.get(), UNUM_DEFAULT_RULESET, sets.getBuffer() + from, end - from, &status);
    for (int number = 0; number <= kLargest && U_SUCCESS(status); ++number) {
      const icu::UnicodeString text = written([&](UChar* to, std::int32_t size, UErrorCode* error) {
        return icu_formats.unum_formatInt64(format.get(), number, to, size, nullptr, error);
      });
      std::string word;
      if (!text.isEmpty()) numbers_.emplace(lower_case(text.toUTF8String(word)), number);
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
