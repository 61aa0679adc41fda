#include "model/config.h"

#include <algorithm>

#include "model/attention.h"
#include "model/cell.h"

namespace heed {
namespace {

constexpr double kMostUnits = 1 << 16;

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::ranges::find(list, item) != list.end();
}

void declare_encoder(Options& o, EncoderConfig& c) {
  o.group("Encoder");
  o.key("encoder.cell", c.cell, "the recurrent cell", choices(cell_names()));
  o.key("encoder.embedding", c.embedding, "numbers a source word; 0: as many as encoder.hidden", range(0, kMostUnits));
  o.key("encoder.hidden", c.hidden, "units a direction", range(1, kMostUnits));
  o.key("encoder.layers", c.layers, "layers, one over the other", range(1, kMaxLayers));
  o.key("encoder.bidirectional", c.bidirectional, "read the sentence in both directions");
  o.key("encoder.residual", c.residual, "add a layer's input to its output, from the second layer on");
}

void declare_attention(Options& o, AttentionConfig& c) {
  o.group("Attention");
  o.key("attention.score", c.score, "how a source position is scored", choices(score_names()));
  o.key("attention.place", c.place, "before the cell, from its last state, or after it, from its new one",
        choices({"before", "after"}));
  o.key("attention.size", c.size, "inner units of additive scores; 0: as many as decoder.hidden", range(0, kMostUnits));
  o.key("attention.bias", c.bias, "biases in additive and concat scores");
  o.key("attention.max_length", c.max_length, "longest source of the location score, end of sentence included",
        range(0, kMostUnits));
}

void declare_decoder(Options& o, ModelConfig& config) {
  DecoderConfig& c = config.decoder;
  o.group("Decoder");
  o.key("decoder.cell", c.cell, "the recurrent cell", choices(cell_names()));
  o.key("decoder.embedding", c.embedding, "numbers a target word; 0: as many as decoder.hidden", range(0, kMostUnits));
  o.key("decoder.hidden", c.hidden, "units", range(1, kMostUnits));
  o.key("decoder.layers", c.layers, "layers, one over the other", range(1, kMaxLayers));
  o.key("decoder.bridge", c.bridge, "the first state: the encoder's last one, a tanh layer over it, or zero",
        choices({"last", "tanh-linear", "zero"}));
  o.key("decoder.input", c.input, "what the cell reads, in this order: embedding, context, feed",
        choices({"embedding", "context", "feed"}));
  o.key("decoder.input_layer", c.input_layer, "a linear layer between that and the cell");
  o.key("decoder.input_activation", c.input_activation, "applied to what the cell reads", choices({"none", "relu"}));
  o.group("Readout");
  o.key("readout.parts", config.readout.parts,
        "what the next word is read from, in this order: state, context, embedding",
        choices({"state", "context", "embedding"}));
  o.key("readout.tanh", config.readout.tanh, "a tanh layer between that and the output layer");
  o.key("readout.size", config.readout.size, "units of the tanh layer; 0: as many as decoder.hidden",
        range(0, kMostUnits));
  o.key("embeddings.tied", config.tied,
        "decoder: the output layer is the target embedding; all: the source embedding as well",
        choices({"none", "decoder", "all"}));
}

void declare_names(Options& o, NamesConfig& c) {
  o.group("Names of the tensors in the model file");
  o.key("names.source_embedding", c.source_embedding, "source embedding");
  o.key("names.encoder", c.encoder, "recurrent encoder");
  o.key("names.bridge", c.bridge, "tanh layer of the bridge");
  o.key("names.bridge_cell", c.bridge_cell, "the same for an LSTM's cell state");
  o.key("names.target_embedding", c.target_embedding, "target embedding");
  o.key("names.decoder", c.decoder, "recurrent decoder");
  o.key("names.attention_query", c.attention_query, "matrix over the decoder's state");
  o.key("names.attention_key", c.attention_key, "matrix over the encoder's states");
  o.key("names.attention_combine", c.attention_combine, "matrix over both");
  o.key("names.attention_v", c.attention_v, "vector of additive scores");
  o.key("names.input_layer", c.input_layer, "linear layer before the decoder's cell");
  o.key("names.readout", c.readout, "tanh layer of the readout");
  o.key("names.output", c.output, "output layer");
  o.key("names.unused", c.unused, "tensors of a document's class that it never reads");
}

void check_together(bool holds, const std::string& sentence) {
  check<UsageError>(holds, "{}", sentence);
}

void validate_parts(const ModelConfig& c) {
  const bool has_context = c.attention.score != "none";
  const bool before = c.attention.score == "constant" || c.attention.place == "before";
  check_together(contains(c.decoder.input, "embedding"),
                 "decoder.input must hold embedding: the cell has to see the last word");
  check_together(!c.readout.parts.empty(), "readout.parts is empty: the next word must be read from something");
  check_together(has_context || (!contains(c.decoder.input, "context") && !contains(c.readout.parts, "context")),
                 "attention.score is none, so there is no context for decoder.input or readout.parts to hold");
  check_together(
      before || !contains(c.decoder.input, "context"),
      "attention.place is after, so decoder.input cannot hold context; set attention.place to before or take it out");
  check_together(!has_context || contains(c.decoder.input, "context") || contains(c.readout.parts, "context"),
                 "neither decoder.input nor readout.parts holds context, so attention would go nowhere");
  check_together(!contains(c.decoder.input, "feed") || c.readout.tanh,
                 "decoder.input holds feed, which is the tanh readout of the step before: set readout.tanh to true");
  for (const auto& [key, list] :
       {std::pair{"decoder.input", &c.decoder.input}, std::pair{"readout.parts", &c.readout.parts}}) {
    std::vector<std::string> sorted = *list;
    std::ranges::sort(sorted);
    check_together(std::ranges::adjacent_find(sorted) == sorted.end(), fmt::format("{} names a part twice", key));
  }
}

void validate_sizes(const ModelConfig& c) {
  const EncoderConfig& e = c.encoder;
  const DecoderConfig& d = c.decoder;
  if (d.bridge == "last") {
    check_together(!e.bidirectional,
                   "decoder.bridge is last, but encoder.bidirectional is true: set decoder.bridge to tanh-linear");
    check_together(
        e.hidden == d.hidden,
        fmt::format(
            "encoder.hidden is {} and decoder.hidden is {}: with decoder.bridge last they go together, set both",
            e.hidden, d.hidden));
    check_together(
        d.layers == 1 || d.layers == e.layers,
        fmt::format("decoder.layers is {} and encoder.layers is {}: with decoder.bridge last they must be equal, or "
                    "decoder.layers 1",
                    d.layers, e.layers));
    check_together(
        cell_kind(d.cell).memory == cell_kind(e.cell).memory,
        fmt::format("encoder.cell is {} and decoder.cell is {}: with decoder.bridge last both or neither must be lstm",
                    e.cell, d.cell));
  }
  if (c.attention.score == "dot" || c.attention.score == "scaled-dot" || c.attention.score == "shared-concat")
    check_together(
        e.output_size() == d.hidden,
        fmt::format(
            "attention.score {} compares the encoder's states, {} wide, with the decoder's, {} wide: encoder.hidden "
            "and decoder.hidden go together, set both",
            c.attention.score, e.output_size(), d.hidden));
  if (c.attention.score == "location") {
    check_together(c.attention.max_length > 0,
                   "attention.score is location: set attention.max_length to the longest source");
    check_together(c.attention.place == "before",
                   "attention.score is location, which scores before the cell: set attention.place to before");
  }
  if (c.tied == "all") {
    check_together(
        c.vocabulary.source == c.vocabulary.target,
        fmt::format("embeddings.tied is all, but the vocabularies have {} and {} words: use one shared vocabulary",
                    c.vocabulary.source, c.vocabulary.target));
    check_together(
        e.embedding_size() == d.embedding_size(),
        fmt::format("embeddings.tied is all, but encoder.embedding is {} and decoder.embedding is {}: set both",
                    e.embedding_size(), d.embedding_size()));
  }
  if (c.tied != "none") {
    int width = 0;
    for (const std::string& part : c.readout.parts) width += c.part_size(part);
    if (c.readout.tanh) width = c.readout_size();
    check_together(
        width == d.embedding_size(),
        fmt::format(
            "embeddings.tied is {}, so the readout must be as wide as decoder.embedding ({}), but it is {}: set "
            "readout.tanh to true and readout.size to {}",
            c.tied, d.embedding_size(), width, d.embedding_size()));
  }
}

void validate_vocabulary(const VocabularyConfig& v) {
  check_together(v.source > 0 && v.target > 0,
                 fmt::format("vocabularies of {} and {} words: both need at least one", v.source, v.target));
  for (const auto& [name, id] : {std::pair{"sos", v.sos}, std::pair{"eos", v.eos}, std::pair{"unk", v.unk}})
    check_together(
        id >= 0 && id < v.source && id < v.target,
        fmt::format("vocabulary.{} is {}, but the vocabularies have {} and {} words", name, id, v.source, v.target));
}

}  // namespace

int ModelConfig::context_size() const {
  return attention.score == "none" ? 0 : encoder.output_size();
}

int ModelConfig::part_size(const std::string& part) const {
  if (part == "embedding") return decoder.embedding_size();
  if (part == "context") return context_size();
  if (part == "state") return decoder.hidden;
  if (part == "feed") return readout_size();
  throw InternalError("no part is called {}", part);
}

bool ModelConfig::feeds_input() const {
  return contains(decoder.input, "feed");
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
  o.key("initialisation", c.initialisation, "how parameters start: as PyTorch's modules do, or Glorot uniform",
        choices({"pytorch", "glorot"}));
  declare_names(o, c.names);
  o.group("Vocabulary");
  o.key("vocabulary.source", c.vocabulary.source, "words of the source vocabulary", at_least(0));
  o.key("vocabulary.target", c.vocabulary.target, "words of the target vocabulary", at_least(0));
  o.key("vocabulary.sos", c.vocabulary.sos, "id of the start symbol, the decoder's first input", at_least(0));
  o.key("vocabulary.eos", c.vocabulary.eos, "id of the end-of-sentence symbol", at_least(0));
  o.key("vocabulary.unk", c.vocabulary.unk, "id of the symbol for unknown words", at_least(0));
}

void validate(const ModelConfig& config) {
  validate_parts(config);
  validate_vocabulary(config.vocabulary);
  validate_sizes(config);
}

}  // namespace heed
