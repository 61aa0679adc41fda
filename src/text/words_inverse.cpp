// The inverse of `words`: where did spaces stand? Two words always had one between them, so only symbols are in
// question, and each symbol either leans on the word before it, on the one after it, on both, or stands free. Quotes
// open and close in turn. What cannot be known (a space before "...", say) is decided as text mostly has it.
#include <algorithm>
#include <map>

#include "text/words.h"

namespace heed::text {

namespace {

enum class Lean : std::uint8_t { free, left, right, both };

struct SymbolRule {
  std::string_view symbol;
  Lean lean;
};

constexpr SymbolRule kSymbols[] = {
    {",", Lean::left},  {".", Lean::left},  {"?", Lean::left},  {"!", Lean::left},  {":", Lean::left},
    {";", Lean::left},  {")", Lean::left},  {"]", Lean::left},  {"}", Lean::left},  {"…", Lean::left},
    {"%", Lean::left},  {"‰", Lean::left},  {"°", Lean::left},  {"²", Lean::left},  {"³", Lean::left},
    {"™", Lean::left},  {"®", Lean::left},  {"(", Lean::right}, {"[", Lean::right}, {"{", Lean::right},
    {"¿", Lean::right}, {"¡", Lean::right}, {"/", Lean::both},  {"_", Lean::both},  {"\\", Lean::both},
    {"@", Lean::both},  {"·", Lean::both},  {"‐", Lean::both},  {"‑", Lean::both},  {"@-@", Lean::both},
};

// Pairs that always open and close the same way, whatever the language; the other quotes depend on what is open.
bool is_quote(std::string_view token) {
  constexpr std::string_view kQuotes[] = {"\"", "'", "`", "„", "“", "”", "‚", "‘", "’", "«", "»", "‹", "›"};
  return std::ranges::find(kQuotes, token) != std::end(kQuotes);
}

bool is_cjk(char32_t c) {
  return (c >= 0x1100 && c <= 0x11FF) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xA840 && c <= 0xA87F) ||
         (c >= 0xAC00 && c <= 0xD7AF) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE4F) ||
         (c >= 0xFF00 && c <= 0xFFEF) || (c >= 0x20000 && c <= 0x2FFFF);
}

class Joiner {
 public:
  Joiner(std::span<const std::string> tokens, std::string_view language, const LanguageRules& rules)
      : tokens_(tokens), language_(language), rules_(rules), ends_(tokens.size()) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::u32string text = decode_utf8(tokens[i]);
      if (!text.empty()) ends_[i] = {text.front(), text.back(), text.size()};
      quotes_left_ += tokens[i] == "'";
    }
  }

  std::string join() {
    std::string line;
    bool glued = true;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Lean lean = lean_of(i);
      const bool leans_left = lean == Lean::left || lean == Lean::both;
      const bool between_cjk = i > 0 && is_cjk(ends_[i].first) && is_cjk(ends_[i - 1].last);
      if (!glued && !leans_left && !between_cjk) line += ' ';
      line += tokens_[i] == "@-@" ? "-" : tokens_[i];
      glued = lean == Lean::right || lean == Lean::both;
    }
    return line;
  }

 private:
  struct Ends {
    char32_t first = 0, last = 0;
    std::size_t size = 0;  // characters
  };

  bool is(char32_t c, unsigned classes) const { return classes_.is(c, classes); }
  bool word_before(std::size_t i) const { return i > 0 && is(ends_[i - 1].last, kAlphabetic | kNumber); }
  bool word_after(std::size_t i) const {
    return i + 1 < tokens_.size() && is(ends_[i + 1].first, kAlphabetic | kNumber);
  }
  bool digit_before(std::size_t i) const { return i > 0 && is(ends_[i - 1].last, kNumber); }
  bool digit_after(std::size_t i) const { return i + 1 < tokens_.size() && is(ends_[i + 1].first, kNumber); }

  Lean lean_of(std::size_t i);
  Lean lean_of_word(std::size_t i) const;
  Lean lean_of_symbol(std::size_t i) const;
  Lean lean_of_quote(std::size_t i);
  Lean lean_of_apostrophe(std::size_t i);
  Lean toggle(std::string_view kind);
  // Does the language write 5 % rather than 5%?
  bool spaced_percent() const {
    constexpr std::string_view kSpaced[] = {"de", "fr", "es", "cs", "sk", "sl", "fi", "sv", "da", "nb", "no", "ru"};
    return std::ranges::find(kSpaced, language_) != std::end(kSpaced);
  }
  bool joins_words(std::size_t i) const;
  bool starts_clipped_word(std::size_t i) const;

  std::span<const std::string> tokens_;
  std::string_view language_;
  const LanguageRules& rules_;
  std::vector<Ends> ends_;
  std::map<std::string_view, bool> open_;  // quotes by kind
  std::size_t quotes_left_ = 0;            // apostrophes from here on
  const CharacterClasses& classes_ = CharacterClasses::get();
};

Lean Joiner::lean_of(std::size_t i) {
  const std::string& token = tokens_[i];
  if (token == "'") return lean_of_apostrophe(i);
  if (is_quote(token)) return lean_of_quote(i);
  if (ends_[i].size > 1 && token != "@-@") return lean_of_word(i);
  return lean_of_symbol(i);
}

// Longer tokens lean only where an apostrophe or a hyphen at their edge says so.
Lean Joiner::lean_of_word(std::size_t i) const {
  const Ends& ends = ends_[i];
  if (tokens_[i].find_first_not_of('.') == std::string::npos) return Lean::left;  // ...
  if (rules_.apostrophe == ApostropheRule::with_right && ends.first == '\'' && word_before(i)) return Lean::left;
  if (rules_.apostrophe == ApostropheRule::with_left && ends.last == '\'' && word_after(i)) return Lean::right;
  // A hyphen never parts a word, so a word that starts or ends with one was cut there by the symbol next to it.
  const bool after_symbol = i > 0 && !word_before(i) && !is(ends_[i - 1].last, kSpace);
  if (ends.first == '-' && after_symbol) {
    constexpr std::string_view kClosers[] = {"\"", "“", "”", "'", "’", "»", "‘", ")", "]", "&", "%"};
    if (std::ranges::find(kClosers, tokens_[i - 1]) != std::end(kClosers)) return Lean::left;
  }
  if (ends.last == '-' && i + 1 < tokens_.size()) {
    constexpr std::string_view kOpeners[] = {"\"", "„", "“", "«", "'", "("};
    if (std::ranges::find(kOpeners, tokens_[i + 1]) != std::end(kOpeners)) return Lean::right;
  }
  return Lean::free;
}

Lean Joiner::lean_of_symbol(std::size_t i) const {
  const std::string& token = tokens_[i];
  const char32_t c = ends_[i].first;
  const bool both_digits = digit_before(i) && digit_after(i);
  if (token == ":" && both_digits) return Lean::both;  // 10:30
  if (language_ == "fr" && (token == "?" || token == "!" || token == ":" || token == ";")) return Lean::free;
  if (token == "–" || token == "—") return both_digits ? Lean::both : Lean::free;
  if (token == "#") return word_after(i) ? Lean::right : Lean::free;
  if (is(c, kCurrency))
    return digit_after(i) ? Lean::right : language_ == "en" && digit_before(i) ? Lean::left : Lean::free;
  if (token == "&") {
    if (word_after(i) && i + 2 < tokens_.size() && tokens_[i + 2] == ";") return Lean::right;  // &amp;
    const bool letters = word_before(i) && word_after(i) && ends_[i - 1].size <= 2 && ends_[i + 1].size <= 2;
    return letters ? Lean::both : Lean::free;  // R&B, but Barnes & Noble
  }
  if (token == "%" && spaced_percent()) return Lean::free;
  if (token == "+") return digit_before(i) ? Lean::left : Lean::free;
  if (is(c, kNonspacing)) return Lean::both;  // a mark that was parted from its letter
  const auto* rule = std::ranges::find_if(kSymbols, [&](const SymbolRule& r) { return r.symbol == token; });
  return rule == std::end(kSymbols) ? Lean::free : rule->lean;
}

Lean Joiner::toggle(std::string_view kind) {
  bool& open = open_[kind];
  open = !open;
  return open ? Lean::right : Lean::left;
}

// Which way a quote leans follows from what is open: „a“ and “a” and ”a”, «a» and »a«.
Lean Joiner::lean_of_quote(std::size_t i) {
  const std::string& token = tokens_[i];
  if (token == "\"" || token == "`") return toggle(token);
  if (token == "«" || token == "»") {
    const Lean lean = toggle("«");
    return language_ == "fr" ? Lean::free : lean;
  }
  if (token == "‹" || token == "›") return toggle("‹");
  const bool single = token == "‚" || token == "‘" || token == "’";
  const std::string_view low = single ? "‚" : "„", high = single ? "‘" : "“";
  if (token == low || (token == high && !open_[low])) {
    open_[token == low ? low : high] = true;
    return Lean::right;
  }
  if (token == "’" && word_before(i) && word_after(i) && joins_words(i)) return Lean::both;
  if (open_[low] || open_[high]) {
    open_[open_[low] ? low : high] = false;
    return Lean::left;
  }
  if (token == "’") return word_before(i) ? Lean::left : Lean::right;
  return toggle("”");
}

// Is the apostrophe at i, which stands between two words, part of one: it's, O'Hara, l'eau?
bool Joiner::joins_words(std::size_t i) const {
  constexpr std::string_view kEndings[] = {"s", "t", "m", "d", "ll", "re", "ve", "S", "T", "M", "D", "LL", "RE", "VE"};
  if (rules_.apostrophe == ApostropheRule::with_left) return tokens_[i] == "’";
  const std::string& after = tokens_[i + 1];
  if (std::ranges::find(kEndings, after) != std::end(kEndings)) return true;
  // English leaves no lone apostrophe inside other words.
  if (rules_.apostrophe == ApostropheRule::with_right && tokens_[i] == "'") return false;
  return ends_[i - 1].size == 1 || ends_[i + 1].size == 1 || after.find_first_of("-.") == 1;
}

// Words that lose their start: hook 'em, hast du 'ne Minute.
bool Joiner::starts_clipped_word(std::size_t i) const {
  constexpr std::string_view kEnglish[] = {"em", "til", "till", "cause", "tis", "twas", "round", "bout"};
  constexpr std::string_view kGerman[] = {"ne", "nen", "nem", "ner", "nes", "raus", "rauf", "rein", "rüber", "runter"};
  const auto has = [&](const auto& list) { return std::ranges::find(list, tokens_[i + 1]) != std::end(list); };
  return (language_ == "en" && has(kEnglish)) || (language_ == "de" && has(kGerman));
}

// An apostrophe may join letters, end a genitive, or be a quote.
Lean Joiner::lean_of_apostrophe(std::size_t i) {
  --quotes_left_;
  if (word_after(i) && starts_clipped_word(i)) return Lean::right;
  if (word_before(i) && word_after(i) && joins_words(i)) return Lean::both;
  if (open_["'"]) return toggle("'");
  const char32_t last = i > 0 ? ends_[i - 1].last : 0;
  const bool after_sibilant = last == 's' || last == 'x' || last == 'z' || last == U'ß';
  const bool after_genitive = i > 0 && tokens_[i - 1].starts_with('\'');
  if (word_before(i) && ((after_sibilant && !after_genitive) || quotes_left_ == 0)) return Lean::left;
  return toggle("'");
}

}  // namespace

std::string WordTokenizer::detokenize(std::span<const std::string> tokens) const {
  return Joiner(tokens, language_, rules_).join();
}

}  // namespace heed::text
