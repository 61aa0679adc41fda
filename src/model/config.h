// The configuration of the composable model: the model sections of a preset, and `heed.config` of a model file. It
// includes the sizes of the vocabularies and the special ids, but no words.
//
//   source ids -> embedding -> recurrent encoder -> bridge -> decoder steps -> readout -> softmax
#pragma once

#include <string>
#include <vector>

#include "base/options.h"
#include "tensor/tensor.h"

namespace heed::model {

constexpr int kMaxLayers = 8;

// The kinds of each part and their names. Cells and scores have a table each, in cell.cpp and attention.cpp.
enum class Cell { gru, lstm, rnn };
std::vector<std::string> enum_names(Cell);
std::vector<std::string> enum_about(Cell);

enum class Score { none, constant, linear, additive, concat, shared_concat, dot, scaled_dot, general, location };
std::vector<std::string> enum_names(Score);
std::vector<std::string> enum_about(Score);

enum class AttentionPosition { before, after };  // before the cell, from its previous state, or after it
inline std::vector<std::string> enum_names(AttentionPosition) {
  return {"before", "after"};
}
inline std::vector<std::string> enum_about(AttentionPosition) {
  return {"before the cell, from its previous state, as Bahdanau et al. (2015)",
          "after the cell, from its new state, as Luong et al. (2015)"};
}

enum class Bridge { last, tanh_linear, zero };  // computes the decoder's first state
inline std::vector<std::string> enum_names(Bridge) {
  return {"last", "tanh-linear", "zero"};
}
inline std::vector<std::string> enum_about(Bridge) {
  return {"the encoder's last state", "a tanh layer over the encoder's last state", "zeros"};
}

enum class Part { embedding, context, feed, state };  // parts of the decoder's input and of the readout
inline std::vector<std::string> enum_names(Part) {
  return {"embedding", "context", "feed", "state"};
}
inline std::vector<std::string> enum_about(Part) {
  return {"embedding of the previous token", "context vector from attention",
          "readout of the previous step (input feeding)", "state of the decoder's cell"};
}

enum class Activation { none, relu };
inline std::vector<std::string> enum_names(Activation) {
  return {"none", "relu"};
}

enum class Tying { none, decoder, all };  // which embeddings are also the output layer
inline std::vector<std::string> enum_names(Tying) {
  return {"none", "decoder", "all"};
}
inline std::vector<std::string> enum_about(Tying) {
  return {"separate matrices", "the target embeddings are also the output layer",
          "the source embeddings are the same too"};
}

enum class Initialization { pytorch, glorot };
inline std::vector<std::string> enum_names(Initialization) {
  return {"pytorch", "glorot"};
}
inline std::vector<std::string> enum_about(Initialization) {
  return {"the defaults of PyTorch's layers", "Glorot uniform for matrices, zeros for biases"};
}

struct EncoderConfig {
  Cell cell = Cell::gru;
  int embedding = 256;  // 0: same as hidden
  int hidden = 512;
  int layers = 1;
  bool bidirectional = true;
  bool residual = false;

  int embedding_size() const { return embedding == 0 ? hidden : embedding; }
  int directions() const { return bidirectional ? 2 : 1; }
  int output_size() const { return hidden * directions(); }
};

struct AttentionConfig {
  Score score = Score::additive;
  AttentionPosition position = AttentionPosition::before;
  int size = 0;  // 0: same as decoder.hidden
  bool bias = false;
  int max_length = 0;  // location score only
};

struct DecoderConfig {
  Cell cell = Cell::gru;
  int embedding = 256;  // 0: same as hidden
  int hidden = 512;
  int layers = 1;
  Bridge bridge = Bridge::tanh_linear;
  std::vector<Part> input = {Part::embedding, Part::context};
  bool input_layer = false;
  Activation input_activation = Activation::none;

  int embedding_size() const { return embedding == 0 ? hidden : embedding; }
};

struct ReadoutConfig {
  std::vector<Part> parts = {Part::state, Part::context, Part::embedding};
  bool tanh = false;
  int size = 0;  // 0: same as decoder.hidden
};

// Dropout rates in training.
struct DropoutConfig {
  double source_embedding = 0;
  double target_embedding = 0;
  double source_words = 0;  // whole words
  double target_words = 0;
  double recurrent = 0;  // of the state that a cell reads, with one mask for all steps of a sentence
  double layers = 0;
  double readout = 0;
};

struct VocabularyConfig {
  int source = 0;
  int target = 0;
  int sos = 0;
  int eos = 1;
  int unk = 2;
};

struct ModelConfig {
  std::string system = "heed";
  EncoderConfig encoder;
  AttentionConfig attention;
  DecoderConfig decoder;
  ReadoutConfig readout;
  Tying tied = Tying::none;  // embeddings.tied
  DropoutConfig dropout;
  Initialization initialization = Initialization::pytorch;
  VocabularyConfig vocabulary;

  int attention_size() const { return attention.size == 0 ? decoder.hidden : attention.size; }
  int readout_size() const { return readout.size == 0 ? decoder.hidden : readout.size; }
  int part_size(Part part) const;
  // The size of the output layer's input.
  int output_width() const;
  // Whether source words get attention weights.
  bool attends() const;
  // Whether the context is known before the cell's step.
  bool context_before_cell() const { return attention.position == AttentionPosition::before || !attends(); }
};

// Declares every key above; `config` must outlive the registry.
void declare(Options& options, ModelConfig& config);

// UsageError for settings that contradict each other: one sentence with the keys, their values and the way out.
void check_config(const ModelConfig& config);

}  // namespace heed::model
