#include "text/encode.h"

#include "base/error.h"
#include "base/utf8.h"

namespace heed::text {

TokenId require_id(const Vocabulary& vocabulary, std::string_view word) {
  const TokenId id = vocabulary.id(word);
  check<InputError>(
      id >= 0,
      "{} is not in the vocabulary, and the vocabulary has no unknown-word symbol; remove the word, or use a "
      "model with <unk>",
      in_quotes(word));
  return id;
}

TokenId end_symbol(const Vocabulary& vocabulary) {
  const TokenId id = vocabulary.special().eos;
  check<UsageError>(id >= 0,
                    "the vocabulary has no end-of-sentence symbol, which every sentence needs; add one, such as <eos>");
  return id;
}

void encode_tokens(std::span<const Token> tokens, const Vocabulary& vocabulary, std::vector<TokenId>& ids) {
  ids.clear();
  for (const Token& token : tokens) ids.push_back(require_id(vocabulary, token.text));
  ids.push_back(end_symbol(vocabulary));
}

void LineEncoder::encode(std::string_view line, std::vector<TokenId>& ids) const {
  encode_tokens(tokenizer->tokenize(line), *vocabulary, ids);
}

}  // namespace heed::text
