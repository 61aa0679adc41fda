// The percentage of translations that match a reference word for word. Words are those of BLEU: the same tokenizer, the
// same treatment of case.
#include <algorithm>

#include "metrics/metric.h"
#include "metrics/segment.h"

namespace heed::metrics {
namespace {

class Exact final : public Metric {
 public:
  explicit Exact(const MetricOptions& options)
      : lowercase_(options.lowercase), tokenizer_(find_metric_tokenizer(options.bleu_tokenizer)) {}

  std::string label() const override { return "exact"; }
  // 1 if the sentence matches, otherwise 0; and a constant 1, whose sum is the number of sentences.
  std::size_t size() const override { return 2; }

  void compute(std::string_view hypothesis, std::span<const std::string_view> references,
               std::span<double> statistics) const override {
    const std::u32string text = tokens(hypothesis);
    const bool matches = std::ranges::any_of(references, [&](std::string_view reference) {
      const std::u32string other = tokens(reference);
      return split_words(text) == split_words(other);
    });
    statistics[0] = matches ? 1 : 0;
    statistics[1] = 1;
  }

  double score(std::span<const double> sums, Level) const override { return 100 * sums[0] / sums[1]; }

  std::string settings(Level) const override {
    return fmt::format("case:{}|tok:{}", lowercase_ ? "lc" : "mixed", tokenizer_.name);
  }

 private:
  std::u32string tokens(std::string_view line) const { return tokenizer_.apply(read_segment(line, lowercase_)); }

  bool lowercase_;
  const MetricTokenizer& tokenizer_;
};

}  // namespace

std::unique_ptr<Metric> make_exact(const MetricOptions& options) {
  return std::make_unique<Exact>(options);
}

}  // namespace heed::metrics
