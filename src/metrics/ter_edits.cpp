#include "metrics/ter_edits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"

namespace heed::metrics {

namespace {

using Words = std::vector<std::uint32_t>;
using Cost = std::int32_t;

// The limits of Tercom; kMaxTrials is sacreBLEU's.
constexpr std::size_t kMaxShiftLength = 10;
constexpr std::size_t kMaxShiftDistance = 50;
constexpr double kBeamWidth = 25;
constexpr int kMaxTrials = 1000;

constexpr Cost kUnreachable = 1'000'000'000;

enum class Step : std::uint8_t { none, keep, replace, remove, insert };

// How the cheapest sequence of edits aligns the words of both sides.
struct Alignment {
  std::vector<std::size_t> hypothesis_end;                      // by reference word: hypothesis words up to its edit
  std::vector<std::uint8_t> reference_wrong, hypothesis_wrong;  // whether a word is edited
};

// Levenshtein distance to one reference, within a beam around the diagonal. Row i has the distances of the first i
// words of the hypothesis, only in the columns of the beam. All hypotheses have the same length.
class BeamDistance {
 public:
  BeamDistance(std::size_t length, std::span<const std::uint32_t> reference);

  // Sets the words that distance() and alignment() refer to.
  void set_base(const Words& words);
  Cost base_distance() const { return rows_.back().costs.back(); }
  Alignment alignment() const;

  // The distance of words that differ from the base only in [from, to).
  Cost distance(const Words& words, std::size_t from, std::size_t to);

 private:
  struct Row {
    std::int64_t from = 0;  // the first column
    std::vector<Cost> costs;
    std::vector<Step> steps;
    Cost cost(std::int64_t column) const {
      const std::int64_t k = column - from;
      return k < 0 || k >= std::ssize(costs) ? kUnreachable : costs[static_cast<std::size_t>(k)];
    }
  };

  void set_columns(Row& row, std::size_t i) const;
  template <bool with_steps>
  void compute(Row& row, const Row& above, std::uint32_t word) const;

  std::span<const std::uint32_t> reference_;
  std::vector<Row> rows_;  // of the base
  Row trial_[2];
};

BeamDistance::BeamDistance(std::size_t length, std::span<const std::uint32_t> reference)
    : reference_(reference), rows_(length + 1) {
  for (std::size_t i = 0; i <= length; ++i) set_columns(rows_[i], i);
  for (std::size_t j = 0; j < rows_[0].costs.size(); ++j) rows_[0].costs[j] = static_cast<Cost>(j);
}

void BeamDistance::set_columns(Row& row, std::size_t i) const {
  const std::size_t length = rows_.size() - 1;
  const auto columns = std::ssize(reference_) + 1;
  std::int64_t end = columns;
  if (i > 0) {
    const double ratio = static_cast<double>(reference_.size()) / static_cast<double>(length);
    // If the lengths are very different, adjacent rows would not overlap in the plain beam.
    const double width = kBeamWidth < ratio / 2 ? std::ceil(ratio / 2 + kBeamWidth) : kBeamWidth;
    const double diagonal = std::floor(static_cast<double>(i) * ratio);
    row.from = static_cast<std::int64_t>(std::max(0.0, diagonal - width));
    if (i < length) end = std::min(columns, static_cast<std::int64_t>(diagonal + width));
  }
  row.costs.resize(static_cast<std::size_t>(end - row.from));
}

// Among equal costs, keeping or replacing is preferred to removing, and removing to inserting: Tercom's preference with
// both sides exchanged.
template <bool with_steps>
void BeamDistance::compute(Row& row, const Row& above, std::uint32_t word) const {
  const std::size_t columns = row.costs.size();
  if (with_steps) row.steps.assign(columns, Step::none);
  Cost left = kUnreachable;
  Cost diagonal = above.cost(row.from - 1);
  for (std::size_t k = 0; k < columns; ++k) {
    const std::int64_t column = row.from + static_cast<std::int64_t>(k);
    const Cost up = above.cost(column);
    const bool same = column > 0 && reference_[static_cast<std::size_t>(column - 1)] == word;
    Cost best = column > 0 ? diagonal + !same : kUnreachable;
    Step step = same ? Step::keep : Step::replace;
    if (up + 1 < best) std::tie(best, step) = std::pair(up + 1, Step::remove);
    if (left + 1 < best) std::tie(best, step) = std::pair(left + 1, Step::insert);
    if (best >= kUnreachable) std::tie(best, step) = std::pair(kUnreachable, Step::none);
    if (with_steps) row.steps[k] = step;
    row.costs[k] = left = best;
    diagonal = up;
  }
}

// The difference between the costs of two rows, if it is the same in every column.
std::optional<Cost> constant_change(const std::vector<Cost>& costs, const std::vector<Cost>& others) {
  std::optional<Cost> change;
  for (std::size_t k = 0; k < costs.size(); ++k) {
    if ((costs[k] == kUnreachable) != (others[k] == kUnreachable)) return {};
    if (costs[k] == kUnreachable) continue;
    if (!change) change = costs[k] - others[k];
    if (costs[k] - others[k] != *change) return {};
  }
  return change;
}

void BeamDistance::set_base(const Words& words) {
  for (std::size_t i = 1; i < rows_.size(); ++i) compute<true>(rows_[i], rows_[i - 1], words[i - 1]);
}

Cost BeamDistance::distance(const Words& words, std::size_t from, std::size_t to) {
  const Row* above = &rows_[from];
  for (std::size_t i = from + 1; i < rows_.size(); ++i) {
    Row& row = trial_[i % 2];
    row.from = rows_[i].from;
    row.costs.resize(rows_[i].costs.size());
    compute<false>(row, *above, words[i - 1]);
    above = &row;
    if (i < to) continue;
    // The remaining words are the base's: if a row differs from the base's by a constant, so do all later rows.
    if (const auto change = constant_change(row.costs, rows_[i].costs)) return base_distance() + *change;
  }
  return above->costs.back();
}

Alignment BeamDistance::alignment() const {
  Alignment result;
  result.hypothesis_end.resize(reference_.size());
  result.reference_wrong.resize(reference_.size(), 1);
  result.hypothesis_wrong.resize(rows_.size() - 1, 1);
  std::size_t i = rows_.size() - 1, j = reference_.size();
  while (i > 0 || j > 0) {
    const Row& row = rows_[i];
    const Step step = i == 0 ? Step::insert : row.steps[j - static_cast<std::size_t>(row.from)];
    check<InternalError>(step != Step::none, "TER's beam has no path at {}, {}", i, j);
    if (step != Step::remove) result.hypothesis_end[j - 1] = i;
    if (step == Step::keep) result.reference_wrong[j - 1] = result.hypothesis_wrong[i - 1] = 0;
    if (step != Step::insert) --i;
    if (step != Step::remove) --j;
  }
  return result;
}

// Moves `length` words at `start` in front of the word that was at `target`; a target inside the block or right after
// it moves the block that far to the right. Returns the end of the part that changed.
std::size_t shift(Words& words, std::size_t start, std::size_t length, std::size_t target) {
  const auto at = [&](std::size_t i) { return words.begin() + static_cast<std::ptrdiff_t>(i); };
  if (target < start) {
    std::rotate(at(target), at(start), at(start + length));
    return start + length;
  }
  const std::size_t end = std::min(target > start + length ? target : target + length, words.size());
  std::rotate(at(start), at(start + length), at(end));
  return end;
}

// The greedy search for shifts of one pair of sentences.
class ShiftSearch {
 public:
  ShiftSearch(std::span<const std::uint32_t> hypothesis, std::span<const std::uint32_t> reference)
      : words_(hypothesis.begin(), hypothesis.end()), reference_(reference), distance_(words_.size(), reference) {}

  std::int64_t run() {
    std::int64_t shifts = 0;
    for (distance_.set_base(words_); find_best(); distance_.set_base(words_)) {
      words_ = best_words_;
      ++shifts;
    }
    return shifts + distance_.base_distance();
  }

 private:
  // Finds the shift that saves the most edits; false if none saves any or the trials are used up.
  bool find_best() {
    alignment_ = distance_.alignment();
    best_ = {0, 0, 0, 0};
    for (std::size_t start = 0; start < words_.size(); ++start) {
      const std::size_t first = start - std::min(start, kMaxShiftDistance);
      const std::size_t end = std::min(reference_.size(), start + kMaxShiftDistance + 1);
      for (std::size_t goal = first; goal < end; ++goal)
        if (!try_block(start, goal)) return false;
    }
    return best_[0] > 0;
  }

  // Tries blocks of 1, 2, 3, … equal words that begin at `start` in the hypothesis and at `goal` in the reference.
  // False if the trials are used up.
  bool try_block(std::size_t start, std::size_t goal) {
    const std::size_t longest = std::min({kMaxShiftLength, words_.size() - start, reference_.size() - goal});
    const std::size_t aligned = alignment_.hypothesis_end[goal];
    bool hypothesis_wrong = false, reference_wrong = false;
    for (std::size_t length = 1; length <= longest; ++length) {
      const std::size_t h = start + length - 1, r = goal + length - 1;
      if (words_[h] != reference_[r]) break;
      // A block is not moved if all its words are already right, or if all words at its goal are.
      hypothesis_wrong |= alignment_.hypothesis_wrong[h] != 0;
      reference_wrong |= alignment_.reference_wrong[r] != 0;
      if (!hypothesis_wrong || !reference_wrong) continue;
      if (start < aligned && aligned <= start + length) continue;
      try_targets(start, goal, length);
      if (trials_ >= kMaxTrials) return false;
    }
    return true;
  }

  void try_targets(std::size_t start, std::size_t goal, std::size_t length) {
    std::optional<std::size_t> previous;
    for (std::size_t word = goal; word <= goal + length; ++word) {  // the targets follow words goal - 1, goal, …
      const std::size_t target = word == 0 ? 0 : alignment_.hypothesis_end[word - 1];
      if (target == previous) continue;
      previous = target;
      trial_words_ = words_;
      const std::size_t end = shift(trial_words_, start, length, target);
      const Cost cost = distance_.distance(trial_words_, std::min(start, target), end);
      ++trials_;
      // The largest saving, then the longest block, then the earliest one, then the earliest target.
      const Rank rank = {distance_.base_distance() - cost, static_cast<std::int64_t>(length),
                         -static_cast<std::int64_t>(start), -static_cast<std::int64_t>(target)};
      if (rank > best_) {
        best_ = rank;
        best_words_ = trial_words_;
      }
    }
  }

  using Rank = std::array<std::int64_t, 4>;

  Words words_, trial_words_, best_words_;
  std::span<const std::uint32_t> reference_;
  BeamDistance distance_;
  Alignment alignment_;
  Rank best_ = {};
  int trials_ = 0;
};

}  // namespace

std::int64_t count_ter_edits(std::span<const std::uint32_t> hypothesis, std::span<const std::uint32_t> reference) {
  if (reference.empty()) return std::ssize(hypothesis);
  return ShiftSearch(hypothesis, reference).run();
}

}  // namespace heed::metrics
