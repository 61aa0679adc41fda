#include "model/guide_run.h"

#include <algorithm>

namespace heed::model {

GuideRun::GuideRun(Tape& tape, const Packing& target, std::span<const Ids> sources, std::span<const Guides> guides,
                   double weight)
    : tape_(tape), weight_(weight) {
  if (guides.empty()) return;
  check(guides.size() == sources.size(), "guides of {} sentences for a batch of {}", guides.size(), sources.size());
  std::size_t count = 0;
  for (const Guides& sentence : guides) count += sentence.size();
  const auto all = tape.arena().array<Guide>(count);
  // Row t of a sentence belongs to step t; there, its sorted place is its row.
  const auto steps = tape.arena().array<Guides>(static_cast<std::size_t>(target.steps));
  const auto next = tape.arena().array<std::size_t>(static_cast<std::size_t>(target.batch));
  std::ranges::fill(next, 0);
  count = 0;
  for (std::size_t t = 0; t < steps.size(); ++t) {
    const std::size_t from = count;
    for (std::size_t b = 0; b < static_cast<std::size_t>(target.active[t]); ++b) {
      const auto place = static_cast<std::size_t>(target.order[b]);
      const Guides sentence = guides[place];
      for (; next[b] < sentence.size() && sentence[next[b]].row == static_cast<Id>(t); ++next[b]) {
        const Guide& guide = sentence[next[b]];
        check(guide.column >= 0 && guide.column < static_cast<Id>(sources[place].size()),
              "a guide to word {} of a source of {}", guide.column, sources[place].size());
        all[count++] = {static_cast<Id>(b), guide.column, guide.weight};
      }
    }
    steps[t] = all.subspan(from, count - from);
  }
  check(count == all.size(), "guides past the end of a sentence, or not in the order of its words");
  steps_ = steps;
}

void GuideRun::step(std::size_t t, Var weights) {
  if (steps_.empty() || steps_[t].empty()) return;
  check<UsageError>(static_cast<bool>(weights), "a model without attention cannot be guided by word alignments");
  const Tensor losses = guide_attention(tape_, weights, steps_[t], weight_);
  for (Index i = 0; i < losses.rows(); ++i) loss_ += losses.number(i, 0);
}

}  // namespace heed::model
