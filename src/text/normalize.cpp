#include "text/normalize.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/unorm.h>

#include <algorithm>

#include "base/nearest.h"
#include "text/rewriter.h"

namespace heed::text {

struct NormalizationStep {
  std::string_view name;
  void (*apply)(MappedText& text, std::string_view language);
  std::string_view about;
};

namespace {

bool all_below(const MappedText& text, char32_t limit) {
  return std::ranges::all_of(text.text(), [&](char32_t c) { return c < limit; });
}

void write(Rewriter& line, const icu::UnicodeString& text, Span origin) {
  for (std::int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1))
    line.write(static_cast<char32_t>(text.char32At(i)), origin);
}

using GetNormalizer = const icu::Normalizer2*(UErrorCode& status);

const icu::Normalizer2& load(GetNormalizer* get) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* normalizer = get(status);
  check<InternalError>(U_SUCCESS(status), "ICU has no normalization data: {}", u_errorName(status));
  return *normalizer;
}

// Composes one stretch between two normalization boundaries.
void compose_stretch(Rewriter& line, const MappedText& text, std::size_t from, std::size_t to,
                     const icu::Normalizer2& normalizer) {
  icu::UnicodeString before;
  for (std::size_t i = from; i < to; ++i) before.append(static_cast<UChar32>(text[i]));
  UErrorCode status = U_ZERO_ERROR;
  const icu::UnicodeString after = normalizer.normalize(before, status);
  if (U_FAILURE(status) || after == before) {
    for (std::size_t i = from; i < to; ++i) line.copy(i);
  } else {
    write(line, after, text.cover(from, to));
  }
}

// `quick_check` is the property that says whether a single character is already normalized; only characters that are
// not, or that may combine with the next one, take ICU's slower path.
void compose(MappedText& text, GetNormalizer* get, char32_t first_affected, UProperty quick_check) {
  if (all_below(text, first_affected)) return;
  const icu::Normalizer2& normalizer = load(get);
  // ICU sorts the marks of a stretch by insertion; a cap keeps the time linear for a line of nothing but marks.
  // Unicode's stream-safe format allows 30 marks in a row, which no writing system comes near.
  constexpr std::size_t kLongestStretch = 64;
  Rewriter line(text);
  line.rewrite([&](std::size_t from) {
    std::size_t to = from + 1;
    while (to < text.size() && to - from < kLongestStretch && text[to] >= first_affected &&
           !normalizer.hasBoundaryBefore(static_cast<UChar32>(text[to])))
      ++to;
    if (to == from + 1 && (text[from] < first_affected ||
                           u_getIntPropertyValue(static_cast<UChar32>(text[from]), quick_check) == UNORM_YES))
      return line.copy(from);
    compose_stretch(line, text, from, to, normalizer);
    return to - from;
  });
}

void to_nfc(MappedText& text, std::string_view) {
  compose(text, icu::Normalizer2::getNFCInstance, 0x300, UCHAR_NFC_QUICK_CHECK);
}

void to_nfkc(MappedText& text, std::string_view) {
  compose(text, icu::Normalizer2::getNFKCInstance, 0xA0, UCHAR_NFKC_QUICK_CHECK);
}

// Unicode's Final_Sigma: a cased letter precedes the sigma and none follows, not counting case-ignorable characters
// in between. Each stretch of ignorable characters is crossed at most twice, so this stays linear.
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

void to_casefold(MappedText& text, std::string_view) {
  Rewriter line(text);
  line.rewrite([&](std::size_t i) -> std::size_t {
    if (text[i] < 0x80)
      line.write(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i], text.origin(i));
    else
      write(line, icu::UnicodeString(static_cast<UChar32>(text[i])).foldCase(), text.origin(i));
    return 1;
  });
}

void strip_accents(MappedText& text, std::string_view) {
  constexpr char32_t kFirstAccented = 0xC0;
  if (all_below(text, kFirstAccented)) return;
  const icu::Normalizer2& normalizer = load(icu::Normalizer2::getNFDInstance);
  const CharacterClasses& classes = CharacterClasses::get();
  Rewriter line(text);
  const auto write_base = [&](char32_t c, std::size_t i) {
    if (!classes.is(c, kNonspacing)) line.write(c, text.origin(i));
  };
  icu::UnicodeString parts;
  line.rewrite([&](std::size_t i) -> std::size_t {
    if (text[i] >= kFirstAccented && normalizer.getDecomposition(static_cast<UChar32>(text[i]), parts)) {
      for (std::int32_t k = 0; k < parts.length(); k = parts.moveIndex32(k, 1))
        write_base(static_cast<char32_t>(parts.char32At(k)), i);
    } else {
      write_base(text[i], i);
    }
    return 1;
  });
}

void separate_punctuation(MappedText& text, std::string_view) {
  Rewriter line(text);
  line.rewrite([&](std::size_t i) {
    if (text[i] == '.' || text[i] == '!' || text[i] == '?') line.write(' ', text.origin(i));
    return line.copy(i);
  });
}

// Every run of characters that satisfy `test` becomes one space.
template <class Test>
void runs_to_space(MappedText& text, Test test) {
  Rewriter line(text);
  line.rewrite([&](std::size_t i) {
    std::size_t end = i;
    while (end < text.size() && test(text[end])) ++end;
    if (end == i) return line.copy(i);
    line.write(' ', text.cover(i, end));
    return end - i;
  });
}

void letters_only(MappedText& text, std::string_view) {
  runs_to_space(text, [](char32_t c) { return !is_ascii_letter(c) && c != '.' && c != '!' && c != '?'; });
}

void collapse_whitespace(MappedText& text, std::string_view) {
  runs_to_space(text, [&classes = CharacterClasses::get()](char32_t c) { return classes.is(c, kSpace); });
}

void trim_whitespace(MappedText& text, std::string_view) {
  const CharacterClasses& classes = CharacterClasses::get();
  std::size_t from = 0, to = text.size();
  while (from < to && classes.is(text[from], kSpace)) ++from;
  while (to > from && classes.is(text[to - 1], kSpace)) --to;
  text.keep(from, to);
}

constexpr NormalizationStep kSteps[] = {
    {"nfc", to_nfc, "compose characters (Unicode NFC)"},
    {"nfkc", to_nfkc, "compose and fold compatibility characters (Unicode NFKC)"},
    {"lowercase", to_lowercase, "lower case, independent of language"},
    {"casefold", to_casefold, "full case folding: also ß to ss"},
    {"strip-accents", strip_accents, "decompose (Unicode NFD) and drop the accents"},
    {"separate-punctuation", separate_punctuation, "put a space before each of . ! ?"},
    {"letters-only", letters_only, "replace every run outside a-z A-Z . ! ? by one space"},
    {"collapse-whitespace", collapse_whitespace, "replace every run of white space by one space"},
    {"trim", trim_whitespace, "remove white space at both ends"},
    {"punctuation", normalize_punctuation, "quotes, dashes and spacing as in Moses' normalize-punctuation"},
};

}  // namespace

std::vector<std::string> normalization_steps() {
  return row_names(kSteps);
}

std::vector<std::string> normalization_lines() {
  return row_lines(kSteps);
}

Normalizer::Normalizer(std::span<const std::string> steps, std::string_view language) : language_(language) {
  for (const std::string& name : steps) steps_.push_back(&find_row(kSteps, name, "there is no normalization step"));
}

void Normalizer::apply(MappedText& text) const {
  for (const auto* step : steps_) step->apply(text, language_);
}

std::string Normalizer::apply(std::string_view utf8) const {
  MappedText text(utf8);
  apply(text);
  return text.utf8();
}

void to_lowercase(MappedText& text, std::string_view) {
  constexpr char32_t kCapitalSigma = 0x3A3, kFinalSigma = 0x3C2, kDottedCapitalI = 0x130, kDotAbove = 0x307;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    if (c < 0x80) {
      if (c >= 'A' && c <= 'Z') text.set(i, c | 0x20);
    } else if (c == kCapitalSigma) {
      // The letters before it are already in lower case, which does not change their properties Cased and
      // Case_Ignorable.
      text.set(i, is_final_sigma(text, i) ? kFinalSigma : U'σ');
    } else if (c != kDottedCapitalI) {
      text.set(i, static_cast<char32_t>(u_tolower(static_cast<UChar32>(c))));
    }
  }
  if (text.text().find(kDottedCapitalI) == std::u32string::npos) return;
  // The only character whose lower case is two characters.
  Rewriter line(text);
  line.rewrite([&](std::size_t i) -> std::size_t {
    if (text[i] != kDottedCapitalI) return line.copy(i);
    line.write('i', text.origin(i));
    line.write(kDotAbove, text.origin(i));
    return 1;
  });
}

}  // namespace heed::text
