#include "data/prepare.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "data/temporary.h"
#include "text/shared_data.h"

namespace heed {
namespace {

using List = std::vector<text::TokenId>;

std::string text_of(Ids ids, const text::Vocabulary& vocabulary) {
  std::string text;
  for (const text::TokenId id : ids) text += (text.empty() ? "" : " ") + vocabulary.word(id);
  return text;
}

class PrepareTest : public ::testing::Test {
 protected:
  TemporaryDirectory directory;
  std::string source = directory.write("s", "b a\nb c\n\nb b rare\n"), target = directory.write("t", "X\nY X\nZ\nX\n");
  data::CorpusFiles files{.parts = {{.source = source, .target = target}}};
  std::unique_ptr<text::Tokenizer> tokenizer = text::make_tokenizer({.kind = "whitespace"});

  data::Prepared prepare(const data::PrepareOptions& options = {}, std::int64_t minimum = 1, bool shared = false) {
    return prepare_corpus(files, *tokenizer, *tokenizer, {.minimum_frequency = minimum}, {}, shared, options);
  }
};

TEST_F(PrepareTest, VocabulariesByFrequencyAndExamplesInTheirIds) {
  const data::Prepared prepared = prepare();
  EXPECT_EQ(prepared.source.serialize(), "<pad>\n<sos>\n<eos>\n<unk>\nb\na\nc\nrare\n");
  EXPECT_EQ(prepared.target.serialize(), "<pad>\n<sos>\n<eos>\n<unk>\nX\nY\n") << "Z is in a pair that was dropped";
  ASSERT_EQ(prepared.examples.size(), 3u);
  EXPECT_EQ(text_of(prepared.examples.source(0), prepared.source), "b a <eos>");
  EXPECT_EQ(text_of(prepared.examples.target(1), prepared.target), "Y X <eos>");
  EXPECT_EQ(text_of(prepared.examples.source(2), prepared.source), "b b rare <eos>");
  EXPECT_EQ(prepared.source_counts, (std::vector<std::int64_t>{0, 0, 3, 0, 4, 1, 1, 1}));
  EXPECT_EQ(prepared.target_counts, (std::vector<std::int64_t>{0, 0, 3, 0, 3, 1}));
  EXPECT_EQ(prepared.tally.read, 4);
  EXPECT_EQ(prepared.tally.kept, 3);
  EXPECT_EQ(prepared.tally.empty, 1);
}

TEST_F(PrepareTest, MasksSpansThatBothSidesHave) {
  std::string lines;
  for (int i = 0; i < 20; ++i) lines += "a %s b 1999\n";
  files.parts = {{.source = directory.write("spans", lines), .target = directory.write("same", lines)}};
  tokenizer = text::make_tokenizer({.kind = "words"});
  std::set<std::string> found;
  const auto add = [&](const data::PrepareOptions& options) {
    const data::Prepared prepared = prepare(options);
    for (std::size_t i = 0; i < prepared.examples.size(); ++i) {
      found.insert(text_of(prepared.examples.source(i), prepared.source));
      EXPECT_EQ(text_of(prepared.examples.source(i), prepared.source),
                text_of(prepared.examples.target(i), prepared.target));
    }
    return found;
  };
  EXPECT_EQ(add({}), std::set<std::string>{"a % s b 1999 <eos>"});
  EXPECT_EQ(add({.placeholders = true}), (std::set<std::string>{"a % s b 1999 <eos>", "a \uFDD0 b \uFDD1 <eos>"}));
}

TEST_F(PrepareTest, RareWordsBecomeUnknown) {
  const data::Prepared prepared = prepare({}, 2);
  EXPECT_EQ(text_of(prepared.examples.source(0), prepared.source), "b <unk> <eos>");
}

TEST_F(PrepareTest, ASharedVocabularyCountsBothSides) {
  const data::Prepared prepared = prepare({}, 1, true);
  EXPECT_EQ(prepared.source.serialize(), "<pad>\n<sos>\n<eos>\n<unk>\nb\nX\na\nc\nY\nrare\n");
  EXPECT_EQ(prepared.target.serialize(), prepared.source.serialize());
  EXPECT_EQ(text_of(prepared.examples.target(1), prepared.source), "Y X <eos>");
}

// The ids of all examples, sentence by sentence.
List all_ids(const data::ExampleStore& examples) {
  List ids;
  for (std::size_t i = 0; i < examples.size(); ++i)
    for (const Ids side : {examples.source(i), examples.target(i)}) ids.insert(ids.end(), side.begin(), side.end());
  return ids;
}

TEST_F(PrepareTest, AScratchFileHoldsTheSame) {
  EXPECT_EQ(all_ids(prepare({.scratch_directory = directory.path()}).examples), all_ids(prepare().examples));
  EXPECT_THROW(prepare({.scratch_directory = directory.path("none")}), InputError);
}

TEST_F(PrepareTest, SelectionsAreCounted) {
  data::Prepared prepared = prepare({.selection = {.max_words = 2}});
  EXPECT_EQ(prepared.tally.too_long, 1);
  EXPECT_EQ(prepared.examples.size(), 2u);
  prepared = prepare({.selection = {.pairs = 1}});
  EXPECT_EQ(prepared.examples.size(), 1u);
  prepared = prepare({.selection = {.keep_empty = true}});
  ASSERT_EQ(prepared.examples.size(), 4u);
  EXPECT_EQ(text_of(prepared.examples.source(2), prepared.source), "<eos>");
  EXPECT_THROW(prepare({.selection = {.target_prefixes = {"Q"}}}), InputError);
}

TEST_F(PrepareTest, PrefixesApplyToNormalizedText) {
  const std::vector<std::string> steps = {"lowercase"};
  const data::Prepared prepared =
      prepare({.selection = {.target_prefixes = {"y"}}, .target_normalizer = text::Normalizer(steps)});
  EXPECT_EQ(prepared.tally.other_prefix, 3);
  EXPECT_EQ(text_of(prepared.examples.source(0), prepared.source), "b c <eos>");
}

TEST_F(PrepareTest, EncodesOtherTextWithExistingVocabularies) {
  const data::Prepared prepared = prepare();
  const text::LineEncoder encoder{tokenizer.get(), &prepared.source};
  const data::CorpusFiles other{
      .parts = {{.source = directory.write("v", "a new b\n"), .target = directory.write("w", "b b\n")}}};
  const data::Prepared encoded = encode_corpus(other, encoder, encoder);
  ASSERT_EQ(encoded.examples.size(), 1u);
  EXPECT_EQ(text_of(encoded.examples.source(0), prepared.source), "a <unk> b <eos>");
  List ids;
  encoder.encode("a new b", ids);
  EXPECT_EQ(text_of(ids, prepared.source), "a <unk> b <eos>");
}

TEST_F(PrepareTest, RefusesVocabulariesWithoutRequiredSymbols) {
  const text::VocabularyOptions no_end{.special = {.eos = ""}}, no_unknown{.special = {.unk = ""}};
  EXPECT_THROW(prepare_corpus(files, *tokenizer, *tokenizer, no_end, {}, false), UsageError);
  text::VocabularyOptions rare = no_unknown;
  rare.minimum_frequency = 2;
  EXPECT_THROW(prepare_corpus(files, *tokenizer, *tokenizer, rare, {}, false), InputError);
  EXPECT_NO_THROW(prepare_corpus(files, *tokenizer, *tokenizer, no_unknown, {}, false));
}

TEST_F(PrepareTest, ResultDoesNotDependOnTheWorkers) {
  std::string s, t;
  for (int i = 0; i < 5000; ++i) {
    s += fmt::format("w{} w{}\n", i % 700, i * i % 301);
    t += fmt::format("v{}\n", i % 555);
  }
  files = {.parts = {{.source = directory.write("s", s), .target = directory.write("t", t)}}};
  ThreadPool pool(3);
  std::int64_t pairs = 0;
  const auto on_progress = [&](std::int64_t done, std::int64_t) { pairs = done; };
  const List one = all_ids(prepare().examples);
  EXPECT_EQ(all_ids(prepare({.pool = &pool, .on_progress = on_progress}).examples), one);
  EXPECT_EQ(one.size(), 25000u);
  EXPECT_EQ(pairs, 5000);
}

// The counts that PyTorch's translation tutorial prints for this file.
TEST(Prepare, MatchesTheCountsOfTheTutorial) {
  const std::string tsv = shared_data("tatoeba/eng-fra.txt");
  HEED_NEEDS(tsv);
  const std::vector<std::string> steps = {"lowercase", "trim", "strip-accents", "separate-punctuation", "letters-only"};
  const auto tokenizer = text::make_tokenizer({.kind = "whitespace", .normalize = steps});
  const text::Normalizer normalizer(steps);
  const text::VocabularyOptions words{.special = {.pad = "", .sos = "SOS", .eos = "EOS", .unk = ""}};
  const data::PairSelection selection{
      .max_words = 9,
      .target_prefixes = {"i am ", "i m ", "he is", "he s ", "she is", "she s", "you are", "you re ", "we are",
                          "we re ", "they are", "they re "}};
  const data::Prepared prepared = data::prepare_corpus(
      {.parts = {{.file = tsv, .format = "tsv"}}, .columns = data::parse_columns("2,1")}, *tokenizer, *tokenizer, words,
      words, false, {.selection = selection, .source_normalizer = normalizer, .target_normalizer = normalizer});
  EXPECT_EQ(prepared.examples.size(), 10853u);
  EXPECT_EQ(prepared.source.size(), 4489);
  EXPECT_EQ(prepared.target.size(), 2925);
}

TEST_F(PrepareTest, WordsCountAsOftenAsTheirPairsWeigh) {
  files.parts[0].weight = 2.25;
  const data::Prepared prepared = prepare({}, 5);
  EXPECT_EQ(prepared.source.serialize(), "<pad>\n<sos>\n<eos>\n<unk>\nb\n") << "b counts 9 times, the others twice";
  EXPECT_EQ(prepare({}, 2).source.size(), 8u);
  EXPECT_EQ(prepare({}, 3).source.size(), 5u);
  EXPECT_EQ(prepared.weights, (std::vector<float>{2.25F, 2.25F, 2.25F}));
  files.parts[0].weight = 1;
  EXPECT_TRUE(prepare().weights.empty());
  files.parts[0].weight = 0.1;
  EXPECT_EQ(prepare().source.size(), 8u) << "a word counts at least once";
  files.parts[0].weight = 0;
  EXPECT_THROW(prepare(), UsageError);
}

// Pairs of other parts are as though they were not there.
TEST_F(PrepareTest, ReadsOnlyThePartOfTheSelection) {
  const data::PairParts parts = {0, 1, data::kNoPart, 0};
  data::PrepareOptions options;
  options.selection.parts = &parts;
  const data::Prepared training = prepare(options);
  EXPECT_EQ(training.source.serialize(), "<pad>\n<sos>\n<eos>\n<unk>\nb\na\nrare\n");
  EXPECT_EQ(training.examples.size(), 2u);
  EXPECT_EQ(training.tally.read, 2);
  options.selection.part = 1;
  const data::Prepared held_out = prepare(options);
  ASSERT_EQ(held_out.examples.size(), 1u);
  EXPECT_EQ(text_of(held_out.examples.source(0), held_out.source), "b c <eos>");
  options.selection.part = 2;
  EXPECT_THROW(prepare(options), InputError);
}

TEST_F(PrepareTest, FindsAPairAfterMegabytesOfOthers) {
  const std::string line = std::string(1000, 'x') + "\n";
  std::string text;
  for (int i = 0; i < 5000; ++i) text += line;
  files = {.parts = {{.source = directory.write("s", text + "b\n"), .target = directory.write("t", text + "Y\n")}}};
  data::PairParts parts(5001, data::kNoPart);
  parts.back() = 0;
  data::PrepareOptions options;
  options.selection.parts = &parts;
  EXPECT_EQ(prepare(options).examples.size(), 1u);
}

TEST_F(PrepareTest, SaysIfTheCorpusHasMorePairsThanTheLimit) {
  data::PrepareOptions options;
  const auto limited = [&](std::int64_t pairs) {
    options.selection.pairs = pairs;
    return prepare(options).limited;
  };
  EXPECT_TRUE(limited(1));
  EXPECT_TRUE(limited(2));
  EXPECT_FALSE(limited(3)) << "all that are not empty";
  EXPECT_FALSE(limited(0));
}

TEST_F(PrepareTest, NamesTheSettingsThatLeaveNoPair) {
  data::PrepareOptions options;
  options.selection.target_prefixes = {"no such"};
  try {
    prepare(options);
    FAIL() << "a pair was selected";
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("--set 'data.target_prefixes=[]'"), what.npos) << what;
    EXPECT_EQ(what.find("data.source_prefixes"), what.npos) << what;
  }
}

}  // namespace
}  // namespace heed
