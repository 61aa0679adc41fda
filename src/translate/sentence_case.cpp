#include "translate/sentence_case.h"

#include <algorithm>
#include <tuple>

#include "base/utf8.h"
#include "text/letter_case.h"
#include "text/protected_spans.h"
#include "text/unicode.h"

namespace heed::translate {
namespace {

constexpr std::size_t kLongWord = 4;      // letters; shorter words of a headline may be in lower case
constexpr std::size_t kLongestWord = 64;  // longer words are not looked up in the vocabulary

// Calls `use` with each word [from, to): letters, combining marks, and apostrophes between them.
template <class Use>
void for_each_word(std::u32string_view line, Use use) {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  const auto is_part = [&](std::size_t i) {
    return i < line.size() && classes.is(line[i], text::kLetter | text::kNonspacing);
  };
  for (std::size_t from = 0; from < line.size();) {
    std::size_t to = from;
    while (is_part(to) || (to > from && (line[to] == '\'' || line[to] == U'’') && is_part(to + 1))) {
      ++to;
      if (to == line.size()) break;
    }
    if (to > from) use(from, to);
    from = std::max(to, from + 1);
  }
}

struct Letters {
  std::size_t all = 0, upper = 0;          // letters with case
  std::size_t words = 0;                   // words with such letters
  std::size_t long_words = 0, titled = 0;  // long words; those of them that are in title case
  std::size_t capitals = 0;                // words of any length that begin with a capital
  bool only_small = true;                  // all words in lower case are small words
};

// Articles, prepositions and conjunctions, which may be in lower case in a headline.
constexpr std::u32string_view kSmallWords =
    U" a an the of in on at to for and or but nor by with from as vs via de la le les des du et en el los las y del "
    U"di il da e o no na ";

bool is_small_word(std::u32string_view word) {
  return kSmallWords.find(U" " + std::u32string(word) + U" ") != kSmallWords.npos;
}

Letters count_letters(std::u32string_view line) {
  Letters count;
  for_each_word(line, [&](std::size_t from, std::size_t to) {
    std::size_t upper = 0, lower = 0;
    for (std::size_t i = from; i < to; ++i) {
      if (text::is_lower_case(line[i]))
        ++lower;
      else if (text::is_upper_case(line[i]))
        ++upper;
    }
    count.all += upper + lower;
    count.upper += upper;
    if (upper + lower > 0) ++count.words;
    const bool is_capital = text::is_upper_case(line[from]);
    count.capitals += is_capital ? 1 : 0;
    if (lower > 0 && !is_capital && !is_small_word(line.substr(from, to - from))) count.only_small = false;
    if (upper + lower < kLongWord) return;
    ++count.long_words;
    if (lower > 0 && is_capital) ++count.titled;
  });
  return count;
}

bool is_long_title(const Letters& letters) {
  return letters.long_words >= 4 && letters.titled == letters.long_words;
}
// A few capitalized words may also be a name within a sentence, so the rules are stricter: only small words may be in
// lower case, and the line must not end like a sentence.
bool is_short_title(const Letters& letters, std::u32string_view line) {
  const std::size_t last = line.find_last_not_of(U" \t\"'”’»");
  return letters.words >= 3 && letters.capitals >= 2 && letters.only_small && letters.titled > 0 &&
         letters.titled == letters.long_words && last != line.npos && line[last] != '.' && line[last] != ',' &&
         line[last] != ';';
}

// The letter in lower case, or unchanged if that takes a different number of bytes.
char32_t lowered(char32_t c, std::string_view language) {
  const char32_t lower = text::to_lower_case(c, language);
  const auto bytes = [](char32_t x) { return x < 0x80 ? 1 : x < 0x800 ? 2 : x < 0x10000 ? 3 : 4; };
  return bytes(lower) == bytes(c) ? lower : c;
}

std::u32string lowered(std::u32string_view word, std::string_view language) {
  std::u32string lower(word);
  for (char32_t& c : lower) c = lowered(c, language);
  return lower;
}

// How unfamiliar a word is to the model: number of unknown tokens, number of tokens, id of the rarest token.
std::tuple<std::size_t, std::size_t, text::TokenId> unfamiliarity(const std::u32string& word,
                                                                  const TextPipeline& pipeline) {
  const text::Vocabulary& words = pipeline.source();
  std::size_t unknown = 0;
  text::TokenId rarest = 0;  // vocabularies are sorted by frequency
  const std::vector<text::Token> tokens = pipeline.source_tokenizer().tokenize(text::encode_utf8(word));
  for (const text::Token& token : tokens) {
    const text::TokenId id = words.id(token.text);
    if (id < 0 || id == words.special().unk) ++unknown;
    rarest = std::max(rarest, id);
  }
  return {unknown, tokens.size(), rarest};
}

bool is_known(const std::u32string& word, const TextPipeline& pipeline) {
  return std::get<0>(unfamiliarity(word, pipeline)) == 0;
}

struct WordContext {
  bool is_first;  // in the sentence
  bool is_name;   // it may be a name: it stays as it is if that is not less familiar to the model
};
// The form of a word that is most familiar to the model: see recase().
std::u32string familiar_form(std::u32string_view word, WordContext context, const TextPipeline& pipeline) {
  const bool is_first = context.is_first;
  const std::u32string lower = lowered(word, pipeline.config().source_language);
  std::u32string capital = lower;
  capital[0] = word[0];
  if (word.size() > kLongestWord || pipeline.config().tokenizer == "characters") return is_first ? capital : lower;
  std::u32string best = lower;
  auto least = unfamiliarity(lower, pipeline);
  if (const auto own = unfamiliarity(std::u32string(word), pipeline);
      context.is_name &&
      std::pair(std::get<0>(own), std::get<1>(own)) <= std::pair(std::get<0>(least), std::get<1>(least)))
    return std::u32string(word);
  for (const std::u32string& other : {capital, std::u32string(word)})
    if (const auto its = unfamiliarity(other, pipeline); its < least) best = other, least = its;
  // A word that the model does not know in any form is probably a name.
  if (std::get<0>(least) > 0) return capital;
  return is_first && best == lower && is_known(capital, pipeline) ? capital : best;
}

// The first word of a line, unless something else than punctuation comes before it or it is part of something longer,
// such as an address. Empty if there is none.
text::Span initial_word(std::u32string_view line) {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  const auto at = [&](std::size_t i) { return i < line.size() ? line[i] : U' '; };
  const auto is_letter = [&](std::size_t i) { return classes.is(at(i), text::kLetter | text::kNonspacing); };
  constexpr std::u32string_view kBefore = U" \"'([“‘„«¿¡", kAfter = U".,;:!?\"')]”’“»…";
  std::size_t from = 0;
  while (from < line.size() && kBefore.find(line[from]) != kBefore.npos) ++from;
  std::size_t to = from;
  while (is_letter(to)) ++to;
  std::size_t end = to;
  while (kAfter.find(at(end)) != kAfter.npos) ++end;
  if (!classes.is(at(end), text::kSpace)) return {};
  return {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)};
}

// A text after a change of case, which may turn one letter into several.
struct ChangedText {
  std::u32string text;
  std::vector<std::uint32_t> positions;  // of each old character, and of the end

  text::Span moved(const text::Span& span) const { return {positions[at(span.from)], positions[at(span.to)]}; }
  std::string part(const text::Span& span) const {
    return text::encode_utf8(std::u32string_view(text).substr(span.from, span.to - span.from));
  }

 private:
  std::size_t at(std::uint32_t i) const { return std::min<std::size_t>(i, positions.size() - 1); }
};

ChangedText change_case(const Translation& translation, SentenceCase letter_case, const std::string& language) {
  const std::u32string old_text = text::decode_utf8(translation.text);
  std::vector<bool> raised(old_text.size(), letter_case == SentenceCase::upper);
  if (letter_case == SentenceCase::title)
    for_each_word(old_text,
                  [&](std::size_t from, std::size_t to) { raised[from] = from == 0 || to - from >= kLongWord; });
  if (letter_case == SentenceCase::initial && !raised.empty()) raised[initial_word(old_text).from] = true;
  const auto keep = [&](const text::Span& span) {
    for (std::uint32_t i = span.from; i < span.to && i < raised.size(); ++i) raised[i] = false;
  };
  for (const KeptSpan& kept : translation.kept) keep(kept.target);
  for (const TermSpan& term : translation.terms) keep(term.target);
  ChangedText changed;
  for (std::size_t i = 0; i < old_text.size(); ++i) {
    changed.positions.push_back(static_cast<std::uint32_t>(changed.text.size()));
    if (raised[i])
      changed.text += text::to_upper_case(old_text[i], language);
    else
      changed.text += old_text[i];
  }
  changed.positions.push_back(static_cast<std::uint32_t>(changed.text.size()));
  return changed;
}

SentenceCase case_of(std::u32string line, std::string_view language) {
  Letters letters = count_letters(line);
  // True of most text. Otherwise, ignore protected spans, which may be in lower case.
  if (2 * letters.upper <= letters.all && 2 * letters.titled <= letters.long_words) return SentenceCase::normal;
  const std::vector<text::ProtectedSpan> spans = text::find_protected_spans(line);
  for (const text::ProtectedSpan& span : spans)
    std::fill(line.begin() + span.span.from, line.begin() + span.span.to, U' ');
  if (!spans.empty()) letters = count_letters(line);
  if (letters.upper == letters.all && letters.all >= kLongWord) return SentenceCase::upper;
  const bool is_title = is_long_title(letters) || is_short_title(letters, line);
  return is_title && !language.starts_with("de") ? SentenceCase::title : SentenceCase::normal;
}

void move_tokens(Translation& translation, const ChangedText& changed) {
  for (text::Token& token : translation.attention.target) token.span = changed.moved(token.span);
}

}  // namespace

SentenceCase find_case(std::string_view sentence, std::string_view language) {
  return case_of(text::decode_utf8(sentence), language);
}

SentenceCase find_case(std::string_view sentence, const TextPipeline& pipeline) {
  const text::TextConfig& config = pipeline.config();
  const std::u32string line = text::decode_utf8(sentence);
  const SentenceCase found = case_of(line, config.source_language);
  if (found != SentenceCase::normal || config.writes_lower_case() || config.has_subwords() ||
      config.tokenizer == "characters")
    return found;
  const text::Span span = initial_word(line);
  const std::u32string word = line.substr(span.from, span.to - span.from);
  if (word.empty() || word.size() > kLongestWord || !text::is_upper_case(word[0])) return found;
  const Letters letters = count_letters(word), all = count_letters(line);
  const bool is_capitals = letters.upper == letters.all && letters.all > 1;
  if (is_capitals && (letters.all < 3 || all.words > 1)) return found;
  if (is_known(word, pipeline) || !is_known(lowered(word, config.source_language), pipeline)) return found;
  return is_capitals ? SentenceCase::upper : SentenceCase::initial;
}

std::string recase(std::string_view sentence, SentenceCase letter_case, const TextPipeline& pipeline) {
  if (letter_case == SentenceCase::normal || pipeline.config().writes_lower_case()) return std::string(sentence);
  std::u32string line = text::decode_utf8(sentence);
  if (letter_case == SentenceCase::initial) {
    const text::Span word = initial_word(line);
    const std::u32string_view old(line.data() + word.from, word.to - word.from);
    return text::encode_utf8(line.replace(word.from, old.size(), lowered(old, pipeline.config().source_language)));
  }
  const std::vector<text::ProtectedSpan> spans = text::find_protected_spans(line);
  auto span = spans.begin();
  bool is_first = true;
  const bool is_name = letter_case == SentenceCase::title && !is_long_title(count_letters(line));
  for_each_word(std::u32string(line), [&](std::size_t from, std::size_t to) {
    while (span != spans.end() && span->span.to <= from) ++span;
    const bool is_protected = span != spans.end() && span->span.from < to;
    if (!is_protected) {
      const std::u32string form =
          familiar_form(std::u32string_view(line).substr(from, to - from), {is_first, is_name}, pipeline);
      std::ranges::copy(form, line.begin() + static_cast<std::ptrdiff_t>(from));
    }
    is_first = false;
  });
  return text::encode_utf8(line);
}

void restore_case(LineResult& result, SentenceCase letter_case, std::string_view sentence,
                  const TextPipeline& pipeline) {
  const std::string& language = pipeline.config().target_language;
  if (letter_case == SentenceCase::normal) return;
  const std::u32string source = text::decode_utf8(sentence);
  const bool changes = letter_case != SentenceCase::title || language.starts_with("en");
  for (std::size_t k = 0; k < result.translations.size() && changes; ++k) {
    Translation& translation = result.translations[k];
    const ChangedText changed = change_case(translation, letter_case, language);
    std::uint32_t done = 0;  // position in the old text, in characters
    std::size_t from = 0;    // the same in bytes
    for (LineResult& chunk : result.chunks) {
      Translation& part = chunk.translations[k];
      const std::size_t found = std::min(translation.text.find(part.text, from), translation.text.size());
      done += static_cast<std::uint32_t>(utf8_length(std::string_view(translation.text).substr(from, found - from)));
      const text::Span span{done, done + static_cast<std::uint32_t>(utf8_length(part.text))};
      from = std::min(found + part.text.size(), translation.text.size());
      done = span.to;
      part.text = changed.part(changed.moved(span));
      move_tokens(part, changed);
    }
    translation.text = text::encode_utf8(changed.text);
    move_tokens(translation, changed);
    for (KeptSpan& kept : translation.kept) kept.target = changed.moved(kept.target);
    for (TermSpan& term : translation.terms) term.target = changed.moved(term.target);
    if (k > 0) continue;
    for (Warning& warning : result.warnings) {
      if (is_about_source(warning.kind)) continue;
      warning.span = changed.moved(warning.span);
      warning.text = changed.part(warning.span);
    }
  }
  for (Warning& warning : result.warnings)
    if (is_about_source(warning.kind) && warning.span.to <= source.size())
      warning.text =
          text::encode_utf8(std::u32string_view(source).substr(warning.span.from, warning.span.to - warning.span.from));
}

}  // namespace heed::translate
