// Which constraints of a job (SearchJob::constraints) a hypothesis has met, updated word by word.
//
// A constraint is met by its words in a row, between word boundaries; a word belongs to at most one constraint. If
// several constraints begin alike, the longest counts as begun; if it is not completed, the longest completed one
// counts instead.
#pragma once

#include <span>
#include <vector>

#include "search/search_job.h"

namespace heed::search {

// The maximum number of words that the required constraints of a job need.
Index room_for(const SearchJob& job);

// How far one hypothesis has met the constraints.
struct ConstraintProgress {
  std::vector<Index> starts;  // by constraint: the index of its first word, or -1 if it is not met
  int current = -1;           // the constraint that was begun but not completed; -1: none
  Index matched = 0;          // number of its words so far
  int last = -1;              // the constraint that the last word completed; -1: none
  Index met = 0;              // number of words that belong to constraints, the current one included
  Index missing = 0;          // number of words that required constraints still need, separators included
  double bonus = 0;           // log-probability that preferred constraints add
  // How well attention agrees with the positions of the constraints, as a log-probability. It agrees if a constraint
  // was begun while its source words were attended to, and if no other word was written then.
  double agreement = 0;
  // What `agreement` gains if the constraint that was begun last turns out not to be met.
  double correction = 0;
};

// The constraints of one job. Methods other than begin() are thread-safe.
class Constraints {
 public:
  // The job's ids must outlive this object.
  void begin(const SearchJob& job, Id start);
  bool empty() const { return constraints_.empty(); }
  std::span<const Constraint> list() const { return constraints_; }
  double most_bonus() const { return most_bonus_; }

  ConstraintProgress start() const;
  // Updates the progress for `word`, which has the index `time` and follows `previous`. `attention`: the weights of its
  // step, or null.
  void advance(ConstraintProgress& progress, Id previous, Id word, Index time, const float* attention) const;
  // The attention of a step to the source words of a constraint; 1 if either is unknown.
  double attention_to(int constraint, const float* attention) const;
  // The number of words that required constraints still need after a hypothesis that ends in `previous`.
  Index room(const ConstraintProgress& progress, Id previous) const;
  // Whether the next word could increase room() beyond `most`.
  bool is_tight(const ConstraintProgress& progress, Index most) const;
  // Whether the first word of a constraint may follow `previous`.
  bool can_begin(const ConstraintProgress& progress, int constraint, Id previous) const;

 private:
  const Constraint& at(int constraint) const { return constraints_[static_cast<std::size_t>(constraint)]; }
  Index size(int constraint) const { return std::ssize(at(constraint).words); }
  Index needed(int constraint) const;
  bool joins(Id previous, Id word) const;
  bool begins_alike(int a, int b, Index words) const;
  bool is_open(const ConstraintProgress& progress, int constraint) const {
    return progress.starts[static_cast<std::size_t>(constraint)] < 0 && progress.current != constraint;
  }
  int longest_open(const ConstraintProgress& progress, Id previous, Id word, const float* attention) const;
  void take(ConstraintProgress& progress, int constraint, Index words) const;
  void release(ConstraintProgress& progress, int constraint, Index words) const;
  void reopen_joined(ConstraintProgress& progress, Id previous, Id word) const;
  bool continue_other(ConstraintProgress& progress, Id word) const;
  void abandon(ConstraintProgress& progress, Id previous, Id word, Index time) const;

  double attention_to_any(const float* attention) const;

  std::span<const Constraint> constraints_;
  std::vector<Index> sources_;  // the source words of all constraints
  std::span<const std::uint8_t> joins_;
  Id start_ = 0;
  double most_bonus_ = 0;
};

}  // namespace heed::search
