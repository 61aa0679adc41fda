#include "metrics/metric.h"

#include <algorithm>

#include "base/error.h"
#include "base/nearest.h"
#include "base/version.h"
#include "metrics/segment.h"

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
    SentenceStatistics statistics = sentence_statistics(*metric, hypotheses, references);
    auto sums = statistics.sums();
    all.push_back({name, std::move(metric), std::move(statistics), std::move(sums), references.size()});
  }
  return all;
}

double corpus_score(const Metric& metric, std::span<const std::string> hypotheses, const References& references) {
  return metric.score(sentence_statistics(metric, hypotheses, references).sums());
}

void declare_lowercase(Options& o, bool& lowercase) {
  o.flag("lowercase", lowercase, "ignore case in BLEU, chrF and exact matches; TER always does");
}

void declare_tokenizer(Options& o, MetricOptions& v) {
  o.flag("tokenize", v.bleu_tokenizer, "BLEU's tokenizer", choices(metric_tokenizer_names()));
}

void declare_variants(Options& o, MetricOptions& v, SmoothingValues& smoothing) {
  o.group("Variants");
  o.flag("smooth", v.bleu_smoothing, "BLEU's smoothing of n-gram orders without a match",
         choices({"none", "floor", "add-k", "exp"}));
  o.flag("smooth-floor", smoothing.floor, "count that --smooth floor uses instead of 0", at_least(0));
  o.flag("smooth-k", smoothing.k, "count that --smooth add-k adds", at_least(0));
  o.flag("effective-order", v.bleu_effective_order,
         "BLEU ignores n-gram orders longer than the text (always on for single sentences)");
  o.flag("chrf-char-order", v.chrf_character_order, "maximum character n-gram order of chrF", range(1, 20));
  o.flag("chrf-beta", v.chrf_beta, "weight of recall relative to precision in chrF", range(1, 100));
  o.flag("chrf-whitespace", v.chrf_whitespace, "include white space in chrF's n-grams");
  o.flag("chrf-eps-smoothing", v.chrf_epsilon_smoothing, "average chrF's F-scores over the orders, as chrF++.py does");
  o.flag("ter-normalized", v.ter_normalized, "tokenize for TER as Tercom does");
  o.flag("ter-no-punct", v.ter_no_punctuation, "ignore punctuation in TER");
  o.flag("ter-asian-support", v.ter_asian_support,
         "apply --ter-normalized and --ter-no-punct to Chinese and Japanese as well");
  o.flag("ter-case-sensitive", v.ter_case_sensitive, "make TER case-sensitive");
}

void resolve(MetricOptions& v, const SmoothingValues& smoothing, const Options& options) {
  const bool floor = v.bleu_smoothing == "floor", add_k = v.bleu_smoothing == "add-k";
  check<UsageError>(floor || !options.is_set(&smoothing.floor), "--smooth-floor needs --smooth floor");
  check<UsageError>(add_k || !options.is_set(&smoothing.k), "--smooth-k needs --smooth add-k");
  if (floor) v.bleu_smoothing_value = smoothing.floor;
  if (add_k) v.bleu_smoothing_value = smoothing.k;
}

}  // namespace heed::metrics
