#include "search/constraints.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heed::search {
namespace {

// What each word of a preferred constraint adds to the log-probability: seven times as probable.
constexpr double kPreferredBonus = 2;

// The minimum of the agreement with attention, so that its logarithm is finite.
constexpr double kLeastAgreement = 1e-3;

}  // namespace

Index room_for(const SearchJob& job) {
  Constraints constraints;
  constraints.begin(job, 0);
  return constraints.start().missing;
}

void Constraints::begin(const SearchJob& job, Id start) {
  constraints_ = job.constraints;
  joins_ = job.joins;
  start_ = start;
  most_bonus_ = 0;
  for (const Constraint& c : constraints_)
    if (!c.required) most_bonus_ += kPreferredBonus * static_cast<double>(c.words.size());
  sources_.clear();
  for (const Constraint& c : constraints_)
    for (Index s = c.source_from; s < c.source_to; ++s) sources_.push_back(s);
  std::ranges::sort(sources_);
  sources_.erase(std::unique(sources_.begin(), sources_.end()), sources_.end());
}

ConstraintProgress Constraints::start() const {
  ConstraintProgress progress{.starts = std::vector<Index>(constraints_.size(), -1)};
  for (int c = 0; c < std::ssize(constraints_); ++c)
    if (at(c).required) progress.missing += needed(c);
  return progress;
}

// The number of words of a constraint and, if it begins with a subword or character that joins the previous one, of a
// separator that it may need.
Index Constraints::needed(int constraint) const {
  const auto first = static_cast<std::size_t>(at(constraint).words.front());
  return size(constraint) + (!joins_.empty() && (joins_[first] & kJoinsPrevious) != 0 ? 1 : 0);
}

bool Constraints::joins(Id previous, Id word) const {
  return !joins_.empty() && previous != start_ && (joins_[static_cast<std::size_t>(previous)] & kJoinsNext) != 0 &&
         (joins_[static_cast<std::size_t>(word)] & kJoinsPrevious) != 0;
}

bool Constraints::begins_alike(int a, int b, Index words) const {
  return size(a) >= words && size(b) >= words &&
         std::equal(at(a).words.begin(), at(a).words.begin() + words, at(b).words.begin());
}

double Constraints::attention_to(int constraint, const float* attention) const {
  const Constraint& c = at(constraint);
  if (attention == nullptr || c.source_from >= c.source_to) return 1;
  double sum = 0;
  for (Index s = c.source_from; s < c.source_to; ++s) sum += static_cast<double>(attention[s]);
  return sum;
}

Index Constraints::room(const ConstraintProgress& progress, Id previous) const {
  if (progress.current >= 0 || progress.missing == 0) return progress.missing;
  const bool ends_word =
      joins_.empty() || previous == start_ || (joins_[static_cast<std::size_t>(previous)] & kJoinsNext) == 0;
  for (int c = 0; c < std::ssize(constraints_) && ends_word; ++c)
    if (at(c).required && is_open(progress, c) && needed(c) > size(c)) return progress.missing - 1;
  return progress.missing;
}

bool Constraints::is_tight(const ConstraintProgress& progress, Index most) const {
  const Index lost =
      (progress.current >= 0 ? progress.matched + 1 : 0) + (progress.last >= 0 ? size(progress.last) + 1 : 0);
  return progress.missing + lost > most;
}

double Constraints::attention_to_any(const float* attention) const {
  double sum = 0;
  for (const Index s : sources_) sum += static_cast<double>(attention[s]);
  return sum;
}

bool Constraints::can_begin(const ConstraintProgress& progress, int constraint, Id previous) const {
  return is_open(progress, constraint) && !joins(previous, at(constraint).words.front());
}

// The longest open constraint that begins with `word`; of equally long ones, that with the most attention. -1: none.
int Constraints::longest_open(const ConstraintProgress& progress, Id previous, Id word, const float* attention) const {
  int best = -1;
  for (int c = 0; c < std::ssize(constraints_); ++c) {
    if (at(c).words.front() != word || !can_begin(progress, c, previous)) continue;
    if (best < 0 || size(c) > size(best) ||
        (size(c) == size(best) && attention_to(c, attention) > attention_to(best, attention)))
      best = c;
  }
  return best;
}

// take() counts the first words of a constraint as met; release() no longer counts them.
void Constraints::take(ConstraintProgress& progress, int constraint, Index words) const {
  progress.met += words;
  if (at(constraint).required)
    progress.missing -= words + needed(constraint) - size(constraint);
  else
    progress.bonus += kPreferredBonus * static_cast<double>(words);
}
void Constraints::release(ConstraintProgress& progress, int constraint, Index words) const {
  progress.met -= words;
  if (at(constraint).required)
    progress.missing += words + needed(constraint) - size(constraint);
  else
    progress.bonus -= kPreferredBonus * static_cast<double>(words);
}

// Reopens the constraint that was just completed if the next word joins it: "Hund" followed by "e" is another word.
void Constraints::reopen_joined(ConstraintProgress& progress, Id previous, Id word) const {
  const int last = std::exchange(progress.last, -1);
  if (last < 0 || !joins(previous, word)) return;
  progress.starts[static_cast<std::size_t>(last)] = -1;
  release(progress, last, size(last));
  progress.agreement += progress.correction;
}

// Switches to another open constraint that begins with the words so far and this one; false if there is none.
bool Constraints::continue_other(ConstraintProgress& progress, Id word) const {
  int best = -1;
  for (int c = 0; c < std::ssize(constraints_); ++c)
    if (is_open(progress, c) && size(c) > progress.matched && begins_alike(c, progress.current, progress.matched) &&
        at(c).words[static_cast<std::size_t>(progress.matched)] == word && (best < 0 || size(c) > size(best)))
      best = c;
  if (best < 0) return false;
  release(progress, progress.current, progress.matched);
  take(progress, best, progress.matched);
  progress.current = best;
  return true;
}

// Gives up the current constraint. Its first words may still meet a shorter one.
void Constraints::abandon(ConstraintProgress& progress, Id previous, Id word, Index time) const {
  const int current = std::exchange(progress.current, -1);
  const Index matched = std::exchange(progress.matched, 0);
  release(progress, current, matched);
  int best = -1;
  for (int c = 0; c < std::ssize(constraints_); ++c) {
    if (c == current || !is_open(progress, c) || size(c) > matched || !begins_alike(c, current, size(c))) continue;
    const bool joined = size(c) == matched
                            ? joins(previous, word)
                            : joins(at(c).words.back(), at(current).words[static_cast<std::size_t>(size(c))]);
    if (!joined && (best < 0 || size(c) > size(best))) best = c;
  }
  if (best < 0) {
    progress.agreement += progress.correction;
    return;
  }
  take(progress, best, size(best));
  progress.starts[static_cast<std::size_t>(best)] = time - matched;
}

void Constraints::advance(ConstraintProgress& progress, Id previous, Id word, Index time,
                          const float* attention) const {
  reopen_joined(progress, previous, word);
  int& current = progress.current;
  const bool continues = current >= 0 && (at(current).words[static_cast<std::size_t>(progress.matched)] == word ||
                                          continue_other(progress, word));
  if (continues) {
    progress.met += 1;
    if (at(current).required)
      progress.missing -= 1;
    else
      progress.bonus += kPreferredBonus;
    ++progress.matched;
  } else {
    if (current >= 0) abandon(progress, previous, word, time);
    current = longest_open(progress, previous, word, attention);
    // Attention of a half or more agrees fully.
    const auto log_agreement = [](double agrees) { return std::log(std::clamp(2 * agrees, kLeastAgreement, 1.0)); };
    const double of_other_word = log_agreement(1 - (attention == nullptr ? 0 : attention_to_any(attention)));
    if (current < 0) {
      progress.agreement += of_other_word;
      return;
    }
    const double of_constraint = log_agreement(attention_to(current, attention));
    progress.agreement += of_constraint;
    progress.correction = of_other_word - of_constraint;
    take(progress, current, 1);
    progress.matched = 1;
  }
  if (progress.matched < size(current)) return;
  progress.starts[static_cast<std::size_t>(current)] = time + 1 - progress.matched;
  progress.last = std::exchange(current, -1);
  progress.matched = 0;
}

}  // namespace heed::search
