// Beam search with constraints: dynamic beam allocation (Post and Vilar 2018). Hypotheses compete only with those that
// have met as many words of the constraints, and the slots of the beam are dealt to these groups in turn. A hypothesis
// cannot end before it has met all required constraints, nor become so long that there is no room for them.
//
// By itself, the model would write its own translation of a term and add the less probable constraint after it.
// Attention prevents that: it lowers the rank of hypotheses that begin a constraint while they attend elsewhere, and of
// those that write another word while they attend to the constraint's source words. Scores do not include this.
#include <algorithm>
#include <cmath>

#include "search/beam.h"

namespace heed::search {
namespace {

// The log-probability of a word that a constraint needs, if the model considers the word impossible.
constexpr float kLeast = -1e6F;

// At most this many constraints may begin after a hypothesis: those whose source words have the most attention.
constexpr std::size_t kMostStarts = 8;

// The weight of attention in the rank, relative to log-probabilities. A larger weight suits constraints that the model
// would not write by itself, a smaller one those that it would.
constexpr double kAgreementWeight = 2;

// A constraint begins only if its source words have this much attention, or if the translation would end otherwise.
constexpr double kMinAttention = 0.1;

}  // namespace

double Beam::adjustment(const ConstraintProgress& progress) {
  return progress.bonus + kAgreementWeight * progress.agreement;
}

Beam::Trial& Beam::next_trial() {
  if (trial_count_ == trials_.size()) trials_.emplace_back();
  return trials_[trial_count_++];
}

// The hypothesis of a row, continued by a word.
void Beam::set_trial(std::size_t row, const Row& values, Id word, Trial& trial) const {
  const float p = values.log_probability(word);
  trial.candidate = candidate(row, word, p > kLeast ? p : kLeast);
  trial.progress = progress_[row];
  constraints_.advance(trial.progress, running_[row].word, word, time_, values.attention);
  trial.rank = trial.candidate.total + adjustment(trial.progress);
}

bool Beam::is_possible(const Trial& trial) const {
  if (trial.candidate.word == end_) return trial.progress.missing == 0;
  return constraints_.room(trial.progress, trial.candidate.word) <= limit_ - time_ - 1;
}

void Beam::try_word(std::size_t row, const Row& values, Id word) {
  set_trial(row, values, word, next_trial());
  if (!is_possible(trials_[trial_count_ - 1])) --trial_count_;
}

// The words that continue the current constraint or begin another.
void Beam::try_constraints(std::size_t row, const Row& values) {
  const ConstraintProgress& progress = progress_[row];
  const std::span<const Constraint> all = constraints_.list();
  wanted_.clear();
  if (progress.current >= 0) {
    wanted_.push_back(
        all[static_cast<std::size_t>(progress.current)].words[static_cast<std::size_t>(progress.matched)]);
    return try_word(row, values, wanted_.front());
  }
  const auto best = std::ranges::max_element(values.log_probabilities) - values.log_probabilities.begin();
  const bool ends =
      values.word(static_cast<std::size_t>(best)) == end_ || constraints_.is_tight(progress, limit_ - time_ - 1);
  open_.clear();
  for (int c = 0; c < std::ssize(all); ++c) {
    const double attention = constraints_.attention_to(c, values.attention);
    if ((ends || attention >= kMinAttention) && constraints_.can_begin(progress, c, running_[row].word))
      open_.emplace_back(-attention, c);
  }
  std::ranges::sort(open_);
  for (const auto& [ignored, c] : open_) {
    const Id word = all[static_cast<std::size_t>(c)].words.front();
    if (std::ranges::find(wanted_, word) == wanted_.end()) wanted_.push_back(word);
    if (wanted_.size() == kMostStarts) break;
  }
  for (const Id word : wanted_) try_word(row, values, word);
}

// The most probable other words.
void Beam::try_best_words(std::size_t row, const Row& values, std::size_t count) {
  const std::span<const float> p = values.log_probabilities;
  const bool tight = constraints_.is_tight(progress_[row], limit_ - time_ - 1);
  best_.clear();
  float bar = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Id word = values.word(i);
    if (!(p[i] > bar) || std::ranges::find(wanted_, word) != wanted_.end() || repeats(word)) continue;
    if (tight || word == end_) {
      set_trial(row, values, word, checked_);
      if (!is_possible(checked_)) continue;
    }
    if (best_.size() == count) best_.pop_back();
    best_.insert(std::ranges::upper_bound(best_, p[i], std::greater{}, &std::pair<float, Id>::first), {p[i], word});
    if (best_.size() == count) bar = best_.back().first;
  }
  for (const auto& [ignored, word] : best_) try_word(row, values, word);
}

// Chooses the continuations that get a slot.
void Beam::deal_slots(std::size_t slots) {
  order_.clear();
  for (std::size_t i = 0; i < trial_count_; ++i) order_.push_back(i);
  // By the number of words that belong to constraints, the most first, and then by rank.
  std::ranges::sort(order_, [&](std::size_t a, std::size_t b) {
    const Trial &x = trials_[a], &y = trials_[b];
    if (x.progress.met != y.progress.met) return x.progress.met > y.progress.met;
    return x.rank != y.rank ? x.rank > y.rank : a < b;
  });
  // In round k, every group with more than k hypotheses gets a slot.
  for (std::size_t round = 0; candidates_.size() < std::min(slots, trial_count_); ++round) {
    std::size_t position = 0;  // within its group
    for (std::size_t i = 0; i < order_.size() && candidates_.size() < slots; ++i) {
      const bool same = i > 0 && trials_[order_[i]].progress.met == trials_[order_[i - 1]].progress.met;
      position = same ? position + 1 : 0;
      if (position != round) continue;
      candidates_.push_back(trials_[order_[i]].candidate);
      candidates_.back().trial = order_[i];
    }
  }
}

void Beam::choose_constrained(std::span<const Row> rows) {
  const std::size_t slots = slots_ - finished_.size();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    find_repeats(running_[r].node);
    try_constraints(r, rows[r]);
    try_best_words(r, rows[r], slots);
  }
  deal_slots(slots);
}

// A constraint begins as soon as the decoder attends to its source words more than to all others, and at the latest
// when the translation would end otherwise.
void Beam::choose_sampled_constrained(const Row& row) {
  const ConstraintProgress& progress = progress_[0];
  const auto accept = [&](Id word) {
    try_word(0, row, word);
    if (trial_count_ == 0) return false;
    candidates_.assign(1, trials_[0].candidate);
    return true;
  };
  Id wanted = -1;
  double most = -1;
  const std::span<const Constraint> all = constraints_.list();
  if (progress.current >= 0) {
    wanted = all[static_cast<std::size_t>(progress.current)].words[static_cast<std::size_t>(progress.matched)];
    most = 1;
  }
  for (int c = 0; c < std::ssize(all) && progress.current < 0; ++c) {
    if (!constraints_.can_begin(progress, c, running_[0].word)) continue;
    const double attention = row.attention == nullptr ? 0 : constraints_.attention_to(c, row.attention);
    if (attention <= most) continue;
    most = attention;
    wanted = all[static_cast<std::size_t>(c)].words.front();
  }
  if (most > 0.5 && accept(wanted)) return;
  choose_sampled(row);
  const Id word = candidates_.empty() ? end_ : candidates_.front().word;
  candidates_.clear();
  if (accept(word) || (wanted >= 0 && accept(wanted))) return;
  // Neither leaves enough room for the constraints: takes the most probable word that does, such as a separator.
  wanted_.clear();
  try_best_words(0, row, 1);
  if (trial_count_ > 0) candidates_.assign(1, trials_[0].candidate);
}

}  // namespace heed::search
