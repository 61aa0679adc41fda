#include "model/presets.h"

#include <algorithm>

#include "base/nearest.h"
#include "base/utf8.h"
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
      preset("alignment-gru", "000", "GRU, linear score before the cell; its attention is the same at every step"),
      preset("bahdanau-lstm", "001", "LSTM, additive attention before the cell"),
      preset("luong-dot", "001", "LSTM, dot-product attention after the cell"),
      preset("luong-general", "001", "LSTM, bilinear (general) attention after the cell"),
      preset("luong-concat", "001", "LSTM, concat score over the sum of both states, after the cell"),
      preset("location-gru", "002", "GRU, location-based attention: scores from the previous word and the state alone"),
      preset("bigru-deep-output", "003",
             "bidirectional GRU, additive attention; the output layer reads state, context and word"),
      preset("constant-context", "003", "GRU, no attention; the decoder reads the encoder's last state at every step"),
      preset("vanilla", "004", "GRU, no attention; the decoder starts from the encoder's last state"),
      preset("tensor-dance", "004", "GRU, dot-product attention after the cell, tanh readout"),
      preset("heed", "-", "bidirectional GRU, additive attention, tanh readout, tied output layer (the default)"),
  };
  return list;
}

const Preset& find_preset(std::string_view name) {
  const auto found = std::ranges::find(presets(), name, &Preset::name);
  if (found != presets().end()) return *found;
  throw UsageError("there is no preset {}{} (`heed presets` lists them)", in_quotes(name),
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
