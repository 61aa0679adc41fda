#include "explain.h"

#include <unistd.h>

#include <algorithm>

#include "base/terminal.h"
#include "model/presets.h"

namespace heed::cli {
namespace {

// A command's options with the defaults of a preset; "": the command's default preset.
struct Declared {
  std::unique_ptr<Action> action;
  Options options;

  explicit Declared(const Command& command, std::string_view preset = "")
      : action(command.make()), options(command.name) {
    action->declare(options);
    if (!preset.empty()) options.parse(std::vector<std::string>{"--preset", std::string(preset), "--help"});
    action->apply_preset(options);
  }
};

// An option that means the same in several commands.
struct Entry {
  OptionRow row;
  std::vector<const Command*> commands;

  bool is(const OptionRow& other) const { return row.label == other.label && row.help == other.help; }
};

std::vector<Entry> find_entries(std::span<const Command* const> commands, std::string_view name) {
  std::vector<Entry> entries;
  for (const Command* command : commands)
    for (OptionRow& row : Declared(*command).options.find_rows(name)) {
      const auto same = std::ranges::find_if(entries, [&](const Entry& entry) { return entry.is(row); });
      (same == entries.end() ? entries.emplace_back(Entry{std::move(row), {}}) : *same).commands.push_back(command);
    }
  return entries;
}

// "320", or for a setting that differs between presets "320 (heed), 256 (luong-dot, luong-general)".
std::string default_of(const Entry& entry) {
  const Command& command = *entry.commands.front();
  if (entry.row.key.empty() || Declared(command).options.find_rows("--preset").empty()) return entry.row.default_value;
  std::vector<std::pair<std::string, std::vector<std::string>>> presets_by_value;
  for (const model::Preset& preset : model::presets()) {
    const std::string value = Declared(command, preset.name).options.find_rows(entry.row.key).front().default_value;
    auto found = std::ranges::find(presets_by_value, value, [](const auto& pair) { return pair.first; });
    if (found == presets_by_value.end()) found = presets_by_value.insert(found, {value, {}});
    found->second.emplace_back(preset.name);
  }
  if (presets_by_value.size() == 1) return presets_by_value.front().first;
  const auto is_own = [&](const auto& pair) { return pair.first == entry.row.default_value; };
  std::ranges::stable_partition(presets_by_value, is_own);  // the default preset's value comes first
  std::vector<std::string> parts;
  for (const auto& [value, presets] : presets_by_value)
    parts.push_back(fmt::format("{} ({})", value.empty() ? "none" : value, fmt::join(presets, ", ")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string paragraph(const Entry& entry, std::size_t width) {
  const OptionRow& row = entry.row;
  std::string out;
  // The first line begins with `head`; the text after it is wrapped in a column of its own.
  const auto add = [&](std::string_view text, std::size_t indent, const std::string& head = "") {
    const std::size_t column = indent + head.size();
    bool first = true;
    for (const std::string& line : wrap_text(text, std::max<std::size_t>(width, column + 20) - column)) {
      out += first ? std::string(indent, ' ') + head : std::string(column, ' ');
      out += line + "\n";
      first = false;
    }
  };
  add(fmt::format("{}: {}", row.label, row.help), 0);
  std::size_t longest = 0;
  for (const std::string& choice : row.choices) longest = std::max(longest, choice.size());
  for (std::size_t i = 0; i < row.about.size(); ++i)
    add(row.about[i], 4, fmt::format("{:<{}}  ", row.choices[i], longest));
  if (!row.allowed.empty() && row.about.empty()) add("values: " + row.allowed, 2);
  if (const std::string value = default_of(entry); !value.empty())
    add(value == "required" ? value : "default: " + value, 2);
  if (!row.key.empty())
    add(fmt::format("in a configuration file, or as --set {}=…{}", row.key,
                    row.flag.empty() ? "" : fmt::format(" or {} …", row.flag)),
        2);
  if (!row.short_form.empty()) add("short form: " + row.short_form, 2);
  std::vector<std::string> names;
  for (const Command* command : entry.commands) names.push_back(fmt::format("heed {}", command->name));
  add(fmt::format("in: {}", fmt::join(names, ", ")), 2);
  return out;
}

}  // namespace

std::string explain_option(std::span<const Command* const> commands, std::string_view name) {
  std::string out;
  for (const Entry& entry : find_entries(commands, name))
    out += (out.empty() ? "" : "\n") + paragraph(entry, terminal_width(STDOUT_FILENO, 100));
  return out;
}

std::string explain_section(const Command& command, std::string_view section) {
  const std::size_t width = terminal_width(STDOUT_FILENO, 100);
  std::string out;
  for (const OptionRow& row : Declared(command).options.rows()) {
    if (!row.key.starts_with(fmt::format("{}.", section))) continue;
    if (out.empty()) out = fmt::format("Settings of the section {} (heed {}):\n", section, command.name);
    out += fmt::format("\n  {}\n", row.key);
    const std::string remark = row.default_value.empty() ? "" : fmt::format(" (default {})", row.default_value);
    for (const std::string& line : wrap_text(row.help + remark, width - 6)) out += fmt::format("      {}\n", line);
  }
  if (!out.empty()) out += fmt::format("\nheed help {}.NAME explains one of them and lists its values.\n", section);
  return out;
}

std::vector<std::string> option_names(std::span<const Command* const> commands) {
  std::vector<std::string> names = {"--help", "--help-all"};
  for (const Command* command : commands)
    for (const OptionRow& row : Declared(*command).options.rows())
      for (const std::string& name : {row.flag, row.key})
        if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

}  // namespace heed::cli
