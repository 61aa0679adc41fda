// Attention: how the source's states become one context vector a step. To add a score: a file in model/attention/ with
// a class of this interface, and a line in the table of attention.cpp; the decoder does not change. B rows of a step, S
// longest source, N packed source words, De encoder output size, Hd decoder size, A attention size.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "autograd/ops/attention.h"
#include "autograd/tape.h"

namespace heed {

struct ModelConfig;

constexpr int kMaxLayers = 8;

// What the encoder leaves behind.
struct SourceStates {
  Var states;         // [N,De], sentence after sentence
  Var keys;           // what the score makes of them once a sentence, [N,*]; absent where it reads the states
  Var last;           // [sentences,De], the top layer's last states, forward before backward
  Index longest = 0;  // S
};

// Which sentence each row of a step belongs to.
struct SourceRows {
  Ids sentence;
  RowRanges spans;

  SourceRows first(Index n) const {
    const auto count = static_cast<std::size_t>(n);
    return {sentence.first(count), {spans.begin.first(count), spans.length.first(count)}};
  }
};

// One use of a score over the steps of a batch. Lives in the tape's arena: it is never destroyed and owns nothing.
class AttentionRun {
 public:
  // The step whose rows begin at `row`: state:[n,Hd] is what the decoder asks with, embedding:[n,E] the last word.
  // Weights are absent where there are none.
  virtual Attended step(Index row, Var state, Var embedding, const SourceRows& rows) = 0;

 protected:
  ~AttentionRun() = default;
};

class Attention {
 public:
  virtual ~Attention() = default;
  // Once a sentence: what the steps compare with, for SourceStates::keys.
  virtual Var keys(Tape& /*tape*/, Var /*states*/) const { return {}; }
  // Prepares for steps of `rows` rows in all.
  virtual AttentionRun* begin(Tape& tape, const SourceStates& source, Index rows) const = 0;
  // Whether its steps give weights.
  virtual bool has_weights() const { return true; }
  // The longest source it can read, or 0 for any.
  virtual Index max_length() const { return 0; }
};

// Declares the parameters of the configured score; null where attention.score is none.
std::unique_ptr<Attention> make_attention(const ModelConfig& config, Parameters& parameters);
std::vector<std::string> score_names();

std::unique_ptr<Attention> make_additive(const ModelConfig& config, Parameters& parameters);
std::unique_ptr<Attention> make_concat(const ModelConfig& config, Parameters& parameters);
std::unique_ptr<Attention> make_shared_concat(const ModelConfig& config, Parameters& parameters);
std::unique_ptr<Attention> make_dot(const ModelConfig& config, Parameters& parameters);
std::unique_ptr<Attention> make_scaled_dot(const ModelConfig& config, Parameters& parameters);
std::unique_ptr<Attention> make_general(const ModelConfig& config, Parameters& parameters);
std::unique_ptr<Attention> make_linear(const ModelConfig& config, Parameters& parameters);
std::unique_ptr<Attention> make_location(const ModelConfig& config, Parameters& parameters);
std::unique_ptr<Attention> make_constant(const ModelConfig& config, Parameters& parameters);

// A bias's name: its matrix's with `bias` in place of `weight`.
std::string bias_name(const std::string& weight_name);

// Puts a run into the tape's arena.
template <class Run>
AttentionRun* in_arena(Tape& tape, const Run& run) {
  static_assert(std::is_trivially_destructible_v<Run>);
  return new (tape.arena().allocate(sizeof(Run))) Run(run);
}

}  // namespace heed
