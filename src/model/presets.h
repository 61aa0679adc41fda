// The systems that come with heed, as the commented TOML files of presets/, built into the binary.
#pragma once

#include <string_view>
#include <vector>

#include "model/config.h"

namespace heed::model {

struct Preset {
  std::string_view name;
  std::string_view document;  // where it comes from
  std::string_view summary;   // one line
  std::string_view toml;      // the whole file, with its data and training sections
};

// In the order of the documents, heed's own last.
const std::vector<Preset>& presets();
// UsageError with the nearest name if there is no such preset.
const Preset& find_preset(std::string_view name);

// The model's sections of a preset (of any TOML text; `where` names it in messages): those that ModelConfig declares
// keys of. Other sections (data, training) are passed over.
ModelConfig model_config_from_toml(std::string_view toml, std::string_view where);
ModelConfig preset_config(std::string_view name);

}  // namespace heed::model
