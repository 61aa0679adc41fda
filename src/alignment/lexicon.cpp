#include "alignment/lexicon.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "base/error.h"

namespace heed::alignment {
namespace {

constexpr double kMinProbability = 1e-9;  // no pair of words is ever ruled out
constexpr double kNullSmoothing = 1e-3;   // additive smoothing of p(word | null)

// The sentences that contain each word, without duplicates.
struct Postings {
  explicit Postings(const EncodedText& text) : begins(text.vocabulary() + 1) {
    const auto each = [&](auto use) {
      std::vector<std::size_t> last(text.vocabulary(), std::numeric_limits<std::size_t>::max());
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

float fraction(double count, double all) {
  return static_cast<float>(all > 0 ? std::max(count / all, kMinProbability) : kMinProbability);
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
    check<InputError>(
        targets_.size() <= std::numeric_limits<Cell>::max(),
        "the texts have more pairs of co-occurring words than heed can handle (2^32); align them in parts");
    std::sort(targets_.begin() + static_cast<std::ptrdiff_t>(rows_.back()), targets_.end());
    rows_.push_back(targets_.size());
    index_row(target.vocabulary());
  }
  const auto uniform = [](std::size_t words) { return 1.0F / static_cast<float>(std::max<std::size_t>(words, 1)); };
  const PerDirection<float> initial = {uniform(target.vocabulary()), uniform(source.vocabulary())};
  translation_.assign(cells(), initial);
  null_translation_ = {std::vector(target.vocabulary(), initial[kForward]),
                       std::vector(source.vocabulary(), initial[kBackward])};
}

// Indexes the last row, if that takes at most 16 bytes per cell.
void Lexicon::index_row(std::size_t target_words) {
  const std::size_t begin = rows_[rows_.size() - 2], end = rows_.back(), blocks = target_words / 64 + 1;
  if (end - begin < blocks) return first_block_.push_back(kNoBlocks);
  const std::size_t first = blocks_.size();
  first_block_.push_back(static_cast<std::uint32_t>(first));
  blocks_.resize(first + blocks);
  for (std::size_t cell = begin; cell < end; ++cell)
    blocks_[first + targets_[cell] / 64].bits |= std::uint64_t{1} << targets_[cell] % 64;
  for (std::size_t block = first + 1; block < blocks_.size(); ++block)
    blocks_[block].before =
        blocks_[block - 1].before + static_cast<std::uint32_t>(std::popcount(blocks_[block - 1].bits));
}

Lexicon::Cell Lexicon::cell(WordId source, WordId target) const {
  if (const std::uint32_t first = first_block_[source]; first != kNoBlocks) {
    const RankBlock& block = blocks_[first + target / 64];
    const std::uint64_t before = block.bits & ((std::uint64_t{1} << target % 64) - 1);
    return static_cast<Cell>(rows_[source] + block.before + static_cast<std::size_t>(std::popcount(before)));
  }
  const auto row = std::span(targets_).subspan(rows_[source], rows_[source + 1] - rows_[source]);
  return static_cast<Cell>(&*std::ranges::lower_bound(row, target) - targets_.data());
}

Lexicon::Counts Lexicon::zero_counts() const {
  Counts counts{.translation = std::vector<PerDirection<double>>(cells()), .null_translation = {}};
  for (const Direction d : kDirections) counts.null_translation[d].resize(null_translation_[d].size());
  return counts;
}

void Lexicon::update(const Counts& counts) {
  std::vector<double> of_target(null_translation_[kForward].size());
  for (std::size_t cell = 0; cell < cells(); ++cell) of_target[targets_[cell]] += counts.translation[cell][kBackward];
  for (std::size_t row = 0; row + 1 < rows_.size(); ++row) {
    double of_source = 0;
    for (std::size_t cell = rows_[row]; cell < rows_[row + 1]; ++cell) of_source += counts.translation[cell][kForward];
    for (std::size_t cell = rows_[row]; cell < rows_[row + 1]; ++cell)
      translation_[cell] = {fraction(counts.translation[cell][kForward], of_source),
                            fraction(counts.translation[cell][kBackward], of_target[targets_[cell]])};
  }
  for (const Direction d : kDirections) {
    const std::vector<double>& null_counts = counts.null_translation[d];
    const double smoothing = kNullSmoothing * static_cast<double>(null_counts.size());
    const double all = std::accumulate(null_counts.begin(), null_counts.end(), smoothing);
    std::ranges::transform(null_counts, null_translation_[d].begin(),
                           [&](double count) { return static_cast<float>((count + kNullSmoothing) / all); });
  }
}

}  // namespace heed::alignment
