#include "text/normalize.h"

#include <fmt/ranges.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/unorm.h>

#include <algorithm>

#include "base/enum_names.h"
#include "base/error.h"

namespace heed::text {

struct NormalizationStep {
  std::string_view name;
  void (*apply)(MappedText& text, std::string_view language);
};

namespace {

constexpr NormalizationStep kSteps[] = {
    {"nfc", to_nfc},                                 // compose characters (Unicode NFC)
    {"nfkc", to_nfkc},                               // compose and fold compatibility characters (Unicode NFKC)
    {"lowercase", to_lowercase},                     // lower case, independent of language
    {"casefold", to_casefold},                       // full case folding: also ß to ss
    {"strip-accents", strip_accents},                // decompose (NFD) and drop the nonspacing marks
    {"separate-punctuation", separate_punctuation},  // a space before each of . ! ?
    {"letters-only", letters_only},                  // every run outside a-z A-Z . ! ? becomes one space
    {"collapse-whitespace", collapse_whitespace},    // every run of white space becomes one space
    {"trim", trim_whitespace},                       // no white space at either end
    {"punctuation", normalize_punctuation},  // quotes, dashes and spacing as Moses' normalize-punctuation has them
};

void append(MappedText& out, const icu::UnicodeString& text, Span origin) {
  for (std::int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1))
    out.push(static_cast<char32_t>(text.char32At(i)), origin);
}

const icu::Normalizer2& checked(const icu::Normalizer2* normalizer, UErrorCode status) {
  check<InternalError>(U_SUCCESS(status), "ICU has no normalization data: {}", u_errorName(status));
  return *normalizer;
}

// Composes one stretch between two normalization boundaries.
void compose_stretch(MappedText& out, const MappedText& text, std::size_t from, std::size_t to,
                     const icu::Normalizer2& normalizer) {
  icu::UnicodeString before;
  for (std::size_t i = from; i < to; ++i) before.append(static_cast<UChar32>(text[i]));
  UErrorCode status = U_ZERO_ERROR;
  const icu::UnicodeString after = normalizer.normalize(before, status);
  if (U_FAILURE(status) || after == before) {
    for (std::size_t i = from; i < to; ++i) out.push(text, i);
  } else {
    append(out, after, text.cover(from, to));
  }
}

// `quick_check` answers for one character alone; only it, or characters that may join, need ICU's slower road.
void compose(MappedText& text, const icu::Normalizer2& normalizer, char32_t first_affected, UProperty quick_check) {
  const auto& characters = text.text();
  if (std::ranges::all_of(characters, [&](char32_t c) { return c < first_affected; })) return;
  // ICU sorts the marks of a stretch by insertion; a cap keeps a line of nothing but marks linear. Unicode's
  // stream-safe format allows 30 marks in a row, which no writing system comes near.
  constexpr std::size_t kLongestStretch = 64;
  MappedText out;
  out.reserve(text.size());
  for (std::size_t from = 0; from < text.size();) {
    std::size_t to = from + 1;
    while (to < text.size() && to - from < kLongestStretch && text[to] >= first_affected &&
           !normalizer.hasBoundaryBefore(static_cast<UChar32>(text[to])))
      ++to;
    if (to == from + 1 && (text[from] < first_affected ||
                           u_getIntPropertyValue(static_cast<UChar32>(text[from]), quick_check) == UNORM_YES))
      out.push(text, from);
    else
      compose_stretch(out, text, from, to, normalizer);
    from = to;
  }
  text = std::move(out);
}

// Upper-case sigma ends a word where a cased letter stands before it and none after it (case-ignorable characters
// between them do not count). Each stretch of ignorable characters is crossed at most twice, so this stays linear.
bool is_final_sigma(const MappedText& text, std::size_t at) {
  const auto ignorable = [&](std::size_t i) {
    return u_hasBinaryProperty(static_cast<UChar32>(text[i]), UCHAR_CASE_IGNORABLE);
  };
  const auto cased = [&](std::size_t i) { return u_hasBinaryProperty(static_cast<UChar32>(text[i]), UCHAR_CASED); };
  std::size_t i = at;
  while (i > 0 && ignorable(i - 1)) --i;
  if (i == 0 || !cased(i - 1)) return false;
  i = at + 1;
  while (i < text.size() && ignorable(i)) ++i;
  return i == text.size() || !cased(i);
}

}  // namespace

std::vector<std::string> normalization_steps() {
  return row_names(kSteps);
}

Normalizer::Normalizer(std::span<const std::string> steps, std::string_view language) : language_(language) {
  for (const std::string& name : steps) {
    const auto* step = std::ranges::find_if(kSteps, [&](const auto& s) { return s.name == name; });
    check<UsageError>(step != std::end(kSteps), "there is no normalization step '{}'; the steps are {}", name,
                      fmt::join(normalization_steps(), ", "));
    steps_.push_back(step);
  }
}

void Normalizer::apply(MappedText& text) const {
  for (const auto* step : steps_) step->apply(text, language_);
}

std::string Normalizer::apply(std::string_view utf8) const {
  MappedText text(utf8);
  apply(text);
  return text.utf8();
}

void to_nfc(MappedText& text, std::string_view) {
  UErrorCode status = U_ZERO_ERROR;
  const auto* normalizer = icu::Normalizer2::getNFCInstance(status);
  compose(text, checked(normalizer, status), 0x300, UCHAR_NFC_QUICK_CHECK);
}

void to_nfkc(MappedText& text, std::string_view) {
  UErrorCode status = U_ZERO_ERROR;
  const auto* normalizer = icu::Normalizer2::getNFKCInstance(status);
  compose(text, checked(normalizer, status), 0xA0, UCHAR_NFKC_QUICK_CHECK);
}

void to_lowercase(MappedText& text, std::string_view) {
  constexpr char32_t kCapitalSigma = 0x3A3, kFinalSigma = 0x3C2, kDottedCapitalI = 0x130, kDotAbove = 0x307;
  bool dotted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    if (c < 0x80) {
      if (c >= 'A' && c <= 'Z') text.set(i, c | 0x20);
    } else if (c == kCapitalSigma) {
      // Lower-casing what stands before changes neither its being cased nor its being ignorable.
      text.set(i, is_final_sigma(text, i) ? kFinalSigma : U'σ');
    } else {
      dotted |= c == kDottedCapitalI;
      if (c != kDottedCapitalI) text.set(i, static_cast<char32_t>(u_tolower(static_cast<UChar32>(c))));
    }
  }
  if (!dotted) return;
  // The one character whose lower case is two.
  MappedText out;
  out.reserve(text.size() + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != kDottedCapitalI) {
      out.push(text, i);
    } else {
      out.push('i', text.origin(i));
      out.push(kDotAbove, text.origin(i));
    }
  }
  text = std::move(out);
}

void to_casefold(MappedText& text, std::string_view) {
  MappedText out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] < 0x80) {
      out.push(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i], text.origin(i));
    } else {
      append(out, icu::UnicodeString(static_cast<UChar32>(text[i])).foldCase(), text.origin(i));
    }
  }
  text = std::move(out);
}

void strip_accents(MappedText& text, std::string_view) {
  const auto& characters = text.text();
  if (std::ranges::all_of(characters, [](char32_t c) { return c < 0xC0; })) return;
  UErrorCode status = U_ZERO_ERROR;
  const auto* found = icu::Normalizer2::getNFDInstance(status);
  const icu::Normalizer2& normalizer = checked(found, status);
  const CharacterClasses& classes = CharacterClasses::get();
  MappedText out;
  out.reserve(text.size());
  icu::UnicodeString parts;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] >= 0xC0 && normalizer.getDecomposition(static_cast<UChar32>(text[i]), parts)) {
      for (std::int32_t k = 0; k < parts.length(); k = parts.moveIndex32(k, 1)) {
        const auto part = static_cast<char32_t>(parts.char32At(k));
        if (!classes.is(part, kNonspacing)) out.push(part, text.origin(i));
      }
    } else if (!classes.is(text[i], kNonspacing)) {
      out.push(text, i);
    }
  }
  text = std::move(out);
}

void separate_punctuation(MappedText& text, std::string_view) {
  MappedText out;
  out.reserve(text.size() + 8);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.' || text[i] == '!' || text[i] == '?') out.push(' ', text.origin(i));
    out.push(text, i);
  }
  text = std::move(out);
}

namespace {

// Every run of characters that `belongs` becomes one space.
template <class Belongs>
void runs_to_space(MappedText& text, Belongs belongs) {
  MappedText out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && belongs(text[end])) ++end;
    if (end > i) {
      out.push(' ', text.cover(i, end));
      i = end;
    } else {
      out.push(text, i++);
    }
  }
  text = std::move(out);
}

}  // namespace

void letters_only(MappedText& text, std::string_view) {
  runs_to_space(text, [](char32_t c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return !letter && c != '.' && c != '!' && c != '?';
  });
}

void collapse_whitespace(MappedText& text, std::string_view) {
  const CharacterClasses& classes = CharacterClasses::get();
  runs_to_space(text, [&](char32_t c) { return classes.is(c, kSpace); });
}

void trim_whitespace(MappedText& text, std::string_view) {
  const CharacterClasses& classes = CharacterClasses::get();
  std::size_t from = 0, to = text.size();
  while (from < to && classes.is(text[from], kSpace)) ++from;
  while (to > from && classes.is(text[to - 1], kSpace)) --to;
  text.keep(from, to);
}

}  // namespace heed::text
