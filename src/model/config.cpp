#include "model/config.h"

#include <algorithm>

#include "model/attention.h"
#include "model/cell.h"

namespace heed::model {
namespace {

constexpr double kMostUnits = 1 << 16;

bool contains(const std::vector<Part>& list, Part item) {
  return std::ranges::find(list, item) != list.end();
}

void declare_encoder(Options& o, EncoderConfig& c) {
  o.group("Encoder");
  o.key("encoder.cell", c.cell, "the recurrent cell");
  o.key("encoder.embedding", c.embedding, "size of the source embeddings; 0: as large as encoder.hidden",
        range(0, kMostUnits));
  o.key("encoder.hidden", c.hidden, "units per direction", range(1, kMostUnits));
  o.key("encoder.layers", c.layers, "stacked layers", range(1, kMaxLayers));
  o.key("encoder.bidirectional", c.bidirectional, "read the sentence in both directions");
  o.key("encoder.residual", c.residual, "add a layer's input to its output, from the second layer on");
}

void declare_attention(Options& o, AttentionConfig& c) {
  o.group("Attention");
  o.key("attention.score", c.score, "how a source position is scored");
  o.key("attention.position", c.position, "before the cell, from its last state, or after it, from its new one")
      .alias("attention.place");
  o.key("attention.size", c.size, "inner units of additive scores; 0: as many as decoder.hidden", range(0, kMostUnits));
  o.key("attention.bias", c.bias, "biases in additive and concat scores");
  o.key("attention.max_length", c.max_length, "longest source of the location score, end of sentence included",
        range(0, kMostUnits));
}

void declare_decoder(Options& o, ModelConfig& config) {
  DecoderConfig& c = config.decoder;
  o.group("Decoder");
  o.key("decoder.cell", c.cell, "the recurrent cell");
  o.key("decoder.embedding", c.embedding, "size of the target embeddings; 0: as large as decoder.hidden",
        range(0, kMostUnits));
  o.key("decoder.hidden", c.hidden, "units", range(1, kMostUnits));
  o.key("decoder.layers", c.layers, "stacked layers", range(1, kMaxLayers));
  o.key("decoder.bridge", c.bridge, "the first state: the encoder's last one, a tanh layer over it, or zero");
  o.key("decoder.input", c.input, "what the cell reads, in this order: embedding, context, feed",
        choices({"embedding", "context", "feed"}));
  o.key("decoder.input_layer", c.input_layer, "a linear layer between that and the cell");
  o.key("decoder.input_activation", c.input_activation, "applied to what the cell reads");
  o.group("Readout");
  o.key("readout.parts", config.readout.parts,
        "what the next word is read from, in this order: state, context, embedding",
        choices({"state", "context", "embedding"}));
  o.key("readout.tanh", config.readout.tanh, "a tanh layer between that and the output layer");
  o.key("readout.size", config.readout.size, "units of the tanh layer; 0: as many as decoder.hidden",
        range(0, kMostUnits));
  o.key("embeddings.tied", config.tied,
        "decoder: the output layer is the target embedding; all: the source embedding as well");
}

void check_parts(const ModelConfig& c) {
  const bool has_context = c.attention.score != Score::none;
  check<UsageError>(contains(c.decoder.input, Part::embedding),
                    "decoder.input must hold embedding: the cell has to see the last word");
  check<UsageError>(!c.readout.parts.empty(), "readout.parts is empty: the next word must be read from something");
  check<UsageError>(
      has_context || (!contains(c.decoder.input, Part::context) && !contains(c.readout.parts, Part::context)),
      "attention.score is none, so there is no context for decoder.input or readout.parts to hold");
  check<UsageError>(c.context_before_cell() || !contains(c.decoder.input, Part::context),
                    "attention.position is after, so decoder.input cannot hold context; set attention.position to "
                    "before or take it out");
  check<UsageError>(
      !has_context || contains(c.decoder.input, Part::context) || contains(c.readout.parts, Part::context),
      "neither decoder.input nor readout.parts holds context, so attention would go nowhere");
  check<UsageError>(!contains(c.decoder.input, Part::feed) || c.readout.tanh,
                    "decoder.input holds feed, which is the tanh readout of the step before: set readout.tanh to true");
  for (const auto& [key, list] :
       {std::pair{"decoder.input", &c.decoder.input}, std::pair{"readout.parts", &c.readout.parts}}) {
    std::vector<Part> sorted = *list;
    std::ranges::sort(sorted);
    check<UsageError>(std::ranges::adjacent_find(sorted) == sorted.end(), "{} names a part twice", key);
  }
}

void check_sizes(const ModelConfig& c) {
  const EncoderConfig& e = c.encoder;
  const DecoderConfig& d = c.decoder;
  if (d.bridge == Bridge::last) {
    check<UsageError>(!e.bidirectional,
                      "decoder.bridge is last, but encoder.bidirectional is true: set decoder.bridge to tanh-linear");
    check<UsageError>(
        e.hidden == d.hidden,

        "encoder.hidden is {} and decoder.hidden is {}: with decoder.bridge last they go together, set both", e.hidden,
        d.hidden);
    check<UsageError>(d.layers == 1 || d.layers == e.layers,
                      "decoder.layers is {} and encoder.layers is {}: with decoder.bridge last they must be equal, or "
                      "decoder.layers 1",
                      d.layers, e.layers);
    check<UsageError>(
        cell_kind(d.cell).memory == cell_kind(e.cell).memory,
        "encoder.cell is {} and decoder.cell is {}: with decoder.bridge last both or neither must be lstm",
        enum_name(e.cell), enum_name(d.cell));
  }
  if (const auto check_score = score_kind(c.attention.score).check) check_score(c);
  if (c.tied == Tying::all) {
    check<UsageError>(c.vocabulary.source == c.vocabulary.target,
                      "embeddings.tied is all, but the vocabularies have {} and {} words: use one shared vocabulary",
                      c.vocabulary.source, c.vocabulary.target);
    check<UsageError>(e.embedding_size() == d.embedding_size(),
                      "embeddings.tied is all, but encoder.embedding is {} and decoder.embedding is {}: set both",
                      e.embedding_size(), d.embedding_size());
  }
  check<UsageError>(
      c.tied == Tying::none || c.output_width() == d.embedding_size(),
      "embeddings.tied is {}, so the readout must be as wide as decoder.embedding ({}), but it is {}: set "
      "readout.tanh to true and readout.size to {}",
      enum_name(c.tied), d.embedding_size(), c.output_width(), d.embedding_size());
}

void check_vocabulary(const VocabularyConfig& v) {
  check<UsageError>(v.source > 0 && v.target > 0, "vocabularies of {} and {} words: both need at least one", v.source,
                    v.target);
  for (const auto& [name, id] : {std::pair{"sos", v.sos}, std::pair{"eos", v.eos}, std::pair{"unk", v.unk}})
    check<UsageError>(id >= 0 && id < v.source && id < v.target,
                      "vocabulary.{} is {}, but the vocabularies have {} and {} words", name, id, v.source, v.target);
}

}  // namespace

int ModelConfig::context_size() const {
  return attention.score == Score::none ? 0 : encoder.output_size();
}

int ModelConfig::part_size(Part part) const {
  switch (part) {
    case Part::embedding:
      return decoder.embedding_size();
    case Part::context:
      return context_size();
    case Part::feed:
      return readout_size();
    case Part::state:
      return decoder.hidden;
  }
  throw InternalError("there is no part {}", static_cast<int>(part));
}

int ModelConfig::output_width() const {
  if (readout.tanh) return readout_size();
  int width = 0;
  for (const Part part : readout.parts) width += part_size(part);
  return width;
}

bool ModelConfig::feeds_input() const {
  return contains(decoder.input, Part::feed);
}

bool ModelConfig::attends() const {
  return score_kind(attention.score).weights;
}

void declare(Options& o, ModelConfig& c) {
  o.group("System");
  o.key("system", c.system, "the preset it comes from");
  declare_encoder(o, c.encoder);
  declare_attention(o, c.attention);
  declare_decoder(o, c);
  o.group("Dropout, while training");
  o.key("dropout.source_embedding", c.dropout.source_embedding, "of the source embedding", range(0, 1).below(1));
  o.key("dropout.target_embedding", c.dropout.target_embedding, "of the target embedding", range(0, 1).below(1));
  o.key("dropout.source_words", c.dropout.source_words, "of whole words of the source", range(0, 1).below(1));
  o.key("dropout.target_words", c.dropout.target_words, "of whole words that the decoder reads", range(0, 1).below(1));
  o.key("dropout.recurrent", c.dropout.recurrent,
        "of the states that cells read, one mask for all of a sentence's steps", range(0, 1).below(1));
  o.key("dropout.layers", c.dropout.layers, "between layers", range(0, 1).below(1));
  o.key("dropout.readout", c.dropout.readout, "of what the output layer reads", range(0, 1).below(1));
  o.group("Start");
  o.key("initialization", c.initialization, "how parameters start: as PyTorch's modules do, or Glorot uniform");
  o.skip_section("names");  // model/names.h
  o.group("Vocabulary");
  o.key("vocabulary.source", c.vocabulary.source, "words of the source vocabulary", at_least(0));
  o.key("vocabulary.target", c.vocabulary.target, "words of the target vocabulary", at_least(0));
  o.key("vocabulary.sos", c.vocabulary.sos, "id of the start symbol, the decoder's first input", at_least(0));
  o.key("vocabulary.eos", c.vocabulary.eos, "id of the end-of-sentence symbol", at_least(0));
  o.key("vocabulary.unk", c.vocabulary.unk, "id of the symbol for unknown words", at_least(0));
}

void check_config(const ModelConfig& config) {
  check_parts(config);
  check_vocabulary(config.vocabulary);
  check_sizes(config);
}

}  // namespace heed::model
