// From lines to ids.
#include "text/encode.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace heed::testing {
namespace {

TEST(Encode, EndsInTheEndSymbolAndTakesUnknownWordsForTheirSymbol) {
  const auto tokeniser = make_tokeniser({.kind = "whitespace"});
  const Vocabulary words({"<eos>", "<unk>", "a"}, {.eos = 0, .unk = 1});
  std::vector<TokenId> ids = {7};
  LineEncoder{tokeniser.get(), &words}.encode("a new a", ids);
  EXPECT_EQ(ids, (std::vector<TokenId>{2, 1, 2, 0}));
  encode_tokens({}, words, ids);
  EXPECT_EQ(ids, (std::vector<TokenId>{0}));
}

TEST(Encode, RefusesUnknownWordsWithoutASymbolAndVocabulariesWithoutAnEnd) {
  const std::vector<Token> tokens = {{"new", {0, 3}}};
  std::vector<TokenId> ids;
  EXPECT_THROW(encode_tokens(tokens, Vocabulary({"<eos>", "a"}, {.eos = 0}), ids), InputError);
  EXPECT_THROW(encode_tokens({}, Vocabulary({"a"}, {}), ids), UsageError);
}

}  // namespace
}  // namespace heed::testing
