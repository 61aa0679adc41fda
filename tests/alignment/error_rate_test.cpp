#include "alignment/error_rate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/files.h"

namespace heed {
namespace {

alignment::AlignmentScore score(std::string_view hypothesis, std::string_view gold) {
  alignment::AlignmentScore result;
  result.add(alignment::parse_alignment(hypothesis, 0, "h"), alignment::parse_alignment(gold, 0, "g"));
  return result;
}

TEST(AlignmentScore, ByHand) {
  // Four links, three of them possible, two of those sure; three sure ones in all.
  const alignment::AlignmentScore result = score("0-0 1-1 2-2 5-5", "0-0 1-1 3-3 2p2 4p4");
  EXPECT_DOUBLE_EQ(result.precision(), 75);
  EXPECT_NEAR(result.recall(), 200. / 3, 1e-10);
  EXPECT_NEAR(result.aer(), 100 - 100 * 5. / 7, 1e-10);
  EXPECT_EQ(result.links(), 4);
  EXPECT_EQ(result.sure_links(), 3);
  EXPECT_EQ(result.possible_links(), 5);
}

TEST(AlignmentScore, PerfectWorstAndEmpty) {
  EXPECT_EQ(score("0-0 1-1", "1-1 0-0").aer(), 0);
  // Possible links are optional.
  EXPECT_EQ(score("0-0 1-1", "0-0 1p1 2p2").aer(), 0);
  EXPECT_EQ(score("0-0", "0-0 1p1 2p2").aer(), 0);
  EXPECT_EQ(score("0-1 1-0", "0-0 1-1").aer(), 100);
  EXPECT_EQ(score("", "0-0").aer(), 100);
  EXPECT_EQ(score("", "0-0").precision(), 0);
  EXPECT_EQ(score("0-0", "").aer(), 100);
  EXPECT_EQ(score("", "").aer(), 0);
}

TEST(AlignmentScore, DuplicateLinksCountOnceAndSureWins) {
  const alignment::AlignmentScore result = score("0-0 0-0 0p0 1p1", "0-0 0p0 1p1 1-1 1-1");
  EXPECT_EQ(result.links(), 2);
  EXPECT_EQ(result.sure_links(), 2);
  EXPECT_EQ(result.possible_links(), 2);
  EXPECT_EQ(result.aer(), 0);
}

TEST(AlignmentScore, CountsOverTheCorpus) {
  alignment::AlignmentScore result;
  result.add(alignment::parse_alignment("0-0", 0, ""), alignment::parse_alignment("0-0", 0, ""));
  result.add(alignment::parse_alignment("0-0 1-1 2-2", 0, ""), alignment::parse_alignment("0-1", 0, ""));
  EXPECT_DOUBLE_EQ(result.precision(), 25);
  EXPECT_DOUBLE_EQ(result.recall(), 50);
  EXPECT_NEAR(result.aer(), 100 - 100 * 2. / 6, 1e-10);
}

TEST(AlignmentScore, PublishedErrorRates) {
  const auto directory = testing::shared_directory() / "data/wordalign";
  if (!std::filesystem::exists(directory)) GTEST_SKIP() << "needs " << directory << ", which is not here";
  const auto gold = alignment::read_alignments((directory / "gold.talp").string(), 1);
  const auto aer = [&](const char* name) {
    const auto links = alignment::read_alignments((directory / name).string(), 0);
    EXPECT_EQ(links.size(), gold.size());
    alignment::AlignmentScore result;
    for (std::size_t i = 0; i < links.size(); ++i) result.add(links[i], gold[i]);
    return fmt::format("{:.2f}", result.aer());
  };
  EXPECT_EQ(aer("giza.grow-diagonal-final.talp"), "20.55");
  EXPECT_EQ(aer("fastalign.talp"), "28.46");
}

}  // namespace
}  // namespace heed
