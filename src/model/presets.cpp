#include "model/presets.h"

#include <algorithm>

#include "base/nearest.h"
#include "model/preset_files.h"

namespace heed::model {
namespace {

Preset preset(std::string_view name, std::string_view document, std::string_view summary) {
  for (const PresetFile& file : kPresetFiles)
    if (file.name == name) return {name, document, summary, file.text};
  throw InternalError("no preset file is called {}", name);
}

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> list = {
      preset("alignment-gru", "000", "GRU, linear score before the cell: attention that cannot move"),
      preset("bahdanau-lstm", "001", "LSTM, additive attention before the cell"),
      preset("luong-dot", "001", "LSTM, dot product after the cell"),
      preset("luong-general", "001", "LSTM, dot product through a matrix, after the cell"),
      preset("luong-concat", "001", "LSTM, additive over the sum of both states, after the cell"),
      preset("location-gru", "002", "GRU, scores by position from the last word and the state"),
      preset("bigru-deep-output", "003", "bidirectional GRU, additive attention, output from state, context and word"),
      preset("constant-context", "003", "GRU, no attention: the sentence's last state at every step"),
      preset("vanilla", "004", "GRU, no attention: the sentence's last state at the start"),
      preset("tensor-dance", "004", "GRU, dot product after the cell, tanh layer"),
      preset("heed", "-", "bidirectional GRU, additive attention, tanh readout, tied output: the default"),
  };
  return list;
}

const Preset& find_preset(std::string_view name) {
  const auto found = std::ranges::find(presets(), name, &Preset::name);
  if (found != presets().end()) return *found;
  throw UsageError("no preset is called {}{}; `heed presets` lists them", name,
                   did_you_mean(name, row_names(presets())));
}

ModelConfig model_config_from_toml(std::string_view toml, std::string_view where) {
  const auto section = [](std::string_view key) { return key.substr(0, key.find('.')); };
  ModelConfig config;
  Options options;
  declare(options, config);
  const std::vector<std::string> keys = options.key_names();
  for (const TomlEntry& entry : parse_toml(toml, where))
    if (std::ranges::find(keys, section(entry.key), section) != keys.end()) options.apply_entry(entry, where);
  return config;
}

ModelConfig preset_config(std::string_view name) {
  return model_config_from_toml(find_preset(name).toml, fmt::format("preset {}", name));
}

}  // namespace heed::model
