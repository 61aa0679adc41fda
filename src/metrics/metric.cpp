#include "metrics/metric.h"

#include <algorithm>

#include "base/nearest.h"
#include "base/version.h"

namespace heed::metrics {

std::unique_ptr<Metric> make_bleu(const MetricOptions& options);
std::unique_ptr<Metric> make_chrf(const MetricOptions& options, std::size_t word_order);
std::unique_ptr<Metric> make_ter(const MetricOptions& options);
std::unique_ptr<Metric> make_exact(const MetricOptions& options);

namespace {

struct MetricKind {
  std::string_view name;
  std::unique_ptr<Metric> (*make)(const MetricOptions& options);
};
constexpr MetricKind kMetrics[] = {
    {"bleu", make_bleu},                                                 // word n-grams
    {"chrf", [](const MetricOptions& o) { return make_chrf(o, 0); }},    // character n-grams
    {"chrf++", [](const MetricOptions& o) { return make_chrf(o, 2); }},  // character n-grams, words and word pairs
    {"ter", make_ter},      // edits and shifts per word of the reference; lower is better
    {"exact", make_exact},  // translations equal to a reference
};

}  // namespace

std::vector<std::string> metric_names() {
  return row_names(kMetrics);
}

std::unique_ptr<Metric> make_metric(std::string_view name, const MetricOptions& options) {
  return find_row(kMetrics, name, "there is no metric").make(options);
}

std::string signature(const Metric& metric, std::size_t references, Level level, std::string_view resampling) {
  return fmt::format("nrefs:{}{}{}|{}|version:heed-{}", references, resampling.empty() ? "" : "|", resampling,
                     metric.settings(level), kVersion);
}

void add_to(std::span<double> sums, std::span<const double> row) {
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += row[k];
}

std::vector<double> SentenceStatistics::sums() const {
  std::vector<double> sums(columns_);
  for (std::size_t i = 0; i < rows_; ++i) add_to(sums, row(i));
  return sums;
}

SentenceStatistics sentence_statistics(const Metric& metric, std::span<const std::string> hypotheses,
                                       const References& references) {
  check<InputError>(!references.empty(), "there is no reference to score against");
  check<InputError>(!hypotheses.empty(), "there is no sentence to score");
  std::vector<std::size_t> counts;
  for (const auto& reference : references) counts.push_back(reference.size());
  check<InputError>(std::ranges::count(counts, hypotheses.size()) == std::ssize(counts),
                    "there are {} hypotheses, but the references have {} lines", hypotheses.size(),
                    fmt::join(counts, ", "));
  SentenceStatistics statistics(hypotheses.size(), metric.size());
  std::vector<std::string_view> lines(references.size());
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    for (std::size_t r = 0; r < references.size(); ++r) lines[r] = references[r][i];
    metric.compute(hypotheses[i], lines, statistics.row(i));
  }
  return statistics;
}

std::vector<CorpusScore> score_corpus(std::span<const std::string> names, const MetricOptions& options,
                                      std::span<const std::string> hypotheses, const References& references) {
  std::vector<CorpusScore> all;
  for (const std::string& name : names) {
    if (std::ranges::any_of(all, [&](const CorpusScore& score) { return score.name == name; })) continue;
    auto metric = make_metric(name, options);
    SentenceStatistics sentences = sentence_statistics(*metric, hypotheses, references);
    auto sums = sentences.sums();
    all.push_back({name, std::move(metric), std::move(sentences), std::move(sums), references.size()});
  }
  return all;
}

double corpus_score(const Metric& metric, std::span<const std::string> hypotheses, const References& references) {
  return metric.score(sentence_statistics(metric, hypotheses, references).sums());
}

void declare_lowercase(Options& o, bool& lowercase) {
  o.flag("lowercase", lowercase, "ignore case in BLEU, chrF and exact matches; TER always does");
}

}  // namespace heed::metrics
