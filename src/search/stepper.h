// Models advanced together, one step for many rows at a time: what a search knows of them. A row is a hypothesis; it
// continues a row of the step before. One stepper a thread; the models must outlive it.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "model/model.h"

namespace heed {

class Stepper {
 public:
  // UsageError unless the models share the target's vocabulary size and special ids.
  explicit Stepper(std::span<const Model* const> models);

  const VocabularyConfig& vocabulary() const { return models_.front().model.config().vocabulary; }
  // Whether any model has attention weights.
  bool attends() const;
  // How many weights a row has for a source of this many words.
  Index attention_width(std::size_t source_words) const;

  // Reads the sources; the next step is the first.
  void begin(std::span<const Ids> sources);

  // Row i continues row parents[i] of the last step (at the first step: the sentence) and belongs to the source
  // sentences[i]; words[i] is the last word it wrote.
  void step(Ids parents, Ids sentences, Ids words);

  // Of the last step, until the next one: the log-probability of every word; the weights, null where there are none.
  std::span<const float> log_probabilities(Index row) const { return {scores_.row<float>(row), columns(scores_)}; }
  const float* attention(Index row) const { return weights_ ? weights_.row<float>(row) : nullptr; }

 private:
  // One model and its memory. The state after a step lives on that step's tape while the next one is computed on the
  // other.
  struct Member {
    explicit Member(const Model& m) : model(m), source(m.parameters(), nullptr) {}

    const Model& model;
    Tape source;
    Tape steps[2] = {Tape(model.parameters(), nullptr), Tape(model.parameters(), nullptr)};
    Encoded encoded;
    DecoderState state;
    Tensor scores, weights;  // [n,V], [n,S] of the last step
  };

  static std::size_t columns(const Tensor& x) { return static_cast<std::size_t>(x.columns()); }
  void step_member(Member& member, Ids parents, Ids sentences, Ids words);
  void combine();

  std::deque<Member> models_;  // never moved: tapes stay where they are
  Index time_ = 0;
  std::vector<Id> begin_, length_;  // spans of the rows
  Arena mean_;                      // what several models, or one in double, are brought together in
  Tensor scores_, weights_;
};

}  // namespace heed
