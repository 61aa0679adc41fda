// Small configurations of all presets, and sentences for them.
#pragma once

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

inline const std::vector<std::vector<Id>> kSmallSources = {{3, 4, 5, 1}, {6, 1}, {7, 8, 9, 10, 11, 3, 1}, {1}};

}  // namespace heed::testing
