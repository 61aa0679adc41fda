// chrF and chrF++ (Popović, 2015 and 2017): the F-score of character n-grams and, for chrF++, of words and word pairs.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "metrics/metric.h"
#include "metrics/ngrams.h"
#include "metrics/segment.h"

namespace heed::metrics {

namespace {

bool is_ascii_punctuation(char32_t c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

// Words separated by white space. One punctuation mark at the end of a word, or else at its start, is split off: "(hi)"
// becomes "(hi" and ")".
std::vector<std::u32string_view> split_punctuation(std::u32string_view text) {
  std::vector<std::u32string_view> parts;
  for (const std::u32string_view word : split_words(text)) {
    if (word.size() > 1 && is_ascii_punctuation(word.back())) {
      parts.insert(parts.end(), {word.substr(0, word.size() - 1), word.substr(word.size() - 1)});
    } else if (word.size() > 1 && is_ascii_punctuation(word.front())) {
      parts.insert(parts.end(), {word.substr(0, 1), word.substr(1)});
    } else {
      parts.push_back(word);
    }
  }
  return parts;
}

class Chrf final : public Metric {
 public:
  Chrf(const MetricOptions& options, std::size_t word_order)
      : options_(options),
        character_order_(static_cast<std::size_t>(options.chrf_character_order)),
        word_order_(word_order) {
    check<UsageError>(options.chrf_character_order >= 1 && options.chrf_character_order <= 100,
                      "the maximum order of chrF's n-grams must be from 1 to 100, not {}",
                      options.chrf_character_order);
    check<UsageError>(options.chrf_beta >= 1 && options.chrf_beta <= 1000, "chrF's beta must be from 1 to 1000, not {}",
                      options.chrf_beta);
  }

  std::string label() const override {
    return fmt::format("chrF{}{}", options_.chrf_beta, std::string(word_order_, '+'));
  }

  // For each order, those of characters first: the n-grams of the hypothesis, of the reference, and the matched ones.
  std::size_t size() const override { return 3 * (character_order_ + word_order_); }

  void compute(std::string_view hypothesis, std::span<const std::string_view> references,
               std::span<double> statistics) const override {
    const std::u32string text = read_segment(hypothesis, options_.lowercase);
    const std::vector<std::uint32_t> symbols = characters(text);
    NgramMatcher character_matcher(symbols, character_order_);
    WordNumbers numbers;
    const auto words = number_words(numbers, text);
    NgramMatcher word_matcher(words, word_order_);

    // The reference with the best score counts; among equals, the first.
    std::vector<double> trial(size());
    double best = -1;
    for (const std::string_view line : references) {
      const std::u32string reference = read_segment(line, options_.lowercase);
      const auto parts = std::span(trial).first(3 * character_order_);
      fill(parts, character_matcher, symbols.size(), characters(reference));
      fill(std::span(trial).subspan(parts.size()), word_matcher, words.size(), number_words(numbers, reference));
      const double trial_score = score(trial, Level::sentence);
      if (trial_score <= best) continue;
      best = trial_score;
      std::copy(trial.begin(), trial.end(), statistics.begin());
    }
  }

  double score(std::span<const double> sums, Level) const override {
    constexpr double kEpsilon = 1e-16;
    const double factor = options_.chrf_beta * options_.chrf_beta;
    double smoothed = 0, precisions = 0, recalls = 0, orders = 0;
    for (std::size_t i = 0; i < sums.size(); i += 3) {
      const double hypothesis = sums[i], reference = sums[i + 1], matched = sums[i + 2];
      const double precision = hypothesis > 0 ? matched / hypothesis : kEpsilon;
      const double recall = reference > 0 ? matched / reference : kEpsilon;
      const double scale = factor * precision + recall;
      smoothed += scale > 0 ? (1 + factor) * precision * recall / scale : kEpsilon;
      if (hypothesis == 0 || reference == 0) continue;
      precisions += precision;
      recalls += recall;
      ++orders;
    }
    if (options_.chrf_epsilon_smoothing) return 100 * smoothed / static_cast<double>(character_order_ + word_order_);
    if (precisions + recalls == 0) return 0;
    const double precision = precisions / orders, recall = recalls / orders;
    return 100 * ((1 + factor) * precision * recall / (factor * precision + recall));
  }

  std::string settings(Level) const override {
    return fmt::format("case:{}|eff:{}|nc:{}|nw:{}|space:{}", options_.lowercase ? "lc" : "mixed",
                       options_.chrf_epsilon_smoothing ? "no" : "yes", character_order_, word_order_,
                       options_.chrf_whitespace ? "yes" : "no");
  }

 private:
  std::vector<std::uint32_t> characters(std::u32string_view text) const {
    std::vector<std::uint32_t> symbols;
    symbols.reserve(text.size());
    for (const char32_t c : text)
      if (options_.chrf_whitespace || !is_metric_space(c)) symbols.push_back(c);
    return symbols;
  }

  std::vector<std::uint32_t> number_words(WordNumbers& numbers, const std::u32string& text) const {
    return word_order_ > 0 ? numbers.add(text, split_punctuation) : std::vector<std::uint32_t>();
  }

  static void fill(std::span<double> triples, NgramMatcher& matcher, std::size_t hypothesis_length,
                   const std::vector<std::uint32_t>& reference) {
    const std::size_t orders = triples.size() / 3;
    std::vector<double> matched(orders);
    matcher.match(reference, matched);
    for (std::size_t k = 0; k < orders; ++k) {
      triples[3 * k + 1] = ngram_count(reference.size(), k + 1);
      // If the reference is too short for this order, the n-grams of the hypothesis do not count either.
      triples[3 * k] = triples[3 * k + 1] > 0 ? ngram_count(hypothesis_length, k + 1) : 0;
      triples[3 * k + 2] = matched[k];
    }
  }

  MetricOptions options_;
  std::size_t character_order_, word_order_;
};

}  // namespace

std::unique_ptr<Metric> make_chrf(const MetricOptions& options, std::size_t word_order) {
  return std::make_unique<Chrf>(options, word_order);
}

}  // namespace heed::metrics
