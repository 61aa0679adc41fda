#include "table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "viz/label.h"

namespace heed::cli {
namespace {

TEST(Tables, AlignTheFirstColumnLeftAndTheOthersRight) {
  const Table table{.head = {"run", "BLEU", "x"}, .rows = {{"a", "1.25", "€"}, {"longer", "10", ""}}};
  EXPECT_EQ(table.text(0), "run     BLEU  x\na       1.25  €\nlonger    10\n");
}

TEST(Tables, FitEveryWidthWithoutLosingAColumn) {
  const Table table{.head = {"run", "first", "second", "third column"},
                    .rows = {{"a long name of a run 日本語", "1", "22", "a very long value that no terminal likes"},
                             {"b\x1b[31m", "4", "55", "6"}}};
  for (std::size_t width = 20; width <= 120; ++width) {
    std::istringstream lines(table.text(width));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(viz::terminal_columns(line), width) << line;
      EXPECT_EQ(line.find('\x1b'), line.npos);
    }
    for (const char* part : {"first", "second", "third", "22", "55", "6", "a very"})
      EXPECT_NE(table.text(width).find(part), std::string::npos) << width << " " << part;
  }
}

TEST(Tables, MayHaveOneColumn) {
  EXPECT_EQ((Table{.head = {"run"}, .rows = {{"a"}}}.text(80)), "run\na\n");
}

}  // namespace
}  // namespace heed::cli
