// From tokens to the ids of a vocabulary. Thread-safe.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace heed::text {

// The id of the word, or of the unknown-word symbol. InputError if the word is not in the vocabulary and there is no
// such symbol.
TokenId require_id(const Vocabulary& vocabulary, std::string_view word);
// UsageError if the vocabulary has no end symbol.
TokenId end_symbol(const Vocabulary& vocabulary);

// The ids of the tokens, then the end symbol. Errors as for require_id() and end_symbol().
void encode_tokens(std::span<const Token> tokens, const Vocabulary& vocabulary, std::vector<TokenId>& ids);

// The tokenizer and vocabulary that turn lines of one side into ids; both must outlive the object.
struct LineEncoder {
  const Tokenizer* tokenizer;
  const Vocabulary* vocabulary;

  void encode(std::string_view line, std::vector<TokenId>& ids) const;
};

}  // namespace heed::text
