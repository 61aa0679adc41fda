#include "data/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "data/temporary.h"

namespace heed {
namespace {

struct Pair {
  std::string source, target;
};

class SplitTest : public ::testing::Test {
 protected:
  TemporaryDirectory directory;

  static std::vector<Pair> corpus(int pairs) {
    std::vector<Pair> list;
    for (int i = 0; i < pairs; ++i) list.push_back({fmt::format("Satz {}.", i), fmt::format("Sentence {}.", i)});
    return list;
  }
  data::CorpusFiles write(const std::vector<Pair>& pairs) {
    std::string text;
    for (const Pair& pair : pairs) text += pair.source + "\t" + pair.target + "\n";
    return {.parts = {{.file = directory.write("c.tsv", text)}}};
  }
  data::Split split(const std::vector<Pair>& pairs, const data::SplitOptions& options = {}) {
    return split_corpus(write(pairs), options);
  }
  static std::set<std::string> part(const std::vector<Pair>& pairs, const data::Split& split, int part) {
    std::set<std::string> sources;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (split.parts[i] == part) sources.insert(pairs[i].source + "|" + pairs[i].target);
    return sources;
  }
  static void shuffle(std::vector<Pair>& pairs) {
    const Random random(1, Stream::test);
    for (std::size_t i = pairs.size(); i > 1; --i)
      std::swap(pairs[i - 1], pairs[random.below(i, static_cast<std::uint32_t>(i))]);
  }
};

TEST_F(SplitTest, HoldsOutTheSmallerOfANumberAndAFraction) {
  EXPECT_EQ(split(corpus(1000)).pairs, (std::vector<std::int64_t>{950, 50}));
  EXPECT_EQ(split(corpus(1000), {.held_out = {{30, 0.05}}}).pairs, (std::vector<std::int64_t>{970, 30}));
  EXPECT_EQ(split(corpus(19)).pairs, (std::vector<std::int64_t>{19, 0}));
  EXPECT_EQ(data::PartSize{}.pairs, 2000);
}

TEST_F(SplitTest, IsTheSameInAnyOrder) {
  std::vector<Pair> pairs = corpus(1000);
  for (int i = 0; i < 1000; i += 3)
    pairs.push_back({pairs[static_cast<std::size_t>(i)].source, fmt::format("Other {}", i)});
  const auto before = part(pairs, split(pairs), 1);
  EXPECT_EQ(before.size(), 66u);
  shuffle(pairs);
  EXPECT_EQ(part(pairs, split(pairs), 1), before);
}

// By content, not by position: what was trained on is not held out from a larger corpus.
TEST_F(SplitTest, OfALargerCorpusHoldsOutNothingThatWasInTraining) {
  const data::SplitOptions options{.held_out = {{50, 1}}};
  const std::vector<Pair> small = corpus(1000), large = corpus(1300);
  const auto training = part(small, split(small, options), 0), held_out = part(large, split(large, options), 1);
  EXPECT_EQ(held_out.size(), 50u);
  for (const std::string& pair : held_out) EXPECT_FALSE(training.contains(pair)) << pair;
}

TEST_F(SplitTest, PartsHaveNoSourceInCommon) {
  std::vector<Pair> pairs = corpus(1000);
  for (int i = 0; i < 1000; ++i) {
    pairs.push_back({fmt::format("SATZ, {}", i), fmt::format("Another {}.", i)});
    if (i % 2 == 0) pairs.push_back(pairs[static_cast<std::size_t>(i)]);
  }
  const data::Split result = split(pairs, {.held_out = {{40, 1}, {70, 1}}});
  EXPECT_EQ(result.pairs[1], 40);
  EXPECT_EQ(result.pairs[2], 70);
  EXPECT_GT(result.removed, 110);
  std::map<std::string, int> part_of_number;
  std::int64_t removed = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    removed += result.parts[i] == data::kNoPart;
    if (result.parts[i] == data::kNoPart) continue;
    std::string number;
    std::ranges::copy_if(pairs[i].source, std::back_inserter(number), [](char c) { return c >= '0' && c <= '9'; });
    const auto [found, is_new] = part_of_number.try_emplace(number, result.parts[i]);
    EXPECT_EQ(found->second, result.parts[i]) << number;
    EXPECT_TRUE(is_new || found->second == 0) << "a held-out source has one pair: " << number;
  }
  EXPECT_EQ(removed, result.removed);
  EXPECT_EQ(result.pairs[0] + 110 + removed, std::ssize(pairs));
}

// Held out, a frequent sentence would take most of the corpus with it.
TEST_F(SplitTest, RemovesAtMostTwiceAsManyPairsAsItHoldsOut) {
  for (int seed = 0; seed < 20; ++seed) {
    std::vector<Pair> pairs;
    for (int i = 0; i < 200; ++i) pairs.push_back({fmt::format("Satz {} {}.", seed, i % 20), fmt::format("S {}", i)});
    const data::Split result = split(pairs, {.held_out = {{15, 1}}});
    EXPECT_EQ(result.removed, 27);
    EXPECT_EQ(result.pairs[1], 3);
  }
  EXPECT_EQ(split(std::vector<Pair>(1000, {"Danke.", "Thanks."})).pairs, (std::vector<std::int64_t>{1000, 0}));
}

TEST_F(SplitTest, LeavesSomePairsAlone) {
  const std::vector<Pair> pairs = corpus(400);
  data::SplitOptions options{.held_out = {{100, 1}}};
  options.may_hold_out = [](const data::SentencePair& pair) { return pair.source.ends_with("7."); };
  options.parts.resize(10);
  options.parts[7] = data::kNoPart;
  const data::Split result = split(pairs, options);
  EXPECT_EQ(result.parts[7], data::kNoPart);
  EXPECT_EQ(result.pairs, (std::vector<std::int64_t>{360, 39}));
  for (std::size_t i = 0; i < pairs.size(); ++i) EXPECT_EQ(result.parts[i] == 1, i % 10 == 7 && i != 7) << i;
  std::vector<Pair> empty = corpus(40);
  for (int i = 0; i < 20; ++i) empty[static_cast<std::size_t>(i)].target = "...";
  EXPECT_EQ(split(empty, {.held_out = {{100, 1}}}).eligible, 20) << "pairs with a side without words";
}

TEST_F(SplitTest, ReadsOnlyTheFirstPairs) {
  const std::vector<Pair> pairs = corpus(400);
  const data::Split some = split(pairs, {.pairs = 100}), all = split(pairs, {.pairs = 400});
  EXPECT_EQ(some.parts.size(), 100u);
  EXPECT_EQ(some.pairs[1], 5);
  EXPECT_TRUE(some.limited);
  EXPECT_FALSE(all.limited);
}

TEST_F(SplitTest, WritesTheParts) {
  const data::CorpusFiles files = write({{"a", "x"}, {"b", "y"}, {"c", "z"}, {"d", "w"}});
  const std::vector<data::PairFiles> outputs = {{.tsv = directory.path("train.tsv")},
                                                {.source = directory.path("v.de"), .target = directory.path("v.en")}};
  const data::PairParts parts = {0, 1, data::kNoPart, 0};
  write_parts(files, parts, outputs);
  EXPECT_EQ(read_file(directory.path("train.tsv")), "a\tx\nd\tw\n");
  EXPECT_EQ(read_file(directory.path("v.de")), "b\n");
  EXPECT_EQ(read_file(directory.path("v.en")), "y\n");
  EXPECT_THROW(write_parts(files, {0, 0, 1}, outputs), InputError) << "the corpus grew";
  EXPECT_EQ(read_file(directory.path("v.de")), "b\n") << "nothing was replaced";
  const std::vector<data::PairFiles> bad = {{.tsv = directory.path("new.tsv")}, {.tsv = directory.path("none/v.tsv")}};
  EXPECT_THROW(write_parts(files, parts, bad), InputError);
  EXPECT_FALSE(std::filesystem::exists(directory.path("new.tsv")));
}

TEST_F(SplitTest, NamesKnownLanguagesInTheFirstLineOfATable) {
  const std::string out = directory.path("out.tsv"), text = "question\tanswer\nen\tde\n";
  const auto written = [&](const std::string& name, const std::string& start, data::Languages languages) {
    write_parts({.parts = {{.file = directory.write(name, start + text)}}, .languages = std::move(languages)}, {0, 0},
                std::vector<data::PairFiles>{{.tsv = out}});
    return read_file(out);
  };
  EXPECT_EQ(written("a.tsv", "English\tDeutsch\n", {}), "en\tde\n" + text);
  EXPECT_EQ(written("b.tsv", "", {.source = "de", .target = "English"}), "de\ten\n" + text);
  EXPECT_EQ(written("c.tsv", "", {}), text);
  EXPECT_EQ(written("d.tsv", "", {.source = "de", .target = "x-mine"}), text) << "a first line that would be a pair";
}

TEST(PartSize, IsANumberOrAFraction) {
  EXPECT_EQ(data::parse_part_size("500", "--x").pairs, 500);
  EXPECT_EQ(data::parse_part_size("500", "--x").fraction, 1);
  EXPECT_DOUBLE_EQ(data::parse_part_size("0.1", "--x").fraction, 0.1);
  EXPECT_DOUBLE_EQ(data::parse_part_size("10%", "--x").fraction, 0.1);
  EXPECT_GT(data::parse_part_size("10%", "--x").pairs, 1'000'000'000);
  for (const char* bad : {"", "x", "-1", "0", "1.5", "100%", "0%", "nan", "inf", "1e300", "5 %", "%"})
    EXPECT_THROW(data::parse_part_size(bad, "--x"), UsageError) << bad;
}

}  // namespace
}  // namespace heed
