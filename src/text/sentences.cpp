#include "text/sentences.h"

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"
#include "text/abbreviations.h"
#include "text/unicode.h"

namespace heed::text {
namespace {

// Whether a sentence may end before the end of the text; if not, there is no need to call ICU.
bool may_have_ends(std::string_view text) {
  // All other marks that end sentences, and line separators, start with a high byte.
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' || c == '!' || c == '?' || c == '\n' || c == '\r' || static_cast<signed char>(c) < 0) return true;
  }
  return false;
}

char32_t first_character(std::string_view text) {
  return decode_utf8(text.substr(0, std::max<std::size_t>(utf8_sequence_length(text), 1)))[0];
}
std::size_t last_character_at(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

ByteRange trimmed(std::string_view text, ByteRange range) {
  const CharacterClasses& classes = CharacterClasses::get();
  while (range.from < range.to && classes.is(first_character(range.of(text)), kSpace))
    range.from += std::max<std::size_t>(utf8_sequence_length(range.of(text)), 1);
  while (range.from < range.to) {
    const std::size_t last = range.from + last_character_at(range.of(text));
    if (!classes.is(first_character(text.substr(last)), kSpace)) break;
    range.to = last;
  }
  return range;
}

// The last word of a text, up to white space or an opening bracket or quote.
std::string_view last_word(std::string_view text) {
  const CharacterClasses& classes = CharacterClasses::get();
  std::size_t from = text.size();
  while (from > 0) {
    const std::size_t at = last_character_at(text.substr(0, from));
    const char32_t c = first_character(text.substr(at));
    if (classes.is(c, kSpace) || u_charType(static_cast<UChar32>(c)) == U_START_PUNCTUATION || c == '"' || c == '\'')
      break;
    from = at;
  }
  return text.substr(from);
}
// Up to the first full stop or white space, including the full stop.
std::string_view first_word(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of(". \t\n"), text.size());
  return text.substr(0, end + (end < text.size() && text[end] == '.' ? 1 : 0));
}

bool is_upper(char32_t c) {
  return u_isupper(static_cast<UChar32>(c)) != 0;
}
bool is_lower(char32_t c) {
  return u_islower(static_cast<UChar32>(c)) != 0;
}

bool is_number(std::string_view word) {
  return !word.empty() &&
         std::ranges::all_of(word, [](char c) { return is_ascii_digit(static_cast<unsigned char>(c)); });
}

// Abbreviations that may end a sentence: if a capital follows, they do.
constexpr std::string_view kFinalAbbreviations[] = {"etc", "usw", "usf", "ecc", "atd",
                                                    "itd", "itp", "enz", "osv", "m.m"};

// z.B, e.g, p.ej
bool is_dotted(std::string_view word) {
  std::size_t letters = 0, dots = 0;
  for (const char c : word) {
    if (c == '.')
      letters = 0, ++dots;
    else if (!is_ascii_letter(static_cast<unsigned char>(c)) || ++letters > 2)
      return false;
  }
  return dots > 0;
}

// Whether the full stop after a word belongs to the word; `next` is the first character that follows.
bool is_abbreviation(std::string_view language, std::string_view word, char32_t next) {
  if (std::ranges::find(kFinalAbbreviations, word) != std::end(kFinalAbbreviations)) return !is_upper(next);
  if (is_dotted(word) && is_lower(first_character(word))) return true;
  const AbbreviationKind kind = find_abbreviation(language, word);
  return kind == AbbreviationKind::always || (kind == AbbreviationKind::before_number && digit_value(next) >= 0);
}

// Long lower-case abbreviations of several languages.
constexpr std::string_view kLongAbbreviations[] = {"approx", "aprox",   "assoc",  "betr",       "bspw",   "chap",
                                                   "circa",  "colloq",  "compar", "cresc",      "depto",  "einschl",
                                                   "entspr", "environ", "exkl",   "gegebenenf", "insbes", "jahrh",
                                                   "maxim",  "minim",   "prelim", "ungef",      "univ",   "versch"};

// Whether a word with its full stop ends a sentence even if a lower-case letter or a digit follows: a long lower-case
// word that is not an abbreviation.
bool ends_clearly(std::string_view language, std::string_view word) {
  if (!word.ends_with('.')) return false;
  word.remove_suffix(1);
  const std::u32string letters = decode_utf8(word);
  return letters.size() >= 5 && std::ranges::all_of(letters, is_lower) &&
         find_abbreviation(language, word) == AbbreviationKind::none &&
         std::ranges::find(kLongAbbreviations, word) == std::end(kLongAbbreviations);
}

// Short lower-case abbreviations of several languages that a number or a name may follow.
constexpr std::string_view kShortAbbreviations =
    " no nos nr num art pp ca fig figs sec secs tel ext max min eq eqs ch cap chap ver vers vol vols par para abs app "
    "approx est ed eds cf viz vs resp incl excl inkl exkl zzgl abzgl ref refs tab abb str pos pkt kap anh bd geb gest "
    "jan feb mar apr jun jul aug sep sept oct okt nov dec dez mon tue tues wed thu thur thurs fri sat sun dept bldg "
    "apt "
    "ste rm fl av ave blvd rd prof dr ing inc ltd corp lit op cit pag núm pág tél env suppl etc ";

// Whether the sentence that ends with this word and a full stop ends before a number, a placeholder or an address,
// which may as well be the end of an abbreviation: "fig. 3", "Mr. {name}".
bool ends_before_value(std::string_view language, std::string_view sentence) {
  const std::string_view word = last_word(sentence), stem = word.substr(0, word.size() - 1);
  if (stem.empty() || word.size() == sentence.size()) return false;
  if (is_number(stem)) return stem.size() > 2;
  const std::u32string letters = decode_utf8(stem);
  const auto is_letter = [](char32_t c) { return is_lower(c) || c == '\'' || c == U'’' || c == '-'; };
  std::u32string folded = letters;
  folded[0] = static_cast<char32_t>(u_tolower(static_cast<UChar32>(folded[0])));
  if (folded.size() < 2 || !std::ranges::all_of(folded, is_letter)) return false;
  if (is_upper(letters[0]) && letters.size() < 5) return false;
  const std::string lower = encode_utf8(folded);
  const auto is_known = [&](std::string_view name) {
    return find_abbreviation(language, name) != AbbreviationKind::none ||
           std::ranges::find(kLongAbbreviations, name) != std::end(kLongAbbreviations);
  };
  return !is_known(stem) && !is_known(lower) && kShortAbbreviations.find(" " + lower + " ") == std::string_view::npos;
}

// What a sentence starts with, behind quotes, opening brackets and tags.
std::string_view visible_start(std::string_view text) {
  constexpr std::size_t kLongestTag = 500;  // so that this takes linear time
  while (!text.empty()) {
    const char32_t c = first_character(text);
    const auto type = u_charType(static_cast<UChar32>(c));
    const bool is_brace = c == '{';
    if (c == '<') {
      const std::size_t end = text.substr(0, kLongestTag).find_first_of("<>", 1);
      if (end == text.npos || text[end] != '>') return text;
      text.remove_prefix(end + 1);
    } else if (!is_brace &&
               (type == U_START_PUNCTUATION || type == U_INITIAL_PUNCTUATION || c == '"' || c == '\'' || c == '*')) {
      text.remove_prefix(utf8_sequence_length(text));
    } else {
      return text;
    }
  }
  return text;
}

// Whether a text starts with a number, a placeholder, code or an address: text/protected_spans.h finds them exactly.
bool starts_with_value(std::string_view text) {
  text = visible_start(text);
  if (text.empty()) return false;
  const char32_t first = first_character(text), second = text.size() > 1 ? first_character(text.substr(1)) : U' ';
  const auto type = u_charType(static_cast<UChar32>(first));
  if (digit_value(first) >= 0) return true;
  if (type == U_CURRENCY_SYMBOL || first == '+' || first == '-')
    return digit_value(second) >= 0 || (first == '$' && (second == '{' || second == '('));
  if (first == '%' || first == '#')
    return second == '{' || (first == '%' && (second == '(' || is_ascii_letter(second) || digit_value(second) >= 0));
  if (first == '{' || first == '`') return second != ' ';
  return text.starts_with("http://") || text.starts_with("https://") || text.starts_with("ftp://") ||
         text.starts_with("www.") || text.starts_with("mailto:");
}

// Languages that write ordinal numbers with a full stop.
constexpr std::string_view kOrdinalLanguages[] = {"bs", "cs", "da", "de", "et", "fi", "fo", "hr", "hu",
                                                  "is", "lv", "nb", "nn", "no", "sk", "sl", "sr", "tr"};

// A line end between two sentences always separates them.
bool is_line_end(std::string_view between) {
  return between.find_first_of("\n\r") != std::string_view::npos || between.find("\u2029") != std::string_view::npos;
}

// Words of one or two letters that end in a full stop: the parts of "z. B.", "EE. UU.", "J. R. R.".
bool is_short_abbreviation(std::string_view word) {
  return word.ends_with('.') && utf8_length(word) <= 3 && word.size() > 1 &&
         u_isalpha(static_cast<UChar32>(first_character(word))) != 0;
}

}  // namespace

struct SentenceSplitter::Rules {
  explicit Rules(const std::string& language) {
    UErrorCode status = U_ZERO_ERROR;
    iterator = ubrk_open(UBRK_SENTENCE, language.c_str(), nullptr, 0, &status);
    check<InternalError>(U_SUCCESS(status), "ICU has no sentence rules: {}", u_errorName(status));
  }
  ~Rules() {
    utext_close(text);
    ubrk_close(iterator);
  }
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;

  void set_text(std::string_view utf8) {
    UErrorCode status = U_ZERO_ERROR;
    text = utext_openUTF8(text, utf8.data(), static_cast<std::int64_t>(utf8.size()), &status);
    ubrk_setUText(iterator, text, &status);
    check<InternalError>(U_SUCCESS(status), "ICU cannot read a text: {}", u_errorName(status));
  }

  UBreakIterator* iterator = nullptr;
  UText* text = nullptr;
};

SentenceSplitter::SentenceSplitter(std::string_view language) : language_(language) {}
SentenceSplitter::~SentenceSplitter() = default;
SentenceSplitter::SentenceSplitter(SentenceSplitter&&) noexcept = default;
SentenceSplitter& SentenceSplitter::operator=(SentenceSplitter&&) noexcept = default;

// Whether a sentence ends between two texts that meet at a candidate. Neither has white space at its ends.
bool SentenceSplitter::is_end(std::string_view before, std::string_view after) const {
  const char32_t next = first_character(after);
  if (starts_with_value(after)) return !before.ends_with('.') || ends_before_value(language_, before);
  if (is_lower(next)) return ends_clearly(language_, last_word(before));
  // A sentence does not start with a closing mark, a dash or a full stop.
  if (next == '.' || next == ',' || next == ';' || next == ':') return false;
  switch (u_charType(static_cast<UChar32>(next))) {
    case U_END_PUNCTUATION:
    case U_FINAL_PUNCTUATION:
    case U_DASH_PUNCTUATION:
      return false;
    default:
      break;
  }
  if (!before.ends_with('.')) return true;
  const std::string_view word = last_word(before);
  const std::string_view stem = word.substr(0, word.size() - 1);
  if (stem.find_first_not_of('.') == std::string_view::npos) return is_upper(next);  // dots on their own
  if (is_number(stem)) {
    const bool ordinal =
        stem.size() <= 2 && std::ranges::find(kOrdinalLanguages, language_) != std::end(kOrdinalLanguages);
    return !ordinal;
  }
  if (is_short_abbreviation(word) && is_short_abbreviation(first_word(after))) return false;
  if (utf8_length(stem) > 1 || u_isalpha(static_cast<UChar32>(first_character(stem))) == 0)
    return !is_abbreviation(language_, stem, next);
  // A single letter is an initial after a name or another initial; in "this follows from B." it is not.
  const std::string_view rest = before.substr(0, before.size() - word.size());
  const ByteRange previous = trimmed(rest, {0, rest.size()});
  if (previous.from == previous.to) return false;
  const std::string_view name = last_word(previous.of(rest));
  return !name.empty() && !is_upper(first_character(name)) && !name.ends_with('.');
}

// Where a sentence may end: the boundaries that ICU finds, and a full stop and a space before a lower-case letter or
// what stands for one in a sentence, such as a number or a placeholder, which ICU does not take for a boundary.
std::vector<std::size_t> SentenceSplitter::candidates(std::string_view text) {
  if (!rules_) rules_ = std::make_unique<Rules>(language_);
  rules_->set_text(text);
  std::vector<std::size_t> found;
  for (std::int32_t end = ubrk_first(rules_->iterator); (end = ubrk_next(rules_->iterator)) != UBRK_DONE;)
    found.push_back(static_cast<std::size_t>(end));
  const std::size_t by_icu = found.size();
  for (std::size_t at = 0; (at = text.find(". ", at)) != std::string_view::npos; ++at) {
    const std::size_t next = at + 2;
    if (next >= text.size()) break;
    const std::string_view rest = text.substr(next);
    if (rest[0] == '<' || starts_with_value(rest) ||
        (is_lower(first_character(rest)) && ends_clearly(language_, last_word(text.substr(0, at + 1)))))
      found.push_back(next);
  }
  std::ranges::inplace_merge(found, found.begin() + static_cast<std::ptrdiff_t>(by_icu));
  return found;
}

std::vector<ByteRange> SentenceSplitter::split(std::string_view text) {
  std::vector<ByteRange> sentences;
  const ByteRange whole = trimmed(text, {0, text.size()});
  if (whole.from == whole.to) return sentences;
  if (!may_have_ends(whole.of(text))) return {whole};
  std::size_t from = whole.from;
  for (const std::size_t to : candidates(text)) {
    const ByteRange sentence = trimmed(text, {from, std::max(from, to)});
    if (sentence.from == sentence.to) continue;
    const ByteRange rest = trimmed(text, {to, whole.to});
    if (rest.from < rest.to) {
      const std::string_view between = text.substr(sentence.to, rest.from - sentence.to);
      // Without white space after it, only a mark of a language written without spaces ends a sentence.
      if (between.empty() && static_cast<signed char>(text[sentence.to - 1]) >= 0) continue;
      if (!is_line_end(between) && !is_end(sentence.of(text), rest.of(text))) continue;
    }
    sentences.push_back(sentence);
    from = to;
  }
  return sentences;
}

}  // namespace heed::text
