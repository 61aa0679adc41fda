// Attention that is guided by word alignments: the guides of a batch, step by step as the rows of the attention come.
#pragma once

#include "autograd/ops/attention.h"
#include "model/autograd.h"
#include "model/packing.h"
#include "tensor/guide.h"

namespace heed::model {

class GuideRun {
 public:
  // `guides` of each pair, by target word then source word; empty: none at all. The gradient is that of `weight` times
  // the sum of the losses.
  GuideRun(Tape& tape, const Packing& target, std::span<const Ids> sources, std::span<const Guides> guides,
           double weight);

  // weights:[n,S] of step t. UsageError if there is a guide but there are no weights.
  void step(std::size_t t, Var weights);
  // The sum so far.
  double loss() const { return loss_; }

 private:
  Tape& tape_;
  double weight_, loss_ = 0;
  std::span<const Guides> steps_;  // in the arena
};

}  // namespace heed::model
