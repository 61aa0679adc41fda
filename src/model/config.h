// Everything that makes one network of the composable model: what a preset's model sections hold, and what a model file
// keeps in `heed.config`. Sizes of the vocabularies and special ids belong to it too; words do not.
//
//   source ids -> embedding -> recurrent encoder -> bridge -> decoder steps -> readout -> softmax
#pragma once

#include <string>
#include <vector>

#include "base/options.h"
#include "tensor/tensor.h"

namespace heed {

struct EncoderConfig {
  std::string cell = "gru";
  int embedding = 256;  // 0: as large as hidden
  int hidden = 512;
  int layers = 1;
  bool bidirectional = true;
  bool residual = false;

  int embedding_size() const { return embedding == 0 ? hidden : embedding; }
  int directions() const { return bidirectional ? 2 : 1; }
  int output_size() const { return hidden * directions(); }
};

struct AttentionConfig {
  std::string score = "additive";
  std::string place = "before";
  int size = 0;  // 0: as large as decoder.hidden
  bool bias = false;
  int max_length = 0;
};

struct DecoderConfig {
  std::string cell = "gru";
  int embedding = 256;  // 0: as large as hidden
  int hidden = 512;
  int layers = 1;
  std::string bridge = "tanh-linear";
  std::vector<std::string> input = {"embedding", "context"};
  bool input_layer = false;
  std::string input_activation = "none";

  int embedding_size() const { return embedding == 0 ? hidden : embedding; }
};

struct ReadoutConfig {
  std::vector<std::string> parts = {"state", "context", "embedding"};
  bool tanh = false;
  int size = 0;  // 0: as large as decoder.hidden
};

// Chances of zeroing while training; nothing is dropped when translating.
struct DropoutConfig {
  double source_embedding = 0;
  double target_embedding = 0;
  double source_words = 0;  // whole words: the embedding as one
  double target_words = 0;
  double recurrent = 0;  // of the state that a cell reads, one mask for all steps of a sentence
  double layers = 0;
  double readout = 0;
};

// The names of the tensors in model files: PyTorch's, as the document's classes have them. A bias has its matrix's name
// with `bias` in place of `weight`; a recurrent network's tensors are NAME.weight_ih_l0 and so on.
struct NamesConfig {
  std::string source_embedding = "encoder.embedding.weight";
  std::string encoder = "encoder.rnn";
  std::string bridge = "encoder.bridge.weight";
  std::string bridge_cell = "encoder.bridge_cell.weight";
  std::string target_embedding = "decoder.embedding.weight";
  std::string decoder = "decoder.rnn";
  std::string attention_query = "decoder.attention.query.weight";
  std::string attention_key = "decoder.attention.key.weight";
  std::string attention_combine = "decoder.attention.combine.weight";
  std::string attention_v = "decoder.attention.v.weight";
  std::string input_layer = "decoder.input.weight";
  std::string readout = "decoder.readout.weight";
  std::string output = "decoder.out.weight";
  std::vector<std::string> unused;  // tensors a document's class has but never reads
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
  std::string tied = "none";  // embeddings.tied
  DropoutConfig dropout;
  std::string initialisation = "pytorch";
  NamesConfig names;
  VocabularyConfig vocabulary;

  int attention_size() const { return attention.size == 0 ? decoder.hidden : attention.size; }
  int readout_size() const { return readout.size == 0 ? decoder.hidden : readout.size; }
  // What one part of the decoder's input or readout (embedding, context, state, feed) is wide.
  int part_size(const std::string& part) const;
  int context_size() const;
  bool feeds_input() const;
  // Whether the source's words get weights.
  bool attends() const { return attention.score != "none" && attention.score != "constant"; }
};

// Declares every key above; `config` must outlive the registry.
void declare(Options& options, ModelConfig& config);

// UsageError where settings do not go together: one sentence with the keys, their values and the way out.
void validate(const ModelConfig& config);

}  // namespace heed
