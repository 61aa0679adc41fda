// Automatic translation metrics: BLEU, chrF, chrF++ and TER, with the scores of sacreBLEU 2, and exact matches.
//
//   const auto bleu = make_metric("bleu");
//   const SentenceStatistics sentences = sentence_statistics(*bleu, hypotheses, references);
//   fmt::print("{:.2f} {}\n", bleu->score(sentences.sums()), signature(*bleu, references.size()));
//
// A metric reduces each sentence to a few numbers, its sufficient statistics; a score is a function of their sums over
// sentences. Any resampled set of sentences can therefore be scored without the text (metrics/significance.h).
// Metrics are immutable: use one from any number of threads.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"

namespace heed::metrics {

// The settings of all metrics, with the defaults of sacreBLEU.
struct MetricOptions {
  bool lowercase = false;  // ignore case in BLEU, chrF and exact; TER has ter_case_sensitive

  std::string bleu_tokenizer = "13a";          // 13a, intl, char, none; exact uses it too
  std::string bleu_smoothing = "exp";          // none, floor, add-k, exp
  std::optional<double> bleu_smoothing_value;  // for floor (default 0.1) and add-k (default 1)
  int bleu_max_order = 4;
  bool bleu_effective_order = false;  // Level::sentence always uses it

  int chrf_character_order = 6;
  int chrf_beta = 2;
  bool chrf_whitespace = false;         // include white space in n-grams
  bool chrf_epsilon_smoothing = false;  // as in chrF++.py, instead of the effective order

  bool ter_normalized = false;  // tokenize as Tercom does
  bool ter_no_punctuation = false;
  bool ter_asian_support = false;  // both apply to Chinese and Japanese too
  bool ter_case_sensitive = false;
};

// --lowercase
void declare_lowercase(Options& o, bool& lowercase);
// --tokenize
void declare_tokenizer(Options& o, MetricOptions& v);
// What --smooth uses, for the method that it chooses.
struct SmoothingValues {
  double floor = 0.1, k = 1;
};
// All other flags, in the group Variants.
void declare_variants(Options& o, MetricOptions& v, SmoothingValues& smoothing);
// After parsing: sets bleu_smoothing_value. UsageError for a smoothing value without its method.
void resolve(MetricOptions& v, const SmoothingValues& smoothing, const Options& options);

// For a single sentence, BLEU uses only the n-gram orders that the sentence has.
enum class Level { corpus, sentence };

class Metric {
 public:
  virtual ~Metric() = default;

  // As sacreBLEU calls it: BLEU, chrF2, chrF2++, TER; exact.
  virtual std::string label() const = 0;
  virtual bool lower_is_better() const { return false; }

  // The number of statistics per sentence.
  virtual std::size_t size() const = 0;
  // Computes the statistics of one sentence against its references, of which there is at least one (it may be empty).
  // Overwrites `statistics`, which has size() elements.
  virtual void compute(std::string_view hypothesis, std::span<const std::string_view> references,
                       std::span<double> statistics) const = 0;

  // The score, in percent, of statistics summed over sentences.
  virtual double score(std::span<const double> sums, Level level = Level::corpus) const = 0;
  // The components of the score, if it has any: "60.0/40.0/… (BP = …".
  virtual std::string details(std::span<const double> /*sums*/, Level /*level*/ = Level::corpus) const { return ""; }
  // The metric's part of the signature: "case:mixed|eff:no|…".
  virtual std::string settings(Level level = Level::corpus) const = 0;
};

// The names of all metrics, for make_metric().
std::vector<std::string> metric_names();

// UsageError for an unknown metric, tokenizer or smoothing method, or a value out of range.
std::unique_ptr<Metric> make_metric(std::string_view name, const MetricOptions& options = {});

// The signature of sacreBLEU, with heed as the version: "nrefs:1|case:mixed|…|version:heed-1.2.3". `resampling`, if not
// empty, follows nrefs: "bs:1000|seed:12345".
std::string signature(const Metric& metric, std::size_t references, Level level = Level::corpus,
                      std::string_view resampling = "");

// Adds a row of statistics to sums of the same size.
void add_to(std::span<double> sums, std::span<const double> row);

// The statistics of every sentence of a corpus, one row each.
class SentenceStatistics {
 public:
  SentenceStatistics(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns), values_(rows * columns) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::span<double> row(std::size_t i) { return std::span(values_).subspan(i * columns_, columns_); }
  std::span<const double> row(std::size_t i) const { return std::span(values_).subspan(i * columns_, columns_); }
  std::vector<double> sums() const;

 private:
  std::size_t rows_, columns_;
  std::vector<double> values_;
};

// References by file: references[r][i] belongs to hypotheses[i]. InputError if the numbers of lines differ or there is
// nothing to score.
using References = std::vector<std::vector<std::string>>;
SentenceStatistics sentence_statistics(const Metric& metric, std::span<const std::string> hypotheses,
                                       const References& references);

// A corpus scored by one metric.
struct CorpusScore {
  std::string name;  // one of metric_names()
  std::shared_ptr<const Metric> metric;
  SentenceStatistics sentence_statistics;
  std::vector<double> sums;
  std::size_t references = 1;

  double score() const { return metric->score(sums); }
};
// The scores by the named metrics, in that order, ignoring repeated names. Errors as in make_metric() and
// sentence_statistics().
std::vector<CorpusScore> score_corpus(std::span<const std::string> names, const MetricOptions& options,
                                      std::span<const std::string> hypotheses, const References& references);

// The score of a corpus. Errors as in sentence_statistics().
double corpus_score(const Metric& metric, std::span<const std::string> hypotheses, const References& references);

}  // namespace heed::metrics
