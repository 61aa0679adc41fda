// The `words` tokenizer: Moses' tokenizer.perl by rules of our own making, without its escapes (&apos; and the like),
// and an inverse that puts the spaces back by what each language writes.
#pragma once

#include <string>
#include <string_view>

#include "text/tokenizer.h"

namespace heed::text {

// What an apostrophe does.
enum class ApostropheRule : std::uint8_t {
  alone,       // always a token of its own
  with_right,  // it 's
  with_left,   // l' homme
  inside,      // stays if letters stand on both sides
};

// A character that some languages write inside words: kept if a lower-case letter follows.
struct LanguageRules {
  std::string_view language;
  ApostropheRule apostrophe = ApostropheRule::alone;
  char32_t word_character = 0;  // 0: none
};

// The rules of a language; the general ones (with an empty name) if it has none of its own.
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

// Whether `words` has rules or abbreviations of its own for a language; if not, say so to the user.
bool has_word_rules(std::string_view language);

}  // namespace heed::text
