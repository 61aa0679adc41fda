#include "text/languages.h"

#include <fmt/format.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/uloc.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

namespace heed::text {

namespace {

constexpr std::size_t kLongestName = 60;

// The bibliographic codes of ISO 639-2, for languages whose terminological code differs. ICU knows only the latter.
constexpr std::pair<std::string_view, std::string_view> kBibliographicCodes[] = {
    {"alb", "sq"}, {"arm", "hy"}, {"baq", "eu"}, {"bur", "my"}, {"chi", "zh"}, {"cze", "cs"}, {"dut", "nl"},
    {"fre", "fr"}, {"geo", "ka"}, {"ger", "de"}, {"gre", "el"}, {"ice", "is"}, {"mac", "mk"}, {"mao", "mi"},
    {"may", "ms"}, {"per", "fa"}, {"rum", "ro"}, {"slo", "sk"}, {"tib", "bo"}, {"wel", "cy"}};

std::string fold(std::string_view name) {
  icu::UnicodeString text = icu::UnicodeString::fromUTF8(icu::StringPiece(name.data(), static_cast<int>(name.size())));
  std::string folded;
  text.trim().foldCase().toUTF8String(folded);
  return folded;
}

std::string display_name(std::string_view code, const char* in_language) {
  std::array<char16_t, 100> buffer{};
  UErrorCode status = U_ZERO_ERROR;
  const std::string tag(code);
  const int size = uloc_getDisplayLanguage(tag.c_str(), in_language == nullptr ? tag.c_str() : in_language,
                                           buffer.data(), static_cast<int>(buffer.size()), &status);
  std::string name;
  if (U_SUCCESS(status)) icu::UnicodeString(buffer.data(), size).toUTF8String(name);
  return name;
}

// Two-letter codes by two- and three-letter codes, and by case-folded English and native names.
struct LanguageNames {
  std::map<std::string, std::string, std::less<>> codes, names;

  LanguageNames() {
    for (const auto& [bibliographic, code] : kBibliographicCodes) codes.emplace(bibliographic, code);
    for (const char* const* at = uloc_getISOLanguages(); *at != nullptr; ++at) {
      const std::string code = *at;
      if (code.size() != 2) continue;
      codes.emplace(uloc_getISO3Language(*at), code);
      codes.emplace(code, code);
      for (const std::string& name : {display_name(code, "en"), display_name(code, nullptr)})
        if (fold(name) != code) names.emplace(fold(name), code);
    }
  }
  static const LanguageNames& get() {
    static const LanguageNames kNames;
    return kNames;
  }
};

// The languages in which find_language_name() knows the names of languages.
constexpr const char* kNamingLanguages[] = {
    "en", "de", "fr", "es", "pt", "it", "nl", "sv", "da", "nb", "fi", "is", "pl", "cs", "sk", "sl", "hr", "sr",
    "bg", "ru", "uk", "be", "lt", "lv", "et", "hu", "ro", "el", "tr", "az", "kk", "uz", "fa", "ar", "he", "ur",
    "hi", "bn", "ta", "te", "ml", "th", "vi", "id", "ms", "ja", "ko", "zh", "ca", "gl", "eu", "sq", "mk", "sw"};

// Case-folded, without accents.
std::string fold_accents(std::string_view name) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* decompose = icu::Normalizer2::getNFKDInstance(status);
  if (U_FAILURE(status)) return fold(name);
  const std::string folded = fold(name);
  const icu::UnicodeString text = decompose->normalize(
      icu::UnicodeString::fromUTF8(icu::StringPiece(folded.data(), static_cast<int>(folded.size()))), status);
  icu::UnicodeString letters;
  for (int at = 0; at < text.length(); at = text.moveIndex32(at, 1))
    if (u_charType(text.char32At(at)) != U_NON_SPACING_MARK) letters.append(text.char32At(at));
  std::string out;
  letters.toUTF8String(out);
  return out;
}

// Two-letter codes by native names and by names in all of kNamingLanguages; an ambiguous name has the first meaning
// found.
const std::map<std::string, std::string, std::less<>>& names_in_many_languages() {
  static const auto kNames = [] {
    std::map<std::string, std::string, std::less<>> names;
    const auto add = [&](const std::string& code, const char* in_language) {
      const std::string name = fold_accents(display_name(code, in_language));
      if (name != code) names.emplace(name, code);
    };
    std::vector<std::string> codes;
    for (const char* const* at = uloc_getISOLanguages(); *at != nullptr; ++at)
      if (std::string_view(*at).size() == 2) codes.emplace_back(*at);
    for (const std::string& code : codes) add(code, nullptr);
    for (const char* naming : kNamingLanguages)
      for (const std::string& code : codes) add(code, naming);
    return names;
  }();
  return kNames;
}

// "en" of "EN-gb".
std::string first_part(std::string_view tag) {
  std::string part(tag.substr(0, tag.find_first_of("-_")));
  for (char& c : part) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  return part;
}

// Whether `tag` has the form of a language tag: ASCII letters and digits, hyphens and underscores.
bool is_tag(std::string_view tag) {
  if (tag.empty() || tag.size() > 35) return false;
  const auto is_plain = [](char c) { return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); };
  return std::ranges::all_of(tag, [&](char c) { return is_plain(c) || c == '-' || c == '_'; });
}

}  // namespace

std::string primary_language(std::string_view tag) {
  const std::string part = first_part(tag);
  const auto& codes = LanguageNames::get().codes;
  const auto found = codes.find(part);
  return found == codes.end() ? part : found->second;
}

std::string find_language(std::string_view name) {
  if (name.empty() || name.size() > kLongestName) return "";
  const LanguageNames& known = LanguageNames::get();
  if (is_tag(name))
    if (const auto found = known.codes.find(first_part(name)); found != known.codes.end()) return found->second;
  const auto found = known.names.find(fold(name));
  return found == known.names.end() ? "" : found->second;
}

std::string find_language_name(std::string_view name) {
  if (name.size() > kLongestName) return "";
  const auto& names = names_in_many_languages();
  const auto found = names.find(fold_accents(name));
  return found == names.end() ? "" : found->second;
}

std::string find_language_abbreviation(std::string_view abbreviation) {
  constexpr std::size_t kShortest = 3;
  const std::string folded = fold_accents(abbreviation);
  if (folded == "dt") return "de";
  if (folded.size() < kShortest || folded.size() > kLongestName) return "";
  const auto& names = names_in_many_languages();
  std::string found;
  for (auto at = names.lower_bound(folded); at != names.end() && at->first.starts_with(folded); ++at) {
    if (!found.empty() && found != at->second) return "";
    found = at->second;
  }
  return found;
}

std::string language_key(std::string_view name) {
  constexpr std::size_t kLongestCode = 3;
  std::string found = find_language(name);
  // An unknown code is not worth the slow search.
  if (found.empty() && name.size() > kLongestCode) found = find_language_name(name);
  return found.empty() ? primary_language(name) : found;
}

std::string describe_language(std::string_view tag) {
  const std::string code = language_key(tag), name = display_name(code, "en");
  if (name.empty() || name == code) return std::string(tag);
  return fmt::format("{} ({})", name, code == primary_language(tag) ? tag : code);
}

}  // namespace heed::text
