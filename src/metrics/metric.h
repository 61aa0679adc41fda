// Automatic metrics of translation, equal to sacreBLEU 2: BLEU, chrF, chrF++, TER.
//
//   const auto bleu = make_metric("bleu");
//   const SentenceStatistics sentences = sentence_statistics(*bleu, hypotheses, references);
//   fmt::print("{:.2f} {}\n", bleu->score(sentences.sums()), signature(*bleu, references.size()));
//
// A metric turns each sentence into a few numbers, its sufficient statistics; a score is a function of their sums over
// sentences. So a score of any resampled set of sentences costs no second look at the text (metrics/significance.h).
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

// Settings of all metrics, with sacreBLEU's defaults.
struct MetricOptions {
  bool lowercase = false;  // of BLEU and chrF; TER has ter_case_sensitive

  std::string bleu_tokenizer = "13a";          // 13a, intl, char, none
  std::string bleu_smoothing = "exp";          // none, floor, add-k, exp
  std::optional<double> bleu_smoothing_value;  // of floor (0.1) and add-k (1)
  int bleu_max_order = 4;
  bool bleu_effective_order = false;  // on for single sentences in any case

  int chrf_character_order = 6;
  int chrf_beta = 2;
  bool chrf_whitespace = false;         // white space is part of n-grams
  bool chrf_epsilon_smoothing = false;  // as chrF++.py does, instead of the effective order

  bool ter_normalized = false;  // Tercom's tokenization
  bool ter_no_punctuation = false;
  bool ter_asian_support = false;  // for the two above: Chinese and Japanese too
  bool ter_case_sensitive = false;
};

// --lowercase
void declare_lowercase(Options& o, bool& lowercase);

// Of one sentence, BLEU counts only the orders that the sentence has.
enum class Level { corpus, sentence };

class Metric {
 public:
  virtual ~Metric() = default;

  // As sacreBLEU calls it: BLEU, chrF2, chrF2++, TER.
  virtual std::string label() const = 0;
  virtual bool lower_is_better() const { return false; }

  // How many numbers the statistics of a sentence have.
  virtual std::size_t size() const = 0;
  // Writes the statistics of one sentence against its references, of which there is at least one (an empty line counts
  // as one); `statistics` has size() elements, of any value before.
  virtual void compute(std::string_view hypothesis, std::span<const std::string_view> references,
                       std::span<double> statistics) const = 0;

  // The score, in percent, of statistics added up over sentences.
  virtual double score(std::span<const double> sums, Level level = Level::corpus) const = 0;
  // What there is to say beyond the score, or nothing: "60.0/40.0/… (BP = …".
  virtual std::string details(std::span<const double> /*sums*/, Level /*level*/ = Level::corpus) const { return ""; }
  // The metric's own part of the signature: "case:mixed|eff:no|…".
  virtual std::string settings(Level level = Level::corpus) const = 0;
};

// Every name that make_metric() knows.
std::vector<std::string> metric_names();

// An unknown metric, tokenizer or smoothing method, and a value out of range, are UsageErrors.
std::unique_ptr<Metric> make_metric(std::string_view name, const MetricOptions& options = {});

// sacreBLEU's signature, with heed as the version: "nrefs:1|case:mixed|…|version:heed-1.2.3". `resampling` stands
// behind nrefs if there was some: "bs:1000|seed:12345".
std::string signature(const Metric& metric, std::size_t references, Level level = Level::corpus,
                      std::string_view resampling = "");

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

// References by file: references[r][i] belongs to hypotheses[i]. An InputError with all counts if they differ, or
// if there is nothing to score.
using References = std::vector<std::vector<std::string>>;
SentenceStatistics sentence_statistics(const Metric& metric, std::span<const std::string> hypotheses,
                                       const References& references);

// A corpus scored by one metric.
struct CorpusScore {
  std::string name;  // in the table of metrics
  std::shared_ptr<const Metric> metric;
  SentenceStatistics sentences;
  std::vector<double> sums;
  std::size_t references = 1;

  double score() const { return metric->score(sums); }
};
// By each metric named, in that order, a name given twice once. Errors as make_metric() and sentence_statistics().
std::vector<CorpusScore> score_corpus(std::span<const std::string> names, const MetricOptions& options,
                                      std::span<const std::string> hypotheses, const References& references);

// Both in one: the score of a corpus.
double corpus_score(const Metric& metric, std::span<const std::string> hypotheses, const References& references);

}  // namespace heed::metrics
