#include "alignment/lexicon.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/error.h"

namespace heed::alignment {
namespace {

// No pair of words is ever ruled out.
constexpr double kLeast = 1e-9;
// A word that was never linked to null still may be.
constexpr double kUnseen = 1e-3;

// The sentences that each word stands in, once each.
struct Postings {
  explicit Postings(const EncodedText& text) : begins(text.vocabulary() + 1) {
    std::vector<std::size_t> last(text.vocabulary(), std::numeric_limits<std::size_t>::max());
    const auto each = [&](auto use) {
      std::ranges::fill(last, std::numeric_limits<std::size_t>::max());
      for (std::size_t i = 0; i < text.size(); ++i)
        for (const WordId word : text[i])
          if (last[word] != i) {
            last[word] = i;
            use(word, i);
          }
    };
    each([&](WordId word, std::size_t) { ++begins[word + 1]; });
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    sentences.resize(begins.back());
    auto next = begins;
    each([&](WordId word, std::size_t i) { sentences[next[word]++] = static_cast<std::uint32_t>(i); });
  }
  std::span<const std::uint32_t> operator[](WordId word) const {
    return std::span(sentences).subspan(begins[word], begins[word + 1] - begins[word]);
  }
  std::vector<std::size_t> begins;
  std::vector<std::uint32_t> sentences;
};

void set_null_translation(std::vector<float>& probabilities, const std::vector<double>& counts) {
  const double all = std::accumulate(counts.begin(), counts.end(), kUnseen * static_cast<double>(counts.size()));
  for (std::size_t word = 0; word < counts.size(); ++word)
    probabilities[word] = static_cast<float>((counts[word] + kUnseen) / all);
}

float fraction(double count, double all) {
  return static_cast<float>(all > 0 ? std::max(count / all, kLeast) : kLeast);
}

}  // namespace

void EncodedText::add(std::span<const WordId> words) {
  words_.insert(words_.end(), words.begin(), words.end());
  begins_.push_back(words_.size());
  for (const WordId word : words) vocabulary_ = std::max<std::size_t>(vocabulary_, word + std::size_t{1});
}

Lexicon::Lexicon(const EncodedText& source, const EncodedText& target) : rows_(1) {
  check(source.size() == target.size(), "{} source and {} target sentences", source.size(), target.size());
  const Postings postings(source);
  std::vector<WordId> seen(target.vocabulary(), std::numeric_limits<WordId>::max());
  for (WordId word = 0; word < source.vocabulary(); ++word) {
    for (const std::uint32_t sentence : postings[word])
      for (const WordId other : target[sentence])
        if (seen[other] != word) {
          seen[other] = word;
          targets_.push_back(other);
        }
    check<InputError>(targets_.size() <= std::numeric_limits<Cell>::max(),
                      "the texts have more pairs of words that meet than heed can count (2^32); align them in parts");
    std::sort(targets_.begin() + static_cast<std::ptrdiff_t>(rows_.back()), targets_.end());
    rows_.push_back(targets_.size());
  }
  const auto alike = [](std::size_t words) { return 1.0F / static_cast<float>(std::max<std::size_t>(words, 1)); };
  const BothWays<float> first = {alike(target.vocabulary()), alike(source.vocabulary())};
  translation_.assign(cells(), first);
  null_translation_ = {std::vector(target.vocabulary(), first.forward),
                       std::vector(source.vocabulary(), first.backward)};
}

Lexicon::Cell Lexicon::cell(WordId source, WordId target) const {
  const auto row = std::span(targets_).subspan(rows_[source], rows_[source + 1] - rows_[source]);
  return static_cast<Cell>(&*std::ranges::lower_bound(row, target) - targets_.data());
}

Lexicon::Counts Lexicon::zero_counts() const {
  return {
      std::vector<BothWays<double>>(cells()),
      {std::vector<double>(null_translation_.forward.size()), std::vector<double>(null_translation_.backward.size())}};
}

void Lexicon::update(const Counts& counts) {
  std::vector<double> of_target(null_translation_.forward.size());
  for (std::size_t cell = 0; cell < cells(); ++cell) of_target[targets_[cell]] += counts.translation[cell].backward;
  for (std::size_t row = 0; row + 1 < rows_.size(); ++row) {
    double of_source = 0;
    for (std::size_t cell = rows_[row]; cell < rows_[row + 1]; ++cell) of_source += counts.translation[cell].forward;
    for (std::size_t cell = rows_[row]; cell < rows_[row + 1]; ++cell)
      translation_[cell] = {fraction(counts.translation[cell].forward, of_source),
                            fraction(counts.translation[cell].backward, of_target[targets_[cell]])};
  }
  set_null_translation(null_translation_.forward, counts.null_translation.forward);
  set_null_translation(null_translation_.backward, counts.null_translation.backward);
}

}  // namespace heed::alignment
