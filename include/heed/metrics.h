// Scores of translations: BLEU, chrF, chrF++ and TER exactly as sacreBLEU 2 computes them, and exact matches.
//
//   for (const heed::MetricScore& s : heed::score_translations(translations, {references}))
//     std::cout << s.label << ' ' << s.score << ' ' << s.signature << '\n';
//
// All functions are thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/settings.h"

namespace heed {

struct MetricOptions {
  std::vector<std::string> metrics = {"bleu", "chrf", "ter"};  // also chrf++ and exact
  bool lowercase = false;                                      // ignore case in BLEU, chrF and exact
  // The other options of `heed score` about metrics: "tokenize", "smooth", "chrf-beta", "ter-normalized", …
  Settings settings = {};
  bool sentences = false;  // also return a score per sentence
};

struct MetricScore {
  std::string name, label;        // "bleu", "BLEU"
  double score = 0;               // in percent
  bool lower_is_better = false;   // TER
  std::string details;            // the components of BLEU
  std::string signature;          // as sacreBLEU writes it, with heed as the version
  std::vector<double> sentences;  // if requested
};

// References by set: references[r][i] belongs to translations[i]. The scores are in the order of the metrics.
HEED_API std::vector<MetricScore> score_translations(const std::vector<std::string>& translations,
                                                     const std::vector<std::vector<std::string>>& references,
                                                     const MetricOptions& options = {});

// The 95% confidence interval of a score over bootstrap samples.
struct ScoreInterval {
  double mean = 0, half_width = 0;
  double low = 0, high = 0;
};

// Two systems on the same sentences.
struct SystemComparison {
  std::string name, label;                      // of the metric
  double baseline_score = 0, system_score = 0;  // in percent
  ScoreInterval baseline, system, difference;   // difference: system minus baseline
  double bootstrap_p = 1, randomization_p = 1;  // two-sided, by paired bootstrap and approximate randomization
};

struct ResamplingOptions {
  std::int64_t bootstrap_samples = 1000, randomization_trials = 10000;
  std::uint64_t seed = 12345;
};

HEED_API std::vector<SystemComparison> compare_translations(const std::vector<std::string>& baseline,
                                                            const std::vector<std::string>& system,
                                                            const std::vector<std::vector<std::string>>& references,
                                                            const MetricOptions& options = {},
                                                            const ResamplingOptions& resampling = {});

}  // namespace heed
