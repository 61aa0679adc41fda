// BLEU (Papineni et al., 2002) with the smoothing methods of Chen and Cherry (2014), as sacreBLEU computes it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/nearest.h"
#include "metrics/metric.h"
#include "metrics/ngrams.h"
#include "metrics/segment.h"

namespace heed::metrics {

namespace {

enum class Smoothing { none, floor, add_k, exp };

struct SmoothingKind {
  std::string_view name;
  Smoothing smoothing;
  std::optional<double> value;  // the default, if the method has a value
};
constexpr SmoothingKind kSmoothings[] = {
    {"none", Smoothing::none, {}},
    {"floor", Smoothing::floor, 0.1},
    {"add-k", Smoothing::add_k, 1.0},
    {"exp", Smoothing::exp, {}},
};

class Bleu final : public Metric {
 public:
  explicit Bleu(const MetricOptions& options)
      : options_(options),
        tokenizer_(find_metric_tokenizer(options.bleu_tokenizer)),
        smoothing_(find_row(kSmoothings, options.bleu_smoothing, "BLEU has no smoothing")),
        smoothing_value_(options.bleu_smoothing_value.value_or(smoothing_.value.value_or(0))),
        order_(static_cast<std::size_t>(options.bleu_max_order)) {
    check<UsageError>(options.bleu_max_order >= 1 && options.bleu_max_order <= 100,
                      "the maximum order of BLEU's n-grams must be from 1 to 100, not {}", options.bleu_max_order);
    check<UsageError>(smoothing_.value || !options.bleu_smoothing_value, "BLEU's smoothing {} takes no value",
                      smoothing_.name);
    check<UsageError>(std::isfinite(smoothing_value_) && smoothing_value_ >= 0,
                      "BLEU's smoothing value must be 0 or more, not {}", smoothing_value_);
  }

  std::string label() const override { return "BLEU"; }
  // The lengths of hypothesis and reference, then the matched n-grams of each order, then the hypothesis's n-grams of
  // each order.
  std::size_t size() const override { return 2 + 2 * order_; }

  void compute(std::string_view hypothesis, std::span<const std::string_view> references,
               std::span<double> statistics) const override {
    std::ranges::fill(statistics, 0);
    WordNumbers numbers;
    const auto words = numbers.add(tokens(hypothesis), split_words);
    NgramMatcher matcher(words, order_);
    // The reference length is the one closest to the length of the hypothesis; of two equally close ones, the shorter.
    std::pair nearest(std::numeric_limits<std::size_t>::max(), std::size_t{0});  // distance, length
    for (const std::string_view line : references) {
      const auto reference = numbers.add(tokens(line), split_words);
      matcher.match_best(reference, statistics.subspan(2, order_));
      const auto [shorter, longer] = std::minmax({words.size(), reference.size()});
      nearest = std::min(nearest, std::pair(longer - shorter, reference.size()));
    }
    statistics[0] = static_cast<double>(words.size());
    statistics[1] = static_cast<double>(nearest.second);
    for (std::size_t n = 1; n <= order_; ++n) statistics[1 + order_ + n] = ngram_count(words.size(), n);
  }

  double score(std::span<const double> sums, Level level) const override { return evaluate(sums, level).score; }

  std::string details(std::span<const double> sums, Level level) const override {
    const Result result = evaluate(sums, level);
    const double ratio = sums[1] > 0 ? sums[0] / sums[1] : 0;
    return fmt::format("{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {:.0f} ref_len = {:.0f})",
                       fmt::join(result.precisions, "/"), result.brevity_penalty, ratio, sums[0], sums[1]);
  }

  std::string settings(Level level) const override {
    const std::string value = smoothing_.value ? fmt::format("[{:.2f}]", smoothing_value_) : "";
    return fmt::format("case:{}|eff:{}|tok:{}|smooth:{}{}", options_.lowercase ? "lc" : "mixed",
                       effective_order(level) ? "yes" : "no", tokenizer_.name, smoothing_.name, value);
  }

 private:
  struct Result {
    double score = 0;
    double brevity_penalty = 1;
    std::vector<double> precisions;
  };

  std::u32string tokens(std::string_view line) const {
    return tokenizer_.apply(read_segment(line, options_.lowercase));
  }

  bool effective_order(Level level) const { return options_.bleu_effective_order || level == Level::sentence; }

  Result evaluate(std::span<const double> sums, Level level) const {
    Result result{.precisions = std::vector<double>(order_)};
    const double length = sums[0], reference_length = sums[1];
    const auto matched = sums.subspan(2, order_), totals = sums.subspan(2 + order_, order_);
    if (length < reference_length) result.brevity_penalty = length > 0 ? std::exp(1 - reference_length / length) : 0;
    if (std::ranges::all_of(matched, [](double count) { return count == 0; })) return result;

    std::size_t orders = order_;
    double divisor = 1;
    for (std::size_t n = 0; n < order_; ++n) {
      const double added = smoothing_.smoothing == Smoothing::add_k && n > 0 ? smoothing_value_ : 0;
      const double total = totals[n] + added;
      double count = matched[n] + added;
      if (total == 0) break;
      if (effective_order(level)) orders = n + 1;
      if (count == 0 && smoothing_.smoothing == Smoothing::exp) count = 1 / (divisor *= 2);
      if (count == 0 && smoothing_.smoothing == Smoothing::floor) count = smoothing_value_;
      result.precisions[n] = 100 * count / total;
    }
    double logs = 0;
    for (std::size_t n = 0; n < orders; ++n) {
      if (result.precisions[n] == 0) return result;
      logs += std::log(result.precisions[n]);
    }
    result.score = result.brevity_penalty * std::exp(logs / static_cast<double>(orders));
    return result;
  }

  MetricOptions options_;
  const MetricTokenizer& tokenizer_;
  const SmoothingKind& smoothing_;
  double smoothing_value_;
  std::size_t order_;
};

}  // namespace

std::unique_ptr<Metric> make_bleu(const MetricOptions& options) {
  return std::make_unique<Bleu>(options);
}

}  // namespace heed::metrics
