#include "metrics/alignment.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "support/files.h"

namespace heed {
namespace {

AlignmentScore score(std::string_view hypothesis, std::string_view gold) {
  AlignmentScore result;
  result.add(parse_alignment(hypothesis, 0, "h"), parse_alignment(gold, 0, "g"));
  return result;
}

std::string error_of(std::string_view line, int base = 0) {
  try {
    parse_alignment(line, base, "links.txt:7");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Alignment, ReadsSureAndPossibleLinks) {
  EXPECT_EQ(parse_alignment("0-1 2p3\t10-4  ", 0, ""), (Alignment{{0, 1, true}, {2, 3, false}, {10, 4, true}}));
  EXPECT_EQ(parse_alignment("1-2 3p4", 1, ""), (Alignment{{0, 1, true}, {2, 3, false}}));
  EXPECT_EQ(parse_alignment("", 0, ""), Alignment{});
  EXPECT_EQ(parse_alignment(" \t\r", 0, ""), Alignment{});
}

TEST(Alignment, MalformedLinksAreNamedWithTheirPlace) {
  for (const char* bad : {"1", "1-", "-1", "1-2-3", "1:2", "a-b", "1P2", "1--2", "1-2x", "+1-2", "1-+2", "1.0-2", "-",
                          "p", "99999999999-1", "1-2000000000", "1 - 2", "\xff-\xff"}) {
    const std::string sentence = error_of(fmt::format("0-0 {} 3-3", bad));
    EXPECT_TRUE(sentence.starts_with("links.txt:7: ")) << bad << ": " << sentence;
    EXPECT_NE(sentence.find("is no link"), sentence.npos) << bad << ": " << sentence;
  }
  EXPECT_NE(error_of("1-1 0-1", 1).find("'0-1' has a word 0"), std::string::npos) << error_of("1-1 0-1", 1);
  EXPECT_NE(error_of("1-0", 1), "");
  EXPECT_EQ(error_of("0-0", 0), "");
}

TEST(Alignment, FilesNameTheLine) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.file("links.txt");
  std::ofstream(path) << "0-0\n\n1-1 x\n";
  try {
    read_alignments(path, 0);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(path + ":3: ")) << error.what();
  }
  std::ofstream(path) << "0-0\r\n\n1p1";
  EXPECT_EQ(read_alignments(path, 0), (std::vector<Alignment>{{{0, 0, true}}, {}, {{1, 1, false}}}));
}

TEST(AlignmentScore, ByHand) {
  // Four links, three of them possible, two of those sure; three sure ones in all.
  const AlignmentScore result = score("0-0 1-1 2-2 5-5", "0-0 1-1 3-3 2p2 4p4");
  EXPECT_DOUBLE_EQ(result.precision(), 75);
  EXPECT_NEAR(result.recall(), 200. / 3, 1e-10);
  EXPECT_NEAR(result.aer(), 100 - 100 * 5. / 7, 1e-10);
  EXPECT_EQ(result.links(), 4);
  EXPECT_EQ(result.sure_links(), 3);
  EXPECT_EQ(result.possible_links(), 5);
}

TEST(AlignmentScore, PerfectWorstAndEmpty) {
  EXPECT_EQ(score("0-0 1-1", "1-1 0-0").aer(), 0);
  // Possible links may be there or not.
  EXPECT_EQ(score("0-0 1-1", "0-0 1p1 2p2").aer(), 0);
  EXPECT_EQ(score("0-0", "0-0 1p1 2p2").aer(), 0);
  EXPECT_EQ(score("0-1 1-0", "0-0 1-1").aer(), 100);
  EXPECT_EQ(score("", "0-0").aer(), 100);
  EXPECT_EQ(score("", "0-0").precision(), 0);
  EXPECT_EQ(score("0-0", "").aer(), 100);
  EXPECT_EQ(score("", "").aer(), 0);
}

TEST(AlignmentScore, RepeatedLinksCountOnceAndSureWins) {
  const AlignmentScore result = score("0-0 0-0 0p0 1p1", "0-0 0p0 1p1 1-1 1-1");
  EXPECT_EQ(result.links(), 2);
  EXPECT_EQ(result.sure_links(), 2);
  EXPECT_EQ(result.possible_links(), 2);
  EXPECT_EQ(result.aer(), 0);
}

TEST(AlignmentScore, CountsOverTheCorpus) {
  AlignmentScore result;
  result.add(parse_alignment("0-0", 0, ""), parse_alignment("0-0", 0, ""));
  result.add(parse_alignment("0-0 1-1 2-2", 0, ""), parse_alignment("0-1", 0, ""));
  EXPECT_DOUBLE_EQ(result.precision(), 25);
  EXPECT_DOUBLE_EQ(result.recall(), 50);
  EXPECT_NEAR(result.aer(), 100 - 100 * 2. / 6, 1e-10);
}

TEST(Alignment, NoticesFilesThatCountFromOne) {
  const auto lines = [](std::vector<std::string> texts) {
    std::vector<Alignment> alignments;
    for (const std::string& text : texts) alignments.push_back(parse_alignment(text, 0, ""));
    return alignments;
  };
  EXPECT_TRUE(skips_first_words(lines({"1-1 2-2", "", "3p1"})));
  EXPECT_FALSE(skips_first_words(lines({"1-1 2-2", "0-3"})));
  EXPECT_FALSE(skips_first_words(lines({"1-1 2-0"})));
  EXPECT_FALSE(skips_first_words(lines({"", ""})));
}

TEST(AlignmentScore, PublishedErrorRates) {
  const auto directory = testing::shared_directory() / "data/wordalign";
  if (!std::filesystem::exists(directory)) GTEST_SKIP() << "needs " << directory << ", which is not here";
  const auto gold = read_alignments((directory / "gold.talp").string(), 1);
  const auto aer = [&](const char* name) {
    const auto links = read_alignments((directory / name).string(), 0);
    EXPECT_EQ(links.size(), gold.size());
    AlignmentScore result;
    for (std::size_t i = 0; i < links.size(); ++i) result.add(links[i], gold[i]);
    return fmt::format("{:.2f}", result.aer());
  };
  EXPECT_EQ(aer("giza.grow-diagonal-final.talp"), "20.55");
  EXPECT_EQ(aer("fastalign.talp"), "28.46");
}

}  // namespace
}  // namespace heed
