// The presets: the commented TOML files of presets/, built into the binary.
#pragma once

#include <string_view>
#include <vector>

#include "model/config.h"

namespace heed::model {

struct Preset {
  std::string_view name;
  std::string_view document;  // number in docs/systems.md
  std::string_view summary;   // one line
  std::string_view toml;      // the whole file, with its data and training sections
};

// In the order of the documents, heed's own last.
const std::vector<Preset>& presets();
// UsageError, with the nearest name, if there is no such preset.
const Preset& find_preset(std::string_view name);

// The model sections of a TOML text, such as a preset; other sections (data, training) are ignored. `where` names the
// text in messages. UsageError for an unknown key or an invalid value.
ModelConfig model_config_from_toml(std::string_view toml, std::string_view where);
ModelConfig preset_config(std::string_view name);

}  // namespace heed::model
