// Attention: turns the encoder's states e_1 … e_S into one context vector per decoder step,
//
//   context = Σ_s weight_s e_s,   weight = softmax_s(score(h, e_s))
//
// To add a score: a file in model/attention/ with a class of this interface, its value in enum class Score (config.h),
// and its row in the table of attention.cpp; the decoder does not change. n rows of a step, S longest source, N packed
// source words, De encoder output size, Hd decoder size, A attention size.
#pragma once

#include <memory>
#include <string_view>

#include "autograd/ops/attention.h"
#include "model/autograd.h"
#include "model/encoder.h"

namespace heed::model {

// A score applied to the steps of one batch. Lives in the tape's arena: it is never destroyed and owns nothing.
class AttentionRun {
 public:
  // The step whose rows begin at `row`: state:[n,Hd] is the query, embedding:[n,E] the previous word. Weights are
  // absent if the score has none.
  virtual autograd::AttentionOutput step(Index row, Var state, Var embedding, const SourceRows& rows) = 0;

 protected:
  ~AttentionRun() = default;
};

// A run that calls step(row, state, embedding, rows).
template <class Step>
AttentionRun* make_run(Tape& tape, Step step) {
  static_assert(std::is_trivially_destructible_v<Step>);
  struct Run final : AttentionRun {
    explicit Run(const Step& s) : body(s) {}
    autograd::AttentionOutput step(Index row, Var state, Var embedding, const SourceRows& rows) override {
      return body(row, state, embedding, rows);
    }
    Step body;
  };
  return new (tape.arena().allocate(sizeof(Run))) Run(step);
}

class Attention {
 public:
  virtual ~Attention() = default;
  // SourceStates::keys, computed once per sentence from states:[N,De].
  virtual Var keys(Tape& /*tape*/, Var /*states*/) const { return {}; }
  // Prepares for the steps of a batch, `rows` rows in all.
  virtual AttentionRun* begin(Tape& tape, const SourceStates& source, Index rows) const = 0;
  // The longest source it can read; 0: any length.
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
  std::string_view equation = {};                      // h: decoder state, e: encoder state
  std::string_view remark = {};                        // a note for help texts and attention maps
  bool weights = true;                                 // whether source words get weights
  void (*check)(const ModelConfig& config) = nullptr;  // UsageError for unsuitable settings
  // For import: a tensor, and the setting that its number of rows determines.
  const char* sized_tensor = nullptr;
  int AttentionConfig::*sized_setting = nullptr;
};
const ScoreKind& score_kind(Score score);

}  // namespace heed::model
