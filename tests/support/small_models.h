// Small configurations of all presets, and sentences for them.
#pragma once

#include "base/random.h"
#include "model/model.h"
#include "model/presets.h"

namespace heed::testing {

inline model::ModelConfig small_config(std::string_view preset) {
  model::ModelConfig c = model::preset_config(preset);
  c.encoder.hidden = c.decoder.hidden = 10;
  if (c.encoder.embedding != 0) c.encoder.embedding = c.decoder.embedding = 6;
  if (c.attention.score == model::Score::location) c.attention.max_length = 9;
  if (c.readout.size != 0) c.readout.size = 6;
  c.vocabulary = {.source = 12, .target = 14, .sos = 0, .eos = 1, .unk = 2};
  return c;
}

// Three candidates for each source word, one for every sentence; they depend only on the seed.
inline model::Shortlist small_shortlist(const model::ModelConfig& config, std::uint64_t seed = 1) {
  std::vector<std::vector<Id>> candidates(static_cast<std::size_t>(config.vocabulary.source));
  const Random random(seed, Stream::test);
  const auto target = static_cast<std::uint32_t>(config.vocabulary.target);
  for (std::size_t s = 0; s < candidates.size(); ++s)
    for (std::uint64_t k = 0; k < 3; ++k) candidates[s].push_back(static_cast<Id>(random.below(3 * s + k, target)));
  return {candidates, {5}};
}

// A random model whose target vocabulary, 160 words, is large enough for its shortlist to be used.
inline std::unique_ptr<model::Model> model_with_shortlist(std::string_view preset, std::uint64_t seed = 1,
                                                          DType type = DType::f32) {
  model::ModelConfig config = small_config(preset);
  config.vocabulary.target = 160;
  auto model = std::make_unique<model::Model>(config, type);
  model->initialize(seed);
  model->set_shortlist(small_shortlist(config, seed));
  return model;
}

inline const std::vector<std::vector<Id>> kSmallSources = {{3, 4, 5, 1}, {6, 1}, {7, 8, 9, 10, 11, 3, 1}, {1}};

}  // namespace heed::testing
