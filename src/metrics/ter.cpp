// TER, the translation edit rate (Snover et al., 2006): edits divided by the length of the reference.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "metrics/metric.h"
#include "metrics/ngrams.h"
#include "metrics/segment.h"
#include "metrics/ter_edits.h"

namespace heed::metrics {

namespace {

struct Range {
  char32_t first, last;
};

template <std::size_t n>
bool in_any(const Range (&ranges)[n], char32_t c) {
  return std::ranges::any_of(ranges, [&](const Range& range) { return c >= range.first && c <= range.last; });
}

// Characters that become words: ideographs, strokes, radicals, compatibility and enclosed forms. Tercom also splits
// runs of kana, but only if they are a whole line, which never happens because its lines begin with a space.
constexpr Range kAsianCharacters[] = {{0x2E80, 0x2EFF}, {0x31C0, 0x31EF}, {0x3200, 0x4DBF},
                                      {0x4E00, 0x9FFF}, {0xF900, 0xFAFF}, {0xFE30, 0xFE4F}};
constexpr Range kAsianPunctuation[] = {{0x3001, 0x3002}, {0x3008, 0x3011}, {0x3014, 0x301F}, {0x30FB, 0x30FB},
                                       {0xFF01, 0xFF02}, {0xFF08, 0xFF09}, {0xFF0C, 0xFF0C}, {0xFF0E, 0xFF0E},
                                       {0xFF1A, 0xFF1B}, {0xFF1F, 0xFF1F}, {0xFF61, 0xFF65}};

class Ter final : public Metric {
 public:
  explicit Ter(const MetricOptions& options) : options_(options) {}

  std::string label() const override { return "TER"; }
  bool lower_is_better() const override { return true; }
  // The edits to the nearest reference and the mean length of all references.
  std::size_t size() const override { return 2; }

  void compute(std::string_view hypothesis, std::span<const std::string_view> references,
               std::span<double> statistics) const override {
    WordNumbers numbers;
    const auto words = numbers.add(tokens(hypothesis), split_words);
    auto edits = std::numeric_limits<std::int64_t>::max();
    std::size_t length = 0;
    for (const std::string_view line : references) {
      const auto reference = numbers.add(tokens(line), split_words);
      edits = std::min(edits, count_ter_edits(words, reference));
      length += reference.size();
    }
    statistics[0] = static_cast<double>(edits);
    statistics[1] = static_cast<double>(length) / static_cast<double>(references.size());
  }

  double score(std::span<const double> sums, Level) const override {
    const double edits = sums[0], length = sums[1];
    if (length > 0) return 100 * (edits / length);
    return edits > 0 ? 100 : 0;
  }

  std::string settings(Level) const override {
    const auto yes = [](bool value) { return value ? "yes" : "no"; };
    return fmt::format("case:{}|tok:tercom|norm:{}|punct:{}|asian:{}", options_.ter_case_sensitive ? "mixed" : "lc",
                       yes(options_.ter_normalized), yes(!options_.ter_no_punctuation),
                       yes(options_.ter_asian_support));
  }

 private:
  std::u32string tokens(std::string_view line) const {
    std::u32string text = read_segment(line, !options_.ter_case_sensitive);
    if (options_.ter_normalized) text = normalize(std::move(text));
    if (options_.ter_no_punctuation)
      std::erase_if(text, [&](char32_t c) {
        return std::u32string_view(U".,?:;!\"()").find(c) != std::u32string_view::npos ||
               (options_.ter_asian_support && in_any(kAsianPunctuation, c));
      });
    return text;
  }

  std::u32string normalize(std::u32string text) const {
    replace_all(text, U"\n-", U"");
    replace_all(text, U"\n", U" ");
    undo_xml_escapes(text);
    text = split_western_symbols(U' ' + text + U' ');
    replace_all(text, U"'s ", U" 's ");
    text = split_western_numbers(text);
    if (!options_.ter_asian_support) return text;
    return space_around(text, [](char32_t c) { return in_any(kAsianCharacters, c) || in_any(kAsianPunctuation, c); });
  }

  MetricOptions options_;
};

}  // namespace

std::unique_ptr<Metric> make_ter(const MetricOptions& options) {
  return std::make_unique<Ter>(options);
}

}  // namespace heed::metrics
