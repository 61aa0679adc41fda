// Attention: how the source's states become one context vector per step. To add a score: a file in model/attention/
// with a class of this interface, its value in enum class Score (config.h), and its row in the table of attention.cpp;
// the decoder does not change. B rows of a step, S longest source, N packed source words, De encoder output size, Hd
// decoder size, A attention size.
#pragma once

#include <memory>
#include <string_view>

#include "autograd/ops/attention.h"
#include "model/autograd.h"
#include "model/encoder.h"

namespace heed::model {

// One use of a score over the steps of a batch. Lives in the tape's arena: it is never destroyed and owns nothing.
class AttentionRun {
 public:
  // The step whose rows begin at `row`: state:[n,Hd] is what the decoder asks with, embedding:[n,E] the last word.
  // Weights are absent if the score has none.
  virtual autograd::AttentionOutput step(Index row, Var state, Var embedding, const SourceRows& rows) = 0;

 protected:
  ~AttentionRun() = default;
};

class Attention {
 public:
  virtual ~Attention() = default;
  // Once per sentence: what the steps compare with, for SourceStates::keys.
  virtual Var keys(Tape& /*tape*/, Var /*states*/) const { return {}; }
  // Prepares for steps of `rows` rows in all.
  virtual AttentionRun* begin(Tape& tape, const SourceStates& source, Index rows) const = 0;
  // The longest source it can read, or 0 for any.
  virtual Index max_length() const { return 0; }
};

// Declares the parameters of a score.
using AttentionFactory = std::unique_ptr<Attention>(const ModelConfig& config, Parameters& parameters);
AttentionFactory make_additive, make_concat, make_shared_concat, make_dot, make_scaled_dot, make_general, make_linear,
    make_location, make_constant;

struct ScoreKind {
  Score value;
  std::string_view name;
  AttentionFactory* make;                              // null: no attention
  std::string_view equation = {};                      // of h, the decoder's state, and e, an encoder state
  std::string_view remark = {};                        // what one should know about it
  bool weights = true;                                 // whether source words get weights
  void (*check)(const ModelConfig& config) = nullptr;  // UsageError if the settings do not suit it
  // For import: the tensor whose number of rows is the value of a setting.
  const char* sized_tensor = nullptr;
  int AttentionConfig::*sized_setting = nullptr;
};
const ScoreKind& score_kind(Score score);

// Puts a run into the tape's arena.
template <class Run>
AttentionRun* in_arena(Tape& tape, const Run& run) {
  static_assert(std::is_trivially_destructible_v<Run>);
  return new (tape.arena().allocate(sizeof(Run))) Run(run);
}

}  // namespace heed::model
