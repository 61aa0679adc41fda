// BLEU (Papineni et al., 2002) with the smoothing methods of Chen and Cherry (2014), as sacreBLEU computes it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "metrics/metric.h"
#include "metrics/ngrams.h"
#include "metrics/segment.h"

namespace heed::metrics {

namespace {

enum class Smoothing { none, floor, add_k, exp };

struct SmoothingKind {
  std::string_view name;
  Smoothing smoothing;
  std::optional<double> value;  // the default, where the method has a value
};
constexpr SmoothingKind kSmoothings[] = {
    {"none", Smoothing::none, {}},
    {"floor", Smoothing::floor, 0.1},
    {"add-k", Smoothing::add_k, 1.0},
    {"exp", Smoothing::exp, {}},
};

const SmoothingKind& find_smoothing(std::string_view name) {
  std::vector<std::string> names;
  for (const SmoothingKind& kind : kSmoothings) {
    if (kind.name == name) return kind;
    names.emplace_back(kind.name);
  }
  throw UsageError("BLEU has no smoothing {}{} (expected {})", in_quotes(name), did_you_mean(name, names),
                   fmt::join(names, ", "));
}

class Bleu final : public Metric {
 public:
  explicit Bleu(const MetricOptions& options)
      : options_(options),
        tokenizer_(find_metric_tokenizer(options.bleu_tokenizer)),
        smoothing_(find_smoothing(options.bleu_smoothing)),
        smoothing_value_(options.bleu_smoothing_value.value_or(smoothing_.value.value_or(0))),
        order_(static_cast<std::size_t>(options.bleu_max_order)) {
    check<UsageError>(options.bleu_max_order >= 1 && options.bleu_max_order <= 100,
                      "BLEU's n-grams are of order 1 to 100, not {}", options.bleu_max_order);
    check<UsageError>(smoothing_.value || !options.bleu_smoothing_value, "BLEU's smoothing {} takes no value",
                      smoothing_.name);
    check<UsageError>(std::isfinite(smoothing_value_) && smoothing_value_ >= 0,
                      "BLEU's smoothing value is 0 or more, not {}", smoothing_value_);
  }

  std::string label() const override { return "BLEU"; }
  // Two lengths, the matched n-grams by order, the hypothesis's n-grams by order.
  std::size_t size() const override { return 2 + 2 * order_; }

  void compute(std::string_view hypothesis, std::span<const std::string_view> references,
               std::span<double> statistics) const override {
    std::ranges::fill(statistics, 0);
    const std::u32string text = tokens(hypothesis);
    const auto words = split_words(text);
    WordNumbers numbers;
    NgramMatcher matcher(numbers.add(words), order_);
    std::size_t length = 0;
    for (std::size_t r = 0; r < references.size(); ++r) {
      const std::u32string reference = tokens(references[r]);
      const auto reference_words = split_words(reference);
      matcher.match_best(numbers.find(reference_words), statistics.subspan(2, order_));
      if (r == 0 || nearer(reference_words.size(), length, words.size())) length = reference_words.size();
    }
    statistics[0] = static_cast<double>(words.size());
    statistics[1] = static_cast<double>(length);
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

  // Of two reference lengths, the one nearer to the hypothesis counts; the shorter one of equals.
  static bool nearer(std::size_t a, std::size_t b, std::size_t length) {
    const auto distance = [&](std::size_t x) { return x > length ? x - length : length - x; };
    return distance(a) < distance(b) || (distance(a) == distance(b) && a < b);
  }

  bool effective_order(Level level) const { return options_.bleu_effective_order || level == Level::sentence; }

  Result evaluate(std::span<const double> sums, Level level) const {
    Result result{.precisions = std::vector<double>(order_)};
    const double length = sums[0], reference_length = sums[1];
    const auto matched = sums.subspan(2, order_), totals = sums.subspan(2 + order_, order_);
    if (length < reference_length) result.brevity_penalty = length > 0 ? std::exp(1 - reference_length / length) : 0;
    if (std::ranges::all_of(matched, [](double count) { return count == 0; })) return result;

    std::size_t orders = order_;
    double halvings = 1;
    for (std::size_t n = 0; n < order_; ++n) {
      const double added = smoothing_.smoothing == Smoothing::add_k && n > 0 ? smoothing_value_ : 0;
      const double total = totals[n] + added;
      double count = matched[n] + added;
      if (total == 0) break;
      if (effective_order(level)) orders = n + 1;
      if (count == 0 && smoothing_.smoothing == Smoothing::exp) count = 1 / (halvings *= 2);
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
