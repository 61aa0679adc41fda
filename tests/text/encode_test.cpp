// From lines to ids.
#include "text/encode.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace heed::testing {
namespace {

TEST(Encode, AppendsTheEndSymbolAndMapsUnknownWords) {
  const auto tokenizer = text::make_tokenizer({.kind = "whitespace"});
  const text::Vocabulary words({"<eos>", "<unk>", "a"}, {.eos = 0, .unk = 1});
  std::vector<text::TokenId> ids = {7};
  text::LineEncoder{tokenizer.get(), &words}.encode("a new a", ids);
  EXPECT_EQ(ids, (std::vector<text::TokenId>{2, 1, 2, 0}));
  encode_tokens({}, words, ids);
  EXPECT_EQ(ids, (std::vector<text::TokenId>{0}));
}

TEST(Encode, RejectsUnknownWordsAndMissingEndSymbols) {
  const std::vector<text::Token> tokens = {{"new", {0, 3}}};
  std::vector<text::TokenId> ids;
  EXPECT_THROW(encode_tokens(tokens, text::Vocabulary({"<eos>", "a"}, {.eos = 0}), ids), InputError);
  EXPECT_THROW(encode_tokens({}, text::Vocabulary({"a"}, {}), ids), UsageError);
}

}  // namespace
}  // namespace heed::testing
