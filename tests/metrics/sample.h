// A tiny test set with cases that are difficult for metrics: numbers, hyphens, quotes, escapes, Greek capitals, an
// empty translation. An independent implementation of the published definitions computed the expected scores.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "metrics/metric.h"

namespace heed {

inline const std::vector<std::string> kSampleHypotheses = {
    "The ferry leaves at 9:30, doesn't it?",
    "Prices rose by 1,200.50 euros – \"far too much\", they said.",
    "Old maps & new roads (see p. 12-14).",
    "Τι ΩΡΑΣ είναι; 5 o'clock.",
    "",
};
inline const metrics::References kSampleReferences = {
    {"The ferry departs at 9:30, doesn't it?", "Prices went up by 1,200.50 euros - \"much too far\", she said.",
     "New roads & old maps (see pp. 12-14).", "Τι ΩΡΑ είναι; Five o'clock.", "Nothing was said."},
    {"At 9:30 the ferry leaves, doesn't it?", "The prices rose by 1,200.50 euros, “far too much”, they said.",
     "Old maps and new roads, see p. 12-14.", "τι ωρας είναι; 5 o'clock.", "No answer."},
};

// The score of one sentence with its references.
inline double sentence_score(const metrics::Metric& metric, std::string_view hypothesis,
                             std::span<const std::string_view> references) {
  std::vector<double> statistics(metric.size());
  metric.compute(hypothesis, references, statistics);
  return metric.score(statistics, metrics::Level::sentence);
}

// The first `count` references.
inline metrics::References sample_references(std::size_t count) {
  return {kSampleReferences.begin(), kSampleReferences.begin() + static_cast<std::ptrdiff_t>(count)};
}

inline std::vector<std::string> metric_words(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from < line.size();) {
    const std::size_t end = std::min(line.find(' ', from), line.size());
    if (end > from) words.emplace_back(line.substr(from, end - from));
    from = end + 1;
  }
  return words;
}

}  // namespace heed
