// The `words` tokenizer: it produces the same tokens as Moses' tokenizer.perl, without its escapes (&apos; and the
// like). The inverse restores the spaces as each language writes them.
#pragma once

#include <string>
#include <string_view>

#include "text/tokenizer.h"

namespace heed::text {

// How an apostrophe between two letters is tokenized.
enum class ApostropheRule : std::uint8_t {
  separate,    // always a token of its own
  with_right,  // it 's
  with_left,   // l' homme
  inside,      // stays inside the word
};

struct LanguageRules {
  std::string_view language;
  ApostropheRule apostrophe = ApostropheRule::separate;
  char32_t word_character = 0;  // stays inside a word if a lower-case letter follows; 0: there is no such character
};

// The rules of a language; the general rules (with an empty name) if it has none of its own.
const LanguageRules& language_rules(std::string_view language);

class WordTokenizer : public Tokenizer {
 public:
  explicit WordTokenizer(const TokenizerOptions& options);
  std::string detokenize(std::span<const std::string> tokens) const override;

 protected:
  std::vector<Token> split(const MappedText& line) const override;

 private:
  std::string language_;
  const LanguageRules& rules_;
  bool split_hyphens_;
};

// Whether `words` has rules or abbreviations for a language.
bool has_word_rules(std::string_view language);
// Those languages: "ca, cs, de, …".
std::string word_rule_languages();
// A message that there are no rules for a language; if there are rules for the code that the name stands for, it
// suggests the code. Empty if there are rules, or if the language is empty.
std::string missing_word_rules(std::string_view language);

}  // namespace heed::text
