#include "alignment/translations.h"

#include <algorithm>

namespace heed::alignment {
namespace {

// One round of expectation maximization, for p(target | source). `cells` holds those of every pair of sentences,
// [source word][target word].
void train_round(const EncodedText& source, const EncodedText& target, const std::vector<Lexicon::Cell>& cells,
                 Lexicon& lexicon) {
  Lexicon::Counts counts = lexicon.zero_counts();
  const std::vector<float>& null_translation = lexicon.null_translation()[kForward];
  std::vector<double> sums;
  auto cell = cells.begin();
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::span<const WordId> s = source[i], t = target[i];
    const auto first = cell;
    // The probability of each target word, summed over all source words and null.
    sums.clear();
    for (const WordId word : t) sums.push_back(static_cast<double>(null_translation[word]));
    for (std::size_t a = 0; a < s.size(); ++a)
      for (double& sum : sums) sum += static_cast<double>(lexicon.translation(*cell++)[kForward]);
    cell = first;
    for (std::size_t a = 0; a < s.size(); ++a)
      for (const double sum : sums) {
        counts.translation[*cell][kForward] += static_cast<double>(lexicon.translation(*cell)[kForward]) / sum;
        ++cell;
      }
    for (std::size_t b = 0; b < t.size(); ++b)
      counts.null_translation[kForward][t[b]] += static_cast<double>(null_translation[t[b]]) / sums[b];
  }
  lexicon.update(counts);
}

}  // namespace

std::vector<std::vector<WordId>> find_translations(const EncodedText& source, const EncodedText& target,
                                                   const TranslationOptions& options) {
  Lexicon lexicon(source, target);
  std::vector<Lexicon::Cell> cells;
  for (std::size_t i = 0; i < source.size(); ++i)
    for (const WordId s : source[i])
      for (const WordId t : target[i]) cells.push_back(lexicon.cell(s, t));
  for (int round = 0; round < options.rounds; ++round) train_round(source, target, cells, lexicon);

  std::vector<std::vector<WordId>> found(source.vocabulary());
  std::vector<Lexicon::Cell> best;
  for (WordId s = 0; s < source.vocabulary(); ++s) {
    best.clear();
    for (Lexicon::Cell cell = lexicon.first_cell(s); cell < lexicon.first_cell(s + 1); ++cell) best.push_back(cell);
    // Among equals, the first.
    const auto is_better = [&](Lexicon::Cell a, Lexicon::Cell b) {
      const float p = lexicon.translation(a)[kForward], q = lexicon.translation(b)[kForward];
      return p != q ? p > q : a < b;
    };
    if (best.size() > options.most) {
      std::ranges::nth_element(best, best.begin() + static_cast<std::ptrdiff_t>(options.most), is_better);
      best.resize(options.most);
    }
    std::ranges::sort(best);
    for (const Lexicon::Cell cell : best) found[s].push_back(lexicon.target(cell));
  }
  return found;
}

}  // namespace heed::alignment
