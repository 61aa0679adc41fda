#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "docs_pages.h"
#include "model/presets.h"
#include "train/config.h"

namespace heed::cli {
namespace {

// The keys of a run in their order of declaration, with their values.
using Settings = std::vector<std::pair<std::string, std::string>>;

// The settings of a preset; without one, the defaults of the code.
Settings settings_of(const model::Preset* preset) {
  train::RunConfig config;
  Options options;
  declare(options, config);
  if (preset != nullptr) options.apply_preset(preset->toml, preset->name);
  Settings settings;
  for (const OptionRow& row : options.rows())
    if (!row.key.empty()) settings.emplace_back(row.key, row.default_value);
  return settings;
}

// The value of a key in a table. A long list does not fit.
std::string shown(std::string value) {
  const auto commas = std::ranges::count(value, ',');
  if (commas > 5) return fmt::format("{} of them", commas + 1);
  for (std::size_t at = 0; (at = value.find(',', at)) != value.npos; at += 2) value.insert(at + 1, 1, ' ');
  return value;
}

std::string markdown_row(std::span<const std::string> cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string markdown_head(std::span<const std::string> cells) {
  std::string rule = "|";
  for (std::size_t i = 0; i < cells.size(); ++i) rule += "---|";
  return markdown_row(cells) + rule + "\n";
}

// The composition of the models: one row per preset.
std::string model_table() {
  const std::vector<std::string> keys = {"encoder.cell",    "encoder.bidirectional", "decoder.bridge",
                                         "attention.score", "attention.bias",        "attention.position",
                                         "decoder.input",   "decoder.input_layer",   "decoder.input_activation",
                                         "readout.parts",   "readout.tanh"};
  std::vector<std::string> head = {"preset"};
  for (const std::string& key : keys) head.push_back(fmt::format("`{}`", key));
  std::string out = markdown_head(head);
  for (const model::Preset& preset : model::presets()) {
    const Settings settings = settings_of(&preset);
    const std::map<std::string, std::string> values(settings.begin(), settings.end());
    std::vector<std::string> row = {fmt::format("`{}`", preset.name)};
    for (const std::string& key : keys) row.push_back(shown(values.at(key)));
    out += markdown_row(row);
  }
  return out;
}

// Sizes, data and training: one row per key that some preset changes; presets with the same values share a column.
std::string training_table() {
  const auto is_listed = [](const std::string& key) {
    for (const char* section : {"data.", "dropout.", "training.", "validation."})
      if (key.starts_with(section)) return true;
    return key.ends_with(".embedding") || key.ends_with(".hidden");
  };
  const Settings defaults = settings_of(nullptr);
  struct Column {
    std::string names;
    std::vector<std::string> values;
  };
  std::vector<Column> columns;
  for (const model::Preset& preset : model::presets()) {
    std::vector<std::string> values;
    for (const auto& [key, value] : settings_of(&preset))
      if (is_listed(key)) values.push_back(value);
    const auto same = std::ranges::find(columns, values, &Column::values);
    if (same == columns.end())
      columns.push_back({fmt::format("`{}`", preset.name), std::move(values)});
    else
      same->names += fmt::format(", `{}`", preset.name);
  }
  std::vector<std::string> head = {"key"};
  for (const Column& column : columns) head.push_back(column.names);
  std::string out = markdown_head(head);
  std::size_t i = 0;
  for (const auto& [key, usual] : defaults) {
    if (!is_listed(key)) continue;
    const auto differs = [&, &usual = usual](const Column& column) { return column.values[i] != usual; };
    if (std::ranges::any_of(columns, differs)) {
      std::vector<std::string> row = {fmt::format("`{}`", key)};
      for (const Column& column : columns) row.push_back(shown(column.values[i]));
      out += markdown_row(row);
    }
    ++i;
  }
  return out;
}

}  // namespace

std::string systems_page(std::string page, const std::string& path) {
  const std::pair<std::string_view, std::string (*)()> tables[] = {{"models", model_table},
                                                                   {"training", training_table}};
  for (const auto& [name, table] : tables) {
    const std::string begin = fmt::format("<!-- heed docs systems: {} -->\n", name), end = "<!-- end -->";
    const std::size_t from = page.find(begin), to = page.find(end, from == page.npos ? page.size() : from);
    check<InputError>(to != page.npos, "'{}' has no table of {}: expected a line '{}', and after it '{}'", path, name,
                      begin.substr(0, begin.size() - 1), end);
    page.replace(from + begin.size(), to - from - begin.size(), table());
  }
  return page;
}

}  // namespace heed::cli
