#include "alignment/symmetrize.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace heed {
namespace {

std::string made(std::string_view method, std::string_view forward, std::string_view backward) {
  return format_alignment(
      symmetrize(method, alignment::parse_alignment(forward, 0, "f"), alignment::parse_alignment(backward, 0, "b")));
}

TEST(Symmetrize, IntersectionAndUnion) {
  EXPECT_EQ(made("intersection", "0-0 1-1 2-1", "0-0 1-2 2-1"), "0-0 2-1");
  EXPECT_EQ(made("union", "0-0 1-1 2-1", "0-0 1-2 2-1"), "0-0 1-1 1-2 2-1");
  for (const std::string& method : alignment::symmetrizations()) {
    EXPECT_EQ(made(method, "", ""), "") << method;
    EXPECT_EQ(made(method, "1-0 0-1", "0-1 1-0"), "0-1 1-0") << method;
  }
  EXPECT_EQ(made("intersection", "0-0", "1-1"), "");
}

TEST(Symmetrize, GrowDiagAddsNeighbors) {
  // 1-1 touches 0-0 at a corner and both its words are free; 1-2 touches it then, and word 2 is free; 4-4 touches none.
  EXPECT_EQ(made("grow-diag", "0-0 1-1 4-4", "0-0 1-2"), "0-0 1-1 1-2");
  // 1-0 touches 0-0 and 1-1, but its words have links already.
  EXPECT_EQ(made("grow-diag", "0-0 1-1 1-0", "0-0 1-1"), "0-0 1-1");
  // An empty intersection has no neighbors.
  EXPECT_EQ(made("grow-diag", "0-0", "1-1"), "");
}

TEST(Symmetrize, FinalAddsLinksOfFreeWords) {
  // 4-4 is free on both sides; 5-0 only on its source's side.
  EXPECT_EQ(made("grow-diag-final", "0-0 4-4", "0-0 5-0"), "0-0 4-4 5-0");
  EXPECT_EQ(made("grow-diag-final-and", "0-0 4-4", "0-0 5-0"), "0-0 4-4");
  // By target word: 3-2 comes before 3-4, whose source word then has a link.
  EXPECT_EQ(made("grow-diag-final-and", "3-4", "3-2"), "3-2");
}

TEST(Symmetrize, UnknownNamesAreRefused) {
  EXPECT_THROW(alignment::symmetrize("grow", {}, {}), UsageError);
}

TEST(Symmetrize, Flip) {
  EXPECT_EQ(format_alignment(flip(alignment::parse_alignment("0-1 2p0 1-1", 0, ""))), "0p2 1-0 1-1");
}

}  // namespace
}  // namespace heed
