#include "model/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/toml.h"
#include "model/presets.h"

namespace heed::model {
namespace {

// The keys of a section [names]: of a recurrent network the value is its module, else its weight.
struct NamesKey {
  std::string_view key, module;
  bool recurrent = false;
};

constexpr NamesKey kKeys[] = {
    {"names.source_embedding", "encoder.embedding"},
    {"names.encoder", "encoder.rnn", true},
    {"names.bridge", "encoder.bridge"},
    {"names.bridge_cell", "encoder.bridge_cell"},
    {"names.target_embedding", "decoder.embedding"},
    {"names.decoder", "decoder.rnn", true},
    {"names.attention_query", "decoder.attention.query"},
    {"names.attention_key", "decoder.attention.key"},
    {"names.attention_combine", "decoder.attention.combine"},
    {"names.attention_v", "decoder.attention.v"},
    {"names.input_layer", "decoder.input"},
    {"names.readout", "decoder.readout"},
    {"names.output", "decoder.out"},
};

// A bias is called as its weight, with `bias` for `weight`.
void add_names(TensorNames& names, const NamesKey& key, const std::string& value) {
  constexpr std::string_view kWeight = "weight";
  const std::string module = fmt::format("{}.", key.module);
  names.entries.emplace_back(key.recurrent ? module : module + "weight", key.recurrent ? value + "." : value);
  if (!key.recurrent && value.ends_with(kWeight))
    names.entries.emplace_back(module + "bias", value.substr(0, value.size() - kWeight.size()) + "bias");
}

}  // namespace

std::string TensorNames::in_file(std::string_view name) const {
  for (const auto& [own, other] : entries)
    if (own.ends_with('.') ? name.starts_with(own) : name == own) return other + std::string(name.substr(own.size()));
  return std::string(name);
}

TensorNames names_in_config(std::string_view toml, std::string_view where) {
  TensorNames names;
  if (toml.find("names") == toml.npos) return names;  // most files: no need to parse
  for (const TomlEntry& entry : parse_toml(toml, where)) {
    if (const auto* unused = std::get_if<std::vector<std::string>>(&entry.value); unused && entry.key == "names.unused")
      names.unused = *unused;
    for (const NamesKey& key : kKeys)
      if (key.key == entry.key) add_names(names, key, to_plain(entry.value));
  }
  return names;
}

TensorNames tutorial_names(std::string_view system) {
  const auto preset = std::ranges::find(presets(), system, &Preset::name);
  if (preset == presets().end()) return {};
  return names_in_config(preset->toml, fmt::format("preset {}", system));
}

}  // namespace heed::model
