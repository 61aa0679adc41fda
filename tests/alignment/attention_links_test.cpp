#include "alignment/attention_links.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

// A matrix of whitespace words; the last row and column belong to the end symbols.
text::AttentionMatrix matrix_of(std::string_view source, std::string_view target, std::vector<float> weights) {
  return {.source = text::whitespace_words(source),
          .target = text::whitespace_words(target),
          .source_end = true,
          .target_end = true,
          .weights = weights};
}

std::string links_of(const text::AttentionMatrix& matrix, const alignment::LinkOptions& options = {}) {
  const text::AttentionMatrix* const one = &matrix;
  const std::span source(matrix.source), target(matrix.target);
  return format_alignment(
      attention_links({&one, 1}, source.first(source.size() - 1), target.first(target.size() - 1), options));
}

TEST(AttentionLinks, LinksEachTargetWordToTheLargestWeight) {
  const auto matrix = matrix_of("a b </s>", "x y z </s>",
                                {.7f, .2f, .1f,    // x: a
                                 .1f, .2f, .7f,    // y: the end, so nothing
                                 .4f, .4f, .2f,    // z: the first of equals
                                 .1f, .8f, .1f});  // the end's own row makes no link
  EXPECT_EQ(links_of(matrix), "0-0 0-2");
  EXPECT_EQ(links_of(matrix, {.threshold = 0.5}), "0-0");
}

TEST(AttentionLinks, NoLinksWithoutWordsOrWeights) {
  EXPECT_EQ(links_of(matrix_of("a </s>", "x </s>", {})), "");
  EXPECT_EQ(links_of(matrix_of("</s>", "x </s>", {1, 1})), "");
  EXPECT_EQ(links_of(matrix_of("a b </s>", "x </s>", {0, 0, 0, 0, 0, 0})), "");
}

TEST(AttentionLinks, ShiftUsesTheRowOfTheFollowingStep) {
  const auto matrix = matrix_of("a b </s>", "x y </s>", {.8f, .1f, .1f, .1f, .8f, .1f, .8f, .1f, .1f});
  EXPECT_EQ(links_of(matrix), "0-0 1-1");
  EXPECT_EQ(links_of(matrix, {.shift = true}), "0-1 1-0");
}

}  // namespace
}  // namespace heed
