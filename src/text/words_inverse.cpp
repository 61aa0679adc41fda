// The inverse of `words`: where were the spaces? There was always one between two words, so only symbols need a
// decision: each attaches to the previous token, to the following one, to both or to neither. Quotes open and close
// alternately. What cannot be known (a space before "...", for example) is decided by what is most common.
#include <algorithm>
#include <map>

#include "text/words.h"

namespace heed::text {

namespace {

enum class Attach : std::uint8_t { none, left, right, both };

bool is_one_of(std::string_view token, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, token) != list.end();
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
      apostrophes_left_ += tokens[i] == "'";
    }
  }

  std::string join() {
    std::string line;
    bool attached = true;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Attach attach = attach_token(i);
      attached = attached || attach == Attach::left || attach == Attach::both;
      const bool between_cjk = i > 0 && is_cjk(ends_[i].first) && is_cjk(ends_[i - 1].last);
      if (!attached && !between_cjk) line += ' ';
      line += tokens_[i] == "@-@" ? "-" : tokens_[i];
      attached = attach == Attach::right || attach == Attach::both;
    }
    return line;
  }

 private:
  struct Ends {
    char32_t first = 0, last = 0;
    std::size_t size = 0;  // characters
  };

  bool is(char32_t c, unsigned classes) const { return classes_.is(c, classes); }
  // Whether the character before or after token i belongs to one of the classes.
  bool before(std::size_t i, unsigned classes) const { return i > 0 && is(ends_[i - 1].last, classes); }
  bool after(std::size_t i, unsigned classes) const {
    return i + 1 < tokens_.size() && is(ends_[i + 1].first, classes);
  }
  bool word_before(std::size_t i) const { return before(i, kAlphabetic | kNumber); }
  bool word_after(std::size_t i) const { return after(i, kAlphabetic | kNumber); }

  Attach attach_token(std::size_t i);
  Attach attach_word(std::size_t i) const;
  Attach attach_symbol(std::size_t i) const;
  Attach attach_quote(std::size_t i);
  Attach attach_apostrophe(std::size_t i);
  Attach toggle(std::string_view kind);
  bool joins_words(std::size_t i) const;
  bool starts_clipped_word(std::size_t i) const;

  std::span<const std::string> tokens_;
  std::string_view language_;
  const LanguageRules& rules_;
  std::vector<Ends> ends_;
  std::map<std::string_view, bool> open_;  // whether a quotation is open, by kind of quote
  std::size_t apostrophes_left_ = 0;       // in the tokens not yet joined
  const CharacterClasses& classes_ = CharacterClasses::get();
};

Attach Joiner::attach_token(std::size_t i) {
  const std::string& token = tokens_[i];
  if (token == "'") return attach_apostrophe(i);
  if (is_one_of(token, {"\"", "`", "„", "“", "”", "‚", "‘", "’", "«", "»", "‹", "›"})) return attach_quote(i);
  if (ends_[i].size > 1 && token != "@-@") return attach_word(i);
  return attach_symbol(i);
}

// Longer tokens attach only if they begin or end with an apostrophe or a hyphen.
Attach Joiner::attach_word(std::size_t i) const {
  const Ends& ends = ends_[i];
  if (tokens_[i].find_first_not_of('.') == std::string::npos) return Attach::left;  // ...
  if (rules_.apostrophe == ApostropheRule::with_right && ends.first == '\'' && word_before(i)) return Attach::left;
  if (rules_.apostrophe == ApostropheRule::with_left && ends.last == '\'' && word_after(i)) return Attach::right;
  // A hyphen never splits a word, so a word that starts or ends with one was cut off by the symbol next to it.
  if (ends.first == '-' && i > 0 && is_one_of(tokens_[i - 1], {"\"", "“", "”", "'", "’", "»", "‘", ")", "]", "&", "%"}))
    return Attach::left;
  if (ends.last == '-' && i + 1 < tokens_.size() && is_one_of(tokens_[i + 1], {"\"", "„", "“", "«", "'", "("}))
    return Attach::right;
  return Attach::none;
}

Attach Joiner::attach_symbol(std::size_t i) const {
  const std::string& token = tokens_[i];
  const char32_t c = ends_[i].first;
  const bool digit_before = before(i, kNumber), digit_after = after(i, kNumber);
  const bool both_digits = digit_before && digit_after;
  if (token == ":" && both_digits) return Attach::both;  // 10:30
  if (language_ == "fr" && is_one_of(token, {"?", "!", ":", ";"})) return Attach::none;
  if (token == "–" || token == "—") return both_digits ? Attach::both : Attach::none;
  if (token == "#") return word_after(i) ? Attach::right : Attach::none;
  if (is(c, kCurrency))
    return digit_after ? Attach::right : language_ == "en" && digit_before ? Attach::left : Attach::none;
  if (token == "&") {
    if (word_after(i) && i + 2 < tokens_.size() && tokens_[i + 2] == ";") return Attach::right;  // &amp;
    const bool letters = word_before(i) && word_after(i) && ends_[i - 1].size <= 2 && ends_[i + 1].size <= 2;
    return letters ? Attach::both : Attach::none;  // R&B, but Barnes & Noble
  }
  if (token == "%" && is_one_of(language_, {"de", "fr", "es", "cs", "sk", "sl", "fi", "sv", "da", "nb", "no", "ru"}))
    return Attach::none;  // 5 %
  if (token == "+") return digit_before ? Attach::left : Attach::none;
  if (is(c, kNonspacing)) return Attach::both;  // a mark that was split from its letter
  if (is_one_of(token, {",", ".", "?", "!", ":", ";", ")", "]", "}", "…", "%", "‰", "°", "²", "³", "™", "®"}))
    return Attach::left;
  if (is_one_of(token, {"(", "[", "{", "¿", "¡"})) return Attach::right;
  if (is_one_of(token, {"/", "_", "\\", "@", "·", "‐", "‑", "@-@"})) return Attach::both;
  return Attach::none;
}

Attach Joiner::toggle(std::string_view kind) {
  bool& open = open_[kind];
  open = !open;
  return open ? Attach::right : Attach::left;
}

// Which side a quote attaches to depends on which quotes are open: „a“ and “a” and ”a”, «a» and »a«.
Attach Joiner::attach_quote(std::size_t i) {
  const std::string& token = tokens_[i];
  if (token == "\"" || token == "`") return toggle(token);
  if (token == "«" || token == "»") {
    const Attach attach = toggle("«");
    return language_ == "fr" ? Attach::none : attach;
  }
  if (token == "‹" || token == "›") return toggle("‹");
  const bool single = token == "‚" || token == "‘" || token == "’";
  const std::string_view low = single ? "‚" : "„", high = single ? "‘" : "“";
  if (token == low || (token == high && !open_[low])) {
    open_[token == low ? low : high] = true;
    return Attach::right;
  }
  if (token == "’" && word_before(i) && word_after(i) && joins_words(i)) return Attach::both;
  if (open_[low] || open_[high]) {
    open_[open_[low] ? low : high] = false;
    return Attach::left;
  }
  if (token == "’") return word_before(i) ? Attach::left : Attach::right;
  return toggle("”");
}

// Whether the apostrophe at i, which stands between two words, is part of one: it's, O'Hara, l'eau.
bool Joiner::joins_words(std::size_t i) const {
  if (rules_.apostrophe == ApostropheRule::with_left) return tokens_[i] == "’";
  const std::string& next = tokens_[i + 1];
  if (is_one_of(next, {"s", "t", "m", "d", "ll", "re", "ve", "S", "T", "M", "D", "LL", "RE", "VE"})) return true;
  // Inside other words, the English rules do not make the apostrophe a token of its own.
  if (rules_.apostrophe == ApostropheRule::with_right && tokens_[i] == "'") return false;
  return ends_[i - 1].size == 1 || ends_[i + 1].size == 1 || next.find_first_of("-.") == 1;
}

// Whether the token after i is a word that has lost its beginning: hook 'em, hast du 'ne Minute.
bool Joiner::starts_clipped_word(std::size_t i) const {
  const std::string& next = tokens_[i + 1];
  if (language_ == "en") return is_one_of(next, {"em", "til", "till", "cause", "tis", "twas", "round", "bout"});
  return language_ == "de" &&
         is_one_of(next, {"ne", "nen", "nem", "ner", "nes", "raus", "rauf", "rein", "rüber", "runter"});
}

// An apostrophe may join letters, end a genitive, or be a quote.
Attach Joiner::attach_apostrophe(std::size_t i) {
  --apostrophes_left_;
  if (word_after(i) && starts_clipped_word(i)) return Attach::right;
  if (word_before(i) && word_after(i) && joins_words(i)) return Attach::both;
  if (open_["'"]) return toggle("'");
  const char32_t last = i > 0 ? ends_[i - 1].last : 0;
  const bool after_sibilant = last == 's' || last == 'x' || last == 'z' || last == U'ß';
  const bool after_genitive = i > 0 && tokens_[i - 1].starts_with('\'');
  if (word_before(i) && ((after_sibilant && !after_genitive) || apostrophes_left_ == 0)) return Attach::left;
  return toggle("'");
}

}  // namespace

std::string WordTokenizer::detokenize(std::span<const std::string> tokens) const {
  return Joiner(tokens, language_, rules_).join();
}

}  // namespace heed::text
