#include "model/config.h"

#include <algorithm>

#include "model/attention.h"
#include "model/cell.h"

namespace heed::model {
namespace {

constexpr double kMaxUnits = 1 << 16;

bool contains(const std::vector<Part>& list, Part item) {
  return std::ranges::find(list, item) != list.end();
}

void declare_encoder(Options& o, EncoderConfig& c) {
  o.group("Encoder");
  o.key("encoder.cell", c.cell, "type of recurrent cell");
  o.key("encoder.embedding", c.embedding, "size of the source embeddings; 0: same as encoder.hidden",
        range(0, kMaxUnits));
  o.key("encoder.hidden", c.hidden, "hidden units per direction", range(1, kMaxUnits)).common();
  o.key("encoder.layers", c.layers, "number of stacked layers", range(1, kMaxLayers)).common();
  o.key("encoder.bidirectional", c.bidirectional, "read the sentence in both directions");
  o.key("encoder.residual", c.residual, "add each layer's input to its output, from the second layer on");
}

void declare_attention(Options& o, AttentionConfig& c) {
  o.group("Attention");
  o.key("attention.score", c.score, "score function of the attention").common();
  o.key("attention.position", c.position,
        "before: attend before the cell, with its previous state as the query (Bahdanau); after: with its new state "
        "(Luong)")
      .alias("attention.place");
  o.key("attention.size", c.size,
        "hidden units of the additive, concat and shared-concat scores; 0: same as decoder.hidden",
        range(0, kMaxUnits));
  o.key("attention.bias", c.bias, "use biases in the additive, concat and shared-concat scores");
  o.key("attention.max_length", c.max_length,
        "longest source that the location score can read, in tokens, end symbol included; required by "
        "attention.score=location",
        range(0, kMaxUnits));
}

void declare_decoder(Options& o, ModelConfig& config) {
  DecoderConfig& c = config.decoder;
  o.group("Decoder");
  o.key("decoder.cell", c.cell, "type of recurrent cell");
  o.key("decoder.embedding", c.embedding, "size of the target embeddings; 0: same as decoder.hidden",
        range(0, kMaxUnits));
  o.key("decoder.hidden", c.hidden, "hidden units", range(1, kMaxUnits)).common();
  o.key("decoder.layers", c.layers, "number of stacked layers", range(1, kMaxLayers)).common();
  o.key("decoder.bridge", c.bridge, "initial state: the encoder's last state, a tanh layer over it, or zero");
  o.key("decoder.input", c.input,
        "inputs of the cell, concatenated in this order: embedding of the previous token, context from attention, feed "
        "(the previous readout)",
        choices({"embedding", "context", "feed"}));
  o.key("decoder.input_layer", c.input_layer, "add a linear layer between these inputs and the cell");
  o.key("decoder.input_activation", c.input_activation, "activation applied to the cell's input");
  o.group("Readout");
  o.key("readout.parts", config.readout.parts, "inputs of the readout, concatenated in this order",
        choices({"state", "context", "embedding"}));
  o.key("readout.tanh", config.readout.tanh, "add a tanh layer between these inputs and the output layer");
  o.key("readout.size", config.readout.size, "hidden units of the tanh layer; 0: same as decoder.hidden",
        range(0, kMaxUnits));
  o.key("embeddings.tied", config.tied,
        "tie embeddings: `decoder` ties the target embeddings and the output layer, `all` ties the source embeddings "
        "too");
}

void check_parts(const ModelConfig& c) {
  const bool has_context = c.attention.score != Score::none;
  check<UsageError>(contains(c.decoder.input, Part::embedding),
                    "decoder.input must contain embedding: the cell has to read the previous token");
  check<UsageError>(!c.readout.parts.empty(),
                    "readout.parts is empty, but the output layer needs an input: add state, context or embedding");
  check<UsageError>(
      has_context || (!contains(c.decoder.input, Part::context) && !contains(c.readout.parts, Part::context)),
      "attention.score is none, so there is no context: remove context from decoder.input and readout.parts");
  check<UsageError>(
      c.context_before_cell() || !contains(c.decoder.input, Part::context),
      "attention.position is after, so decoder.input cannot contain context: set decoder.input to embedding "
      "and let readout.parts contain context, or set attention.position to before");
  check<UsageError>(
      !has_context || contains(c.decoder.input, Part::context) || contains(c.readout.parts, Part::context),
      "neither decoder.input nor readout.parts contains context, so attention would have no effect: add context to "
      "one");
  check<UsageError>(!contains(c.decoder.input, Part::feed) || c.readout.tanh,
                    "decoder.input contains feed, the tanh readout of the previous step: set readout.tanh to true");
  for (const auto& [key, list] :
       {std::pair{"decoder.input", &c.decoder.input}, std::pair{"readout.parts", &c.readout.parts}}) {
    std::vector<Part> sorted = *list;
    std::ranges::sort(sorted);
    check<UsageError>(std::ranges::adjacent_find(sorted) == sorted.end(),
                      "{} contains a part twice; list each part once", key);
  }
}

void check_sizes(const ModelConfig& c) {
  const EncoderConfig& e = c.encoder;
  const DecoderConfig& d = c.decoder;
  if (d.bridge == Bridge::last) {
    check<UsageError>(!e.bidirectional,
                      "decoder.bridge is last, but encoder.bidirectional is true: set decoder.bridge to tanh-linear");
    check<UsageError>(e.hidden == d.hidden,
                      "encoder.hidden is {} and decoder.hidden is {}: with decoder.bridge last they must be equal; set "
                      "both to one size",
                      e.hidden, d.hidden);
    check<UsageError>(d.layers == 1 || d.layers == e.layers,
                      "decoder.layers is {} and encoder.layers is {}: with decoder.bridge last they must be equal, or "
                      "decoder.layers must be 1",
                      d.layers, e.layers);
    check<UsageError>(
        cell_kind(d.cell).has_cell_state == cell_kind(e.cell).has_cell_state,
        "encoder.cell is {} and decoder.cell is {}: with decoder.bridge last both or neither must be lstm",
        enum_name(e.cell), enum_name(d.cell));
  }
  if (const auto check_score = score_kind(c.attention.score).check) check_score(c);
  if (c.tied == Tying::all) {
    check<UsageError>(c.vocabulary.source == c.vocabulary.target,
                      "embeddings.tied is all, but the vocabularies have {} and {} entries: set "
                      "data.subword_joint (bpe, unigram) or data.shared_vocabulary (other tokenizers) to true",
                      c.vocabulary.source, c.vocabulary.target);
    check<UsageError>(
        e.embedding_size() == d.embedding_size(),
        "embeddings.tied is all, but encoder.embedding is {} and decoder.embedding is {}: set both to one "
        "size, or embeddings.tied to decoder",
        e.embedding_size(), d.embedding_size());
  }
  check<UsageError>(
      c.tied == Tying::none || c.output_width() == d.embedding_size(),
      "embeddings.tied is {}, so the readout must be as wide as decoder.embedding ({}), but it is {}: set "
      "readout.tanh to true and readout.size to {}",
      enum_name(c.tied), d.embedding_size(), c.output_width(), d.embedding_size());
}

void check_vocabulary(const VocabularyConfig& v) {
  check<UsageError>(v.source > 0 && v.target > 0, "the vocabularies have {} and {} entries, expected at least one each",
                    v.source, v.target);
  for (const auto& [name, id] : {std::pair{"sos", v.sos}, std::pair{"eos", v.eos}, std::pair{"unk", v.unk}})
    check<UsageError>(id >= 0 && id < v.source && id < v.target,
                      "vocabulary.{} is {}, but the vocabularies have {} and {} entries", name, id, v.source, v.target);
}

}  // namespace

int ModelConfig::part_size(Part part) const {
  switch (part) {
    case Part::embedding:
      return decoder.embedding_size();
    case Part::context:
      return attention.score == Score::none ? 0 : encoder.output_size();
    case Part::feed:
      return readout_size();
    case Part::state:
      return decoder.hidden;
  }
  throw InternalError("unknown part {}", static_cast<int>(part));
}

int ModelConfig::output_width() const {
  if (readout.tanh) return readout_size();
  int width = 0;
  for (const Part part : readout.parts) width += part_size(part);
  return width;
}

bool ModelConfig::attends() const {
  return score_kind(attention.score).weights;
}

void declare(Options& o, ModelConfig& c) {
  o.group("Preset");
  o.key("system", c.system,
        "in a configuration file: the preset that the settings are based on; on the command line, use --preset")
      .value("NAME");
  declare_encoder(o, c.encoder);
  declare_attention(o, c.attention);
  declare_decoder(o, c);
  o.group("Dropout (training only)");
  const auto rate = [&](const char* key, double& field, const char* help) {
    o.key(key, field, help, range(0, 1).below(1));
  };
  rate("dropout.source_embedding", c.dropout.source_embedding, "dropout rate of the source embeddings");
  rate("dropout.target_embedding", c.dropout.target_embedding, "dropout rate of the target embeddings");
  rate("dropout.source_words", c.dropout.source_words, "probability of dropping a whole source token");
  rate("dropout.target_words", c.dropout.target_words, "probability of dropping a whole token of the decoder's input");
  rate("dropout.recurrent", c.dropout.recurrent,
       "dropout rate of the recurrent states, with the same mask for all steps of a sentence");
  rate("dropout.layers", c.dropout.layers, "dropout rate between stacked layers");
  rate("dropout.readout", c.dropout.readout, "dropout rate of the output layer's input");
  o.group("Initialization");
  o.key("initialization", c.initialization, "initial parameters: PyTorch's defaults or Glorot uniform");
  o.skip_section("names");  // model/names.h
  o.group("Vocabulary (set by training, cannot be changed)");
  o.key("vocabulary.source", c.vocabulary.source,
        "size of the source vocabulary; training sets it (see data.max_words and data.subwords)", at_least(0));
  o.key("vocabulary.target", c.vocabulary.target, "size of the target vocabulary; training sets it", at_least(0));
  o.key("vocabulary.sos", c.vocabulary.sos, "id of the start symbol, the decoder's first input; training sets it",
        at_least(0));
  o.key("vocabulary.eos", c.vocabulary.eos, "id of the end-of-sentence symbol; training sets it", at_least(0));
  o.key("vocabulary.unk", c.vocabulary.unk, "id of the unknown-word symbol; training sets it", at_least(0));
}

void check_config(const ModelConfig& config) {
  check_parts(config);
  check_vocabulary(config.vocabulary);
  check_sizes(config);
}

}  // namespace heed::model
