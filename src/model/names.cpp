#include "model/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/toml.h"
#include "model/presets.h"

namespace heed::model {
namespace {

// The keys of the section [names], and heed's names for the same: of a weight, or of a module with a dot at the end.
constexpr std::pair<std::string_view, std::string_view> kKeys[] = {
    {"names.source_embedding", "encoder.embedding.weight"},
    {"names.encoder", "encoder.rnn."},
    {"names.bridge", "encoder.bridge.weight"},
    {"names.bridge_cell", "encoder.bridge_cell.weight"},
    {"names.target_embedding", "decoder.embedding.weight"},
    {"names.decoder", "decoder.rnn."},
    {"names.attention_query", "decoder.attention.query.weight"},
    {"names.attention_key", "decoder.attention.key.weight"},
    {"names.attention_combine", "decoder.attention.combine.weight"},
    {"names.attention_v", "decoder.attention.v.weight"},
    {"names.input_layer", "decoder.input.weight"},
    {"names.readout", "decoder.readout.weight"},
    {"names.output", "decoder.out.weight"},
};

constexpr std::size_t kLongestName = 1000;

std::string bias_of(std::string_view weight) {
  return fmt::format("{}bias", weight.substr(0, weight.size() - std::string_view("weight").size()));
}

}  // namespace

std::string TensorNames::in_file(std::string_view name) const {
  for (const auto& [own, other] : entries)
    if (own.ends_with('.') ? name.starts_with(own) : name == own) return other + std::string(name.substr(own.size()));
  return std::string(name);
}

TensorNames names_in_config(std::string_view toml, std::string_view where) {
  TensorNames names;
  if (toml.find("names") == toml.npos) return names;  // saves parsing most files
  for (const TomlEntry& entry : parse_toml(toml, where)) {
    if (const auto* unused = std::get_if<std::vector<std::string>>(&entry.value); unused && entry.key == "names.unused")
      names.unused = *unused;
    for (const auto& [key, own] : kKeys) {
      if (key != entry.key) continue;
      const std::string value = to_plain(entry.value);
      check<InputError>(value.size() <= kLongestName, "{}: {} has {} bytes; a tensor's name has at most {}", where, key,
                        value.size(), kLongestName);
      names.entries.emplace_back(own, own.ends_with('.') ? value + "." : value);
      if (own.ends_with("weight") && value.ends_with("weight"))
        names.entries.emplace_back(bias_of(own), bias_of(value));
    }
  }
  return names;
}

TensorNames tutorial_names(std::string_view system) {
  const auto preset = std::ranges::find(presets(), system, &Preset::name);
  if (preset == presets().end()) return {};
  return names_in_config(preset->toml, fmt::format("preset {}", system));
}

}  // namespace heed::model
