#include "data/subword_learning.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "data/temporary.h"
#include "text/placeholders.h"

namespace heed {
namespace {

TEST(SubwordLearning, LearnsFromTheSelectedPairsOnly) {
  TemporaryDirectory directory;
  std::string source, target;
  for (int i = 0; i < 200; ++i) {
    source += fmt::format("The small house number {} stands near the lake.\n", i);
    target += fmt::format("Das kleine Haus Nummer {} steht nahe am See.\n", i);
  }
  const data::CorpusFiles corpus{
      .parts = {{.source = directory.write("source", source), .target = directory.write("target", target)}}};
  const text::TextConfig config{.tokenizer = "bpe", .subwords = 40};
  data::PairSelection selection;
  selection.pairs = 1;
  const text::SubwordModels one = learn_subwords(corpus, selection, config, 1);
  const auto tokenizer = make_tokenizer(config.source(one.source));
  // The first line has the digit 0 and no other.
  const auto pieces = tokenizer->closed_vocabulary();
  EXPECT_NE(std::ranges::find(pieces, "0"), pieces.end());
  EXPECT_EQ(std::ranges::find(pieces, "7"), pieces.end());
}

TEST(SubwordLearning, KeepsPlaceholderTokensWhole) {
  TemporaryDirectory directory;
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += fmt::format("The small house number {} stands near the lake.\n", i);
  const data::CorpusFiles corpus{
      .parts = {{.source = directory.write("source", lines), .target = directory.write("target", lines)}}};
  for (const char* kind : {"bpe", "unigram"}) {
    const text::TextConfig config{.tokenizer = kind, .subwords = 60, .subword_joint = true, .placeholders = true};
    const auto tokenizer = make_tokenizer(config.source(learn_subwords(corpus, {}, config, 1).source));
    const std::vector<std::string> all = tokenizer->closed_vocabulary();
    for (const std::string& token : text::placeholder_tokens()) EXPECT_EQ(std::ranges::count(all, token), 1) << kind;
    for (const float alpha : {0.0F, 0.5F}) {
      const auto tokens = tokenizer->sample("The \uFDD0s (\uFDD1).", {alpha, Random(1, Stream::subword)});
      for (const char* token : {"\uFDD0", "\uFDD1"})
        EXPECT_EQ(std::ranges::count(tokens, token, &text::Token::text), 1) << kind << " " << alpha;
    }
    const text::TextConfig without{.tokenizer = kind, .subwords = 60};
    EXPECT_EQ(std::ranges::count(
                  make_tokenizer(without.source(learn_subwords(corpus, {}, without, 1).source))->closed_vocabulary(),
                  "\uFDD0"),
              0);
  }
}

TEST(SubwordLearning, NamesThePrefixesThatMatchNoPair) {
  TemporaryDirectory directory;
  const data::CorpusFiles corpus{
      .parts = {{.source = directory.write("source", "a b\n"), .target = directory.write("target", "c d\n")}}};
  const text::TextConfig config{.tokenizer = "bpe", .subwords = 40};
  try {
    data::learn_subwords(corpus, {.source_prefixes = {"z"}}, config, 1);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string_view(error.what()).find("source' begins with one of data.source_prefixes"),
              std::string_view::npos)
        << error.what();
  }
}

TEST(SubwordLearning, IgnoresOtherPartsAndRepeatsLinesByTheirWeight) {
  TemporaryDirectory directory;
  const std::string rows = "a house\tein haus\nlakes lakes\tseen seen\n", house = "a house\tein haus\n";
  const data::CorpusFiles both{.parts = {{.file = directory.write("both.tsv", rows)}}},
      one{.parts = {{.file = directory.write("one.tsv", house)}}};
  data::CorpusFiles weighted = one;
  weighted.parts[0].weight = 3;
  const data::CorpusFiles thrice{.parts = {{.file = directory.write("thrice.tsv", house + house + house)}}};
  const text::TextConfig config{.tokenizer = "unigram", .subwords = 14};
  const data::PairParts parts = {0, 1};
  data::PairSelection selection;
  EXPECT_EQ(learn_subwords(weighted, {}, config, 1).source, learn_subwords(thrice, {}, config, 1).source);
  EXPECT_NE(learn_subwords(weighted, {}, config, 1).source, learn_subwords(one, {}, config, 1).source);
  const std::string alone = learn_subwords(one, {}, config, 1).source;
  EXPECT_NE(learn_subwords(both, selection, config, 1).source, alone);
  selection.parts = &parts;
  EXPECT_EQ(learn_subwords(both, selection, config, 1).source, alone);
}

TEST(SubwordLearning, RefusesStandardInput) {
  const text::TextConfig config{.tokenizer = "bpe"};
  EXPECT_THROW(data::learn_subwords({.parts = {{.file = "-", .format = "tsv"}}}, {}, config, 1), UsageError);
  EXPECT_EQ(data::learn_subwords({.parts = {{.file = "-", .format = "tsv"}}}, {}, text::TextConfig{}, 1).source, "");
}

}  // namespace
}  // namespace heed
