#include "alignment/links.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "support/files.h"

namespace heed {
namespace {

std::string error_of(std::string_view line, int base = 0) {
  try {
    alignment::parse_alignment(line, base, "links.txt:7");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Alignment, ReadsSureAndPossibleLinks) {
  EXPECT_EQ(alignment::parse_alignment("0-1 2p3\t10-4  ", 0, ""),
            (alignment::Alignment{{0, 1, true}, {2, 3, false}, {10, 4, true}}));
  EXPECT_EQ(alignment::parse_alignment("1-2 3p4", 1, ""), (alignment::Alignment{{0, 1, true}, {2, 3, false}}));
  EXPECT_EQ(alignment::parse_alignment("", 0, ""), alignment::Alignment{});
  EXPECT_EQ(alignment::parse_alignment(" \t\r", 0, ""), alignment::Alignment{});
}

TEST(Alignment, MalformedLinksAreReportedWithFileAndLine) {
  for (const char* bad : {"1", "1-", "-1", "1-2-3", "1:2", "a-b", "1P2", "1--2", "1-2x", "+1-2", "1-+2", "1.0-2", "-",
                          "p", "99999999999-1", "1-2000000000", "1 - 2", "\xff-\xff"}) {
    const std::string sentence = error_of(fmt::format("0-0 {} 3-3", bad));
    EXPECT_TRUE(sentence.starts_with("links.txt:7: ")) << bad << ": " << sentence;
    EXPECT_NE(sentence.find("is not a link"), sentence.npos) << bad << ": " << sentence;
  }
  EXPECT_NE(error_of("1-1 0-1", 1).find("'0-1' uses word 0"), std::string::npos) << error_of("1-1 0-1", 1);
  EXPECT_NE(error_of("1-0", 1), "");
  EXPECT_EQ(error_of("0-0", 0), "");
}

TEST(Alignment, ReadingReportsTheLine) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.file("links.txt");
  std::ofstream(path) << "0-0\n\n1-1 x\n";
  try {
    alignment::read_alignments(path, 0);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(path + ":3: ")) << error.what();
  }
  std::ofstream(path) << "0-0\r\n\n1p1";
  EXPECT_EQ(alignment::read_alignments(path, 0),
            (std::vector<alignment::Alignment>{{{0, 0, true}}, {}, {{1, 1, false}}}));
}

TEST(Alignment, NoticesFilesThatCountFromOne) {
  const auto lines = [](std::vector<std::string> texts) {
    std::vector<alignment::Alignment> alignments;
    for (const std::string& text : texts) alignments.push_back(alignment::parse_alignment(text, 0, ""));
    return alignments;
  };
  EXPECT_TRUE(skips_first_words(lines({"1-1 2-2", "", "3p1"})));
  EXPECT_FALSE(skips_first_words(lines({"1-1 2-2", "0-3"})));
  EXPECT_FALSE(skips_first_words(lines({"1-1 2-0"})));
  EXPECT_FALSE(skips_first_words(lines({"", ""})));
}

TEST(Alignment, FormatSortsAndDropsDuplicates) {
  EXPECT_EQ(format_alignment(alignment::parse_alignment("2p3 0-1 0-1 1-0 1p0", 0, "")), "0-1 1-0 2p3");
  EXPECT_EQ(alignment::format_alignment({}), "");
}

}  // namespace
}  // namespace heed
