// The length limit of a translation.
#include "translate/translate_options.h"

#include <gtest/gtest.h>

namespace heed::testing {
namespace {

TEST(TranslateOptions, LimitTheLengthBySourceAndPrefix) {
  const translate::TranslateOptions options{.length_ratio = 1.5, .length_extra = 4};
  EXPECT_EQ(max_length(options, 3), 9);
  EXPECT_EQ(max_length(options, 3, 5), 9);
  EXPECT_EQ(max_length(options, 3, 20), 24);
  EXPECT_EQ(translate::max_length({.length_ratio = 100}, 1'000'000), 1'000'000);
}

TEST(TranslateOptions, HaveFlags) {
  translate::TranslateOptions values;
  Options options("test");
  declare(options, values);
  options.parse(std::vector<std::string>{"--batch", "3", "--threads", "2", "--length-ratio", "0.5", "--length-extra",
                                         "7", "--max-source-length", "50", "--beam", "9"});
  EXPECT_EQ(values.batch, 3);
  EXPECT_EQ(values.threads, 2);
  EXPECT_EQ(values.length_ratio, 0.5);
  EXPECT_EQ(values.length_extra, 7);
  EXPECT_EQ(values.max_source_length, 50);
  EXPECT_EQ(values.search.beam, 9);
}

}  // namespace
}  // namespace heed::testing
