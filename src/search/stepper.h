// Models advanced together, one step for many rows at a time: what a search knows of them. A row is a hypothesis; it
// continues a row of the step before. One stepper per thread; the models must outlive it.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "model/model.h"
#include "search/search_job.h"

namespace heed::search {

class Stepper {
 public:
  // UsageError unless the models share the target's vocabulary size and special ids.
  explicit Stepper(std::span<const model::Model* const> models);

  const model::VocabularyConfig& vocabulary() const { return models_.front().model.config().vocabulary; }
  // Whether any model has attention weights.
  bool attends() const;
  // How many weights a row has for a source of this many words.
  Index attention_width(std::size_t source_words) const;

  // UsageError if a model cannot read a source of this many words.
  void check_source(std::size_t source_words) const {
    for (const Member& m : models_) m.model.check_source(source_words);
  }

  // Reads sources. Of those that were there, the ones in `kept` stay and are 0, 1, … from now on, with the new ones
  // behind them. At the next step the new ones continue the rows from the returned number on, one each.
  Id join(Ids kept, std::span<const Ids> sources);

  // Row i continues row parents[i] of the last step and belongs to the source sentences[i]; words[i] is the last word
  // it wrote.
  void step(Ids parents, Ids sentences, Ids words);

  // Of the last step, until the next one: the log-probability of every word; the weights, null if there are none.
  std::span<const float> log_probabilities(Index row) const { return {scores_.row<float>(row), columns(scores_)}; }
  const float* attention(Index row) const { return weights_ ? weights_.row<float>(row) : nullptr; }

  // One model only: what it computed for a row of the last step, with so many of the likeliest words, without the words
  // read and written; and what the encoder made of a source, [S][De].
  bool can_trace() const { return models_.size() == 1; }
  TraceStep trace(Index row, std::size_t source_words, int choices) const;
  std::vector<std::vector<float>> encoder_states(Id sentence) const;

 private:
  // One model and its memory. The state after a step lives on that step's tape while the next one is computed on the
  // other; likewise sources that stay are copied from one tape to the other when others join.
  struct Member {
    explicit Member(const model::Model& m) : model(m) {}

    const model::Model& model;
    autograd::Tape sources[2] = {autograd::Tape(model.parameters(), nullptr),
                                 autograd::Tape(model.parameters(), nullptr)};
    autograd::Tape steps[2] = {autograd::Tape(model.parameters(), nullptr),
                               autograd::Tape(model.parameters(), nullptr)};
    std::size_t current = 0;  // the tape of the sources
    model::Encoded encoded;
    model::DecoderState state;
    // Of the last step: [n,V], [n,S]; and what only a trace shows.
    Tensor scores, weights;
    Tensor embedding, before, attention_scores, context, readout;
  };

  static std::size_t columns(const Tensor& x) { return static_cast<std::size_t>(x.columns()); }
  void join_member(Member& member, Ids kept, std::span<const Ids> sources);
  void step_member(Member& member, Ids parents, Ids sentences, Ids words);
  void combine();

  std::deque<Member> models_;  // never moved: tapes stay where they are
  Index time_ = 0;
  std::vector<Id> begin_, length_;  // spans of the rows
  Arena mean_;                      // what several models, or one in double, are brought together in
  Tensor scores_, weights_;
};

}  // namespace heed::search
