// Hypotheses compared bit for bit.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "search/search_job.h"

namespace heed::testing {

using Results = std::vector<std::vector<search::Hypothesis>>;

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

inline void expect_same(const Results& actual, const Results& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size());
  ASSERT_FALSE(expected.empty());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(actual[i].size(), expected[i].size()) << what << ", sentence " << i;
    ASSERT_FALSE(expected[i].empty());
    for (std::size_t k = 0; k < expected[i].size(); ++k) {
      const search::Hypothesis &a = actual[i][k], &e = expected[i][k];
      ASSERT_EQ(a.words, e.words) << what << ", sentence " << i;
      ASSERT_EQ(a.score, e.score) << what << ", sentence " << i;
      ASSERT_TRUE(same_bits(a.word_log_probabilities, e.word_log_probabilities)) << what << ", sentence " << i;
      ASSERT_TRUE(same_bits(a.attention, e.attention)) << what << ", sentence " << i;
    }
  }
}

}  // namespace heed::testing
