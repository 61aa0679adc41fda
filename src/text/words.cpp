#include "text/words.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/utf8.h"
#include "text/abbreviations.h"
#include "text/languages.h"
#include "text/rewriter.h"

namespace heed::text {

namespace {

constexpr LanguageRules kLanguages[] = {
    {"ca", ApostropheRule::with_left, U'·'}, {"en", ApostropheRule::with_right},
    {"fi", ApostropheRule::separate, U':'},  {"fr", ApostropheRule::with_left},
    {"ga", ApostropheRule::with_left},       {"it", ApostropheRule::with_left},
    {"so", ApostropheRule::inside},          {"sv", ApostropheRule::separate, U':'},
    {"tdt", ApostropheRule::inside, U'\''},
};
constexpr LanguageRules kGeneral = {};

// Stands for a full stop in a run of two or more, which becomes one token. It is not a code point, so no text contains
// it.
constexpr char32_t kRunDot = 0x110000;

// Puts spaces between tokens.
class Splitter : public Rewriter {
 public:
  Splitter(MappedText& line, const LanguageRules& rules) : Rewriter(line), rules_(rules) {}

  void clean();
  void separate_symbols(bool split_hyphens);
  void separate_commas();
  void separate_apostrophes();

 private:
  void space(std::size_t i) { write(' ', text_.origin(i)); }
  std::size_t isolate(std::size_t i) {
    space(i);
    copy(i);
    space(i);
    return 1;
  }
  bool is(std::size_t i, unsigned classes) const { return i < text_.size() && classes_.is(text_[i], classes); }
  std::size_t symbol(std::size_t i, bool split_hyphens);
  std::size_t full_stops(std::size_t i);
  template <class Before, class After>
  void apostrophes(Before before, After after, bool space_before, bool space_after);

  const LanguageRules& rules_;
  const CharacterClasses& classes_ = CharacterClasses::get();
};

// Drops control characters, collapses white space to single spaces, and trims both ends.
void Splitter::clean() {
  bool at_start = true, pending = false;
  rewrite([&](std::size_t i) -> std::size_t {
    if (is(i, kSpace)) {
      pending = !at_start;
    } else if (text_[i] >= 0x20) {
      if (pending) space(i);
      pending = at_start = false;
      copy(i);
    }
    return 1;
  });
}

// Every character other than letters, digits, full stops, commas, hyphens and quotes becomes a token.
void Splitter::separate_symbols(bool split_hyphens) {
  rewrite([&](std::size_t i) -> std::size_t {
    if (classes_.is(text_[i], kAlphabetic | kDecimal) || text_[i] == ' ') return copy(i);
    return symbol(i, split_hyphens);
  });
}

std::size_t Splitter::symbol(std::size_t i, bool split_hyphens) {
  const char32_t c = text_[i];
  // The Catalan dot always stays inside words: Moses intends to split it off unless a lower-case letter follows, but
  // does not.
  if (c == rules_.word_character) return c == U'·' || is(i + 1, kLowerLetter) ? copy(i) : isolate(i);
  switch (c) {
    case '.':
      return full_stops(i);
    case '\'':
    case '`':
    case ',':
      return copy(i);
    case '-':
      if (split_hyphens && i > 0 && is(i - 1, kAlphabetic | kDecimal) && is(i + 1, kAlphabetic | kDecimal)) {
        for (const char32_t added : std::u32string_view(U" @-@ ")) write(added, text_.origin(i));
        return 1;
      }
      return copy(i);
    default:
      return isolate(i);
  }
}

std::size_t Splitter::full_stops(std::size_t i) {
  std::size_t end = i + 1;
  while (at(end, '.')) ++end;
  if (end == i + 1) return copy(i);
  space(i);
  for (std::size_t k = i; k < end; ++k) write(kRunDot, text_.origin(k));
  space(i);
  return end - i;
}

// A comma is a token unless it stands between two numbers.
void Splitter::separate_commas() {
  if (text_.text().find(U',') == std::u32string::npos) return;
  rewrite([&](std::size_t i) -> std::size_t {
    if (is(i, kNumber) || !at(i + 1, ',')) return copy(i);
    copy(i);
    isolate(i + 1);
    return 2;
  });
  rewrite([&](std::size_t i) -> std::size_t {
    if (text_[i] != ',' || i + 1 >= text_.size() || is(i + 1, kNumber)) return copy(i);
    isolate(i);
    copy(i + 1);
    return 2;
  });
  const std::size_t last = text_.size() - 1;
  if (last > 0 && text_[last] == ',' && is(last - 1, kNumber))
    rewrite([&](std::size_t i) { return i == last ? isolate(i) : copy(i); });
}

template <class Before, class After>
void Splitter::apostrophes(Before before, After after, bool space_before, bool space_after) {
  rewrite([&](std::size_t i) -> std::size_t {
    if (!at(i + 1, '\'') || i + 2 >= text_.size() || !before(text_[i]) || !after(text_[i + 2])) return copy(i);
    copy(i);
    if (space_before) space(i + 1);
    copy(i + 1);
    if (space_after) space(i + 1);
    copy(i + 2);
    return 3;
  });
}

// An apostrophe at the start or end of the line has only one neighbor and stays unchanged.
void Splitter::separate_apostrophes() {
  if (text_.text().find(U'\'') == std::u32string::npos) return;
  if (rules_.apostrophe == ApostropheRule::separate) {
    rewrite([&](std::size_t i) { return text_[i] == '\'' ? isolate(i) : copy(i); });
    return;
  }
  const auto alpha = [&](char32_t c) { return classes_.is(c, kAlphabetic); };
  const auto other = [&](char32_t c) { return !classes_.is(c, kAlphabetic); };
  const auto number = [&](char32_t c) { return classes_.is(c, kNumber); };
  const auto is_s = [](char32_t c) { return c == 's'; };
  const bool english = rules_.apostrophe == ApostropheRule::with_right;
  const auto before_word = [&](char32_t c) { return other(c) && !(english && number(c)); };
  apostrophes(other, other, true, true);
  apostrophes(before_word, alpha, true, true);
  apostrophes(alpha, other, true, true);
  if (english) {
    apostrophes(alpha, alpha, true, false);
    apostrophes(number, is_s, true, false);  // the 1990's
  } else if (rules_.apostrophe == ApostropheRule::with_left) {
    apostrophes(alpha, alpha, false, true);
  }
}

// Cuts the spaced line into words; a full stop that ends a sentence becomes a token of its own.
class WordCutter {
 public:
  WordCutter(const MappedText& text, std::string_view language) : text_(text), language_(language) {}

  std::vector<Token> cut() {
    for (std::size_t i = skip_spaces(0); i < text_.size();) {
      const std::size_t end = std::min(text_.text().find(U' ', i), text_.size());
      const std::size_t next = skip_spaces(end);
      word(i, end, next);
      i = next;
    }
    return std::move(tokens_);
  }

 private:
  std::size_t skip_spaces(std::size_t i) const {
    return std::min(text_.text().find_first_not_of(U' ', i), text_.size());
  }

  void word(std::size_t from, std::size_t to, std::size_t next) {
    if (text_[from] == kRunDot) {
      tokens_.push_back({std::string(to - from, '.'), text_.cover(from, to)});
      return;
    }
    const bool last = next == text_.size();
    // At the end of a line .' is two tokens.
    const bool quoted_stop = last && to - from >= 2 && text_[to - 1] == '\'' && text_[to - 2] == '.';
    const std::size_t end = quoted_stop ? to - 1 : to;
    const bool stop = quoted_stop || (end - from >= 2 && text_[end - 1] == '.' && ends_sentence(from, end - 1, next));
    const std::size_t body = stop ? end - 1 : end;
    if (body > from) tokens_.push_back(make_token(text_, from, body));
    if (stop) tokens_.push_back(make_token(text_, body, end));
    if (quoted_stop) tokens_.push_back(make_token(text_, end, to));
  }

  // Whether the full stop after the word [from, to) is a token; the next word starts at `next`.
  bool ends_sentence(std::size_t from, std::size_t to, std::size_t next) const {
    const bool has_next = next < text_.size();
    if (has_next && classes_.is(text_[next], kLowercase)) return false;
    bool dot = false, alpha = false;
    for (std::size_t i = from; i < to; ++i) {
      dot |= text_[i] == '.';
      alpha |= classes_.is(text_[i], kAlphabetic);
    }
    if (dot && alpha) return false;
    const auto kind =
        find_abbreviation(language_, encode_utf8(std::u32string_view(text_.text()).substr(from, to - from)));
    if (kind == AbbreviationKind::before_number) return !(has_next && is_ascii_digit(text_[next]));
    return kind == AbbreviationKind::none;
  }

  const MappedText& text_;
  std::string_view language_;
  const CharacterClasses& classes_ = CharacterClasses::get();
  std::vector<Token> tokens_;
};

}  // namespace

const LanguageRules& language_rules(std::string_view language) {
  const auto* found = std::ranges::find(kLanguages, language, &LanguageRules::language);
  return found == std::end(kLanguages) ? kGeneral : *found;
}

namespace {

std::vector<std::string_view> languages_with_rules() {
  std::vector<std::string_view> languages = abbreviation_languages();
  for (const LanguageRules& rules : kLanguages) languages.push_back(rules.language);
  std::ranges::sort(languages);
  languages.erase(std::unique(languages.begin(), languages.end()), languages.end());
  return languages;
}

}  // namespace

bool has_word_rules(std::string_view language) {
  const auto languages = languages_with_rules();
  return std::ranges::find(languages, language) != languages.end();
}

std::string word_rule_languages() {
  return fmt::format("{}", fmt::join(languages_with_rules(), ", "));
}

std::string missing_word_rules(std::string_view language) {
  if (language.empty() || has_word_rules(language)) return "";
  const std::string code = language_key(language);
  return fmt::format("there are no rules for the language {}, so the general ones apply{} (there are rules for {})",
                     in_quotes(language), !has_word_rules(code) ? "" : fmt::format("; did you mean '{}'?", code),
                     word_rule_languages());
}

WordTokenizer::WordTokenizer(const TokenizerOptions& options)
    : Tokenizer(options),
      language_(options.language),
      rules_(language_rules(options.language)),
      split_hyphens_(options.split_hyphens) {}

std::vector<Token> WordTokenizer::split(const MappedText& line) const {
  MappedText spaced = line;
  Splitter splitter(spaced, rules_);
  splitter.clean();
  splitter.separate_symbols(split_hyphens_);
  splitter.separate_commas();
  splitter.separate_apostrophes();
  return WordCutter(spaced, language_).cut();
}

}  // namespace heed::text
