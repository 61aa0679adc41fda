// One or several models that decode together, one step for many rows at a time. A row is a hypothesis; it continues a
// row of the previous step. One stepper per thread; the models must outlive it.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "kernels/project_rows.h"
#include "model/model.h"
#include "search/search_job.h"

namespace heed::search {

class Stepper {
 public:
  // UsageError unless the models have the same vocabulary sizes and special ids.
  explicit Stepper(std::span<const model::Model* const> models);

  const model::VocabularyConfig& vocabulary() const { return models_.front().model.config().vocabulary; }
  // Whether any model has attention.
  bool has_attention() const;
  // The number of attention weights per row for a source of this many words.
  Index attention_width(std::size_t source_words) const;

  // UsageError if a model cannot read a source of this many words.
  void check_source(std::size_t source_words) const {
    for (const Member& m : models_) m.model.check_source(source_words);
  }

  // Adds sources. Of the previous ones only those in `kept` stay; they are renumbered 0, 1, … in this order and the new
  // ones follow. At the next step, the new sources continue one row each, from the returned row on.
  Id join(Ids kept, std::span<const Ids> sources);

  // Row i continues row parents[i] of the last step and belongs to the source sentences[i]; words[i] is its last word.
  // candidates[i]: the words that may follow, ascending; empty: all. Rows of a sentence are neighbors and have the same
  // candidates. `candidates` itself may be empty; what it refers to must live until the next step.
  void step(Ids parents, Ids sentences, Ids words, std::span<const Ids> candidates = {});

  // Results of the last step, valid until the next one: the log-probability of every word, or of every candidate; the
  // candidates; the attention weights, null if there are none.
  std::span<const float> log_probabilities(Index row) const { return {scores_.row<float>(row), width(row)}; }
  Ids candidates(Index row) const { return candidates_.empty() ? Ids() : candidates_[static_cast<std::size_t>(row)]; }
  const float* attention(Index row) const { return weights_ ? weights_.row<float>(row) : nullptr; }

  bool can_trace() const { return models_.size() == 1; }
  // If can_trace(): a row of the last step, with this many of the most probable words, but without `input` and
  // `written`.
  TraceStep trace(Index row, std::size_t source_words, int choices) const {
    return trace(row, source_words, choices, log_probabilities(row));
  }
  // The same for other log-probabilities.
  TraceStep trace(Index row, std::size_t source_words, int choices, std::span<const float> log_probabilities) const;
  // If can_trace(): the encoder states of a source, [S][De].
  std::vector<std::vector<float>> encoder_states(Id sentence) const;
  // From the next step on, `edit` changes the attention weights of all models; null: no change.
  void set_edit(const model::EditWeights* edit) { edit_ = edit; }

 private:
  // One model and its memory. Steps alternate between two tapes, because a step reads the previous state; so do
  // sources, because those that stay are copied when others join.
  struct Member {
    explicit Member(const model::Model& m) : model(m) {}

    Tensor top(const model::DecoderState& s) const {
      return s.cells[static_cast<std::size_t>(model.config().decoder.layers - 1)].h.value;
    }

    const model::Model& model;
    autograd::Tape sources[2] = {autograd::Tape(model.parameters(), nullptr),
                                 autograd::Tape(model.parameters(), nullptr)};
    autograd::Tape steps[2] = {autograd::Tape(model.parameters(), nullptr),
                               autograd::Tape(model.parameters(), nullptr)};
    std::size_t current = 0;  // index of the sources' tape
    model::Encoded encoded;
    model::DecoderState state;
    // Of the last step: the log-probabilities [n,V], and the numbers for a trace.
    Tensor scores, embedding, before, readout;
    model::DecoderRun::Step step;
  };

  // The number of words that a row has log-probabilities of.
  std::size_t width(Index row) const {
    const Ids own = candidates(row);
    return own.empty() ? static_cast<std::size_t>(vocabulary().target) : own.size();
  }
  Tensor score_words(Member& member, autograd::Tape& tape, autograd::Var readouts);
  void join_member(Member& member, Ids kept, std::span<const Ids> sources);
  void step_member(Member& member, Ids parents, Ids sentences, Ids words);
  void combine();

  const model::EditWeights* edit_ = nullptr;
  std::deque<Member> models_;  // a deque: tapes cannot be moved
  Index time_ = 0;
  std::vector<Id> begin_, length_;  // by row: the range of its source
  std::vector<Ids> candidates_;     // by row of the last step; empty if no row has candidates
  std::vector<kernels::WordGroup> groups_;
  Arena mean_;  // memory for the mean of several models, or one in double
  Tensor scores_, weights_;
};

}  // namespace heed::search
