// A small model with random weights and its text pipeline: its translations are meaningless but repeatable.
#pragma once

#include "base/error.h"
#include "model/presets.h"
#include "translate/pipeline.h"

namespace heed::testing {

struct RandomModel {
  translate::TextPipeline pipeline;
  std::unique_ptr<model::Model> model;

  // Both sides have the words w3 … w19 after <sos> <eos> <unk>.
  explicit RandomModel(std::string_view preset = "bahdanau-lstm",
                       const text::TextConfig& text = {.tokenizer = "whitespace"}, std::uint64_t seed = 1)
      : pipeline(text) {
    std::vector<std::string> words = {"<sos>", "<eos>", "<unk>"};
    for (int i = 3; i < 20; ++i) words.push_back(fmt::format("w{}", i));
    const text::Vocabulary vocabulary(words, {.sos = 0, .eos = 1, .unk = 2});
    pipeline.set_vocabularies(vocabulary, vocabulary);
    model::ModelConfig config = model::preset_config(preset);
    config.encoder.hidden = config.decoder.hidden = 12;
    config.encoder.embedding = config.decoder.embedding = preset.starts_with("luong") ? 12 : 8;
    if (config.readout.size != 0) config.readout.size = 8;
    config.vocabulary = {.source = 20, .target = 20, .sos = 0, .eos = 1, .unk = 2};
    model = std::make_unique<model::Model>(config);
    model->initialize(seed);
  }

  void save(const std::string& path) const { save_model(path, *model, pipeline.metadata()); }
};

}  // namespace heed::testing
