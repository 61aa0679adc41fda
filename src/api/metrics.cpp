#include "heed/metrics.h"

#include "api/convert.h"
#include "api/guard.h"
#include "api/settings.h"
#include "metrics/significance.h"

namespace heed {
namespace {

metrics::MetricOptions settle_metrics(const MetricOptions& wanted) {
  metrics::MetricOptions options;
  metrics::SmoothingValues smoothing;
  Options registry("score");
  declare_tokenizer(registry, options);
  declare_variants(registry, options, smoothing);
  api::apply_settings(registry, wanted.settings);
  resolve(options, smoothing, registry);
  options.lowercase = wanted.lowercase;
  return options;
}

ScoreInterval to_public(const metrics::Interval& interval) {
  return {interval.mean, interval.half_width, interval.low, interval.high};
}

}  // namespace

std::vector<MetricScore> score_translations(const std::vector<std::string>& translations,
                                            const std::vector<std::vector<std::string>>& references,
                                            const MetricOptions& options) {
  return api::guarded([&] {
    std::vector<MetricScore> scores;
    for (const metrics::CorpusScore& scored :
         score_corpus(options.metrics, settle_metrics(options), translations, references))
      scores.push_back(api::to_public(scored, options.sentences));
    return scores;
  });
}

std::vector<SystemComparison> compare_translations(const std::vector<std::string>& baseline,
                                                   const std::vector<std::string>& system,
                                                   const std::vector<std::vector<std::string>>& references,
                                                   const MetricOptions& options, const ResamplingOptions& resampling) {
  return api::guarded([&] {
    const metrics::MetricOptions settled = settle_metrics(options);
    const auto first = score_corpus(options.metrics, settled, baseline, references);
    const auto second = score_corpus(options.metrics, settled, system, references);
    std::vector<SystemComparison> all;
    for (std::size_t i = 0; i < first.size(); ++i) {
      const metrics::SystemComparison result =
          compare_systems(*first[i].metric, first[i].sentence_statistics, second[i].sentence_statistics,
                          {resampling.bootstrap_samples, resampling.randomization_trials, resampling.seed});
      all.push_back({first[i].name, first[i].metric->label(), result.baseline_score, result.system_score,
                     to_public(result.baseline_interval), to_public(result.system_interval),
                     to_public(result.difference_interval), result.bootstrap_p, result.randomization_p});
    }
    return all;
  });
}

}  // namespace heed
