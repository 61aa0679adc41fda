// What the option registry prints: help, the rows of the docs and the commented TOML.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/nearest.h"
#include "base/options.h"
#include "base/terminal.h"
#include "base/utf8.h"

namespace heed::inline base {

namespace {

constexpr std::size_t kTomlWidth = 100;

// The placeholder and the description of a value, for each type of Field.
struct Kind {
  const char *value_name, *expected;
};
constexpr Kind kWhole{"N", "a whole number"}, kReal{"X", "a number"};
constexpr Kind kKinds[std::variant_size_v<Field>] = {
    {"", "true or false"}, kWhole, kWhole, kReal, kReal, {"TEXT", "text in quotes"}, {"TEXT", "a list of strings"}};

// A bound as people write it: 1000000, not 1e+06.
std::string bound(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{}", value);
}

// A left column and a wrapped right column; left text that is too long gets a line of its own.
std::string columns(std::string_view left, std::string_view right, std::size_t indent, std::size_t width) {
  std::string out = fmt::format("  {}", left);
  std::size_t column = 2 + utf8_length(left);
  for (const std::string& line : wrap_text(right, std::max<std::size_t>(width - std::min(width, indent), 20))) {
    if (column + 2 > indent) {
      out += '\n';
      column = 0;
    }
    out += std::string(indent - column, ' ') + line;
    column = indent;
  }
  return out += '\n';
}

}  // namespace

std::string Options::value_name(const Option& option) {
  if (!option.value_name_.empty()) return option.value_name_;
  const std::string name = option.check_.choices.empty() ? kKinds[option.field_.plain.index()].value_name : "NAME";
  return option.is_list() && option.splits_commas() ? name + ",…" : name;
}

// The placeholder after KEY=.
std::string Options::shown_value(const Option& option) {
  const std::string value = value_name(option);
  return value.empty() ? "true|false" : value;
}

// "from 1 to 100", "1 or more", "above 0 and below 1", "gru, lstm or rnn"; empty if every value is allowed.
std::string Options::bounds(const Option& option) {
  const Check& check = option.check_;
  if (!check.choices.empty()) return alternatives(check.choices);
  if (check.low && check.high && !check.low_excluded && !check.high_excluded)
    return fmt::format("from {} to {}", bound(*check.low), bound(*check.high));
  std::string out;
  if (check.low && !check.high && !check.low_excluded) return bound(*check.low) + " or more";
  if (check.low) out = (check.low_excluded ? "above " : "at least ") + bound(*check.low);
  if (check.low && check.high) out += " and ";
  if (check.high) out += (check.high_excluded ? "below " : "at most ") + bound(*check.high);
  return out;
}

std::string Options::expected(const Option& option) {
  const std::string allowed = bounds(option);
  if (!option.check_.choices.empty()) return (option.is_list() ? "any of " : "") + allowed;
  return fmt::format("{}{}{}", kKinds[option.field_.plain.index()].expected, allowed.empty() ? "" : " ", allowed);
}

std::string Options::label(const Option& option) {
  if (!option.positional_.empty()) return option.positional_ + (option.max_count_ > 1 ? "…" : "");
  const std::string value = value_name(option);
  if (option.name_.empty()) return fmt::format("{}={}", option.key_, shown_value(option));
  const auto* initial = std::get_if<bool>(&option.default_);
  if (initial) return *initial ? fmt::format("--[no-]{}", option.name_.substr(2)) : option.name_;
  return fmt::format("{} {}{}", option.name_, value, option.several_ ? "…" : "");
}

// What follows the help line: "(from 1 to 100; default 1; key search.beam)".
std::string Options::remark(const Option& option, const std::string& default_value) {
  std::vector<std::string> parts;
  const std::string allowed = bounds(option);
  if (option.required_) parts.emplace_back("required");
  if (!allowed.empty()) parts.push_back(option.is_list() ? "any of " + allowed : allowed);
  if (option.is_list() && option.positional_.empty()) {
    if (option.name_.empty() && allowed.empty()) parts.emplace_back(R"(a list: ["a", "b"])");
    if (!option.name_.empty()) parts.emplace_back(option.comma_separated_ ? "separated by commas" : "may be repeated");
  }
  if (!default_value.empty()) parts.push_back(default_value);
  if (!option.short_.empty()) parts.push_back(fmt::format("short form {}", option.short_));
  if (!option.key_.empty() && !option.name_.empty()) parts.push_back("key " + option.key_);
  return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, "; "));
}

OptionRow Options::row(const Option& option) {
  const std::string value = to_plain(option.default_);
  const bool must = option.required_ || option.min_count_ > 0;
  const bool plain_switch = !option.name_.empty() && option.key_.empty() && option.default_ == TomlValue(false);
  const bool shown = !value.empty() && !plain_switch && !option.required_;
  return {.group = option.group_,
          .label = label(option),
          .flag = option.name_,
          .key = option.key_,
          .short_form = option.short_,
          .default_value = must ? "required" : value,
          .allowed = bounds(option),
          .help = option.help_,
          .remark = remark(option, shown ? "default " + value : ""),
          .choices = option.check_.choices,
          .about = option.check_.about,
          .positional = !option.positional_.empty(),
          .takes_value = !option.name_.empty() && !option.is_switch(),
          .common = option.common_ || must || !option.positional_.empty()};
}

std::vector<OptionRow> Options::rows() const {
  std::vector<OptionRow> rows;
  bool shown = key_names().empty();  // whether --set has its row, which precedes the settings
  for (const Option& option : options_) {
    if (!shown && !option.key_.empty()) {
      rows.push_back(row(set_));
      rows.back().group = rows.size() > 1 ? rows[rows.size() - 2].group : option.group_;
      shown = true;
    }
    rows.push_back(row(option));
  }
  return rows;
}

std::string Options::usage() const {
  std::string out = command_.empty() ? "heed" : "heed " + command_;
  bool any_optional = false;
  for (const Option& option : options_) {
    if (option.required_ || option.min_count_ > 0)
      out += fmt::format(" {}", label(option));
    else if (!option.positional_.empty())
      out += fmt::format(" [{}]", label(option));
    else
      any_optional = true;
  }
  return any_optional ? out + " [options]" : out;
}

std::string Options::help(std::size_t width) const {
  return help_of(rows(), width);
}

std::string Options::short_help(std::size_t width) const {
  constexpr std::size_t kFew = 30;
  std::vector<OptionRow> all = rows(), shown;
  for (OptionRow& row : all) {
    if (!row.common) continue;
    row.group = row.flag.empty() ? "Settings" : "";
    shown.push_back(row);
  }
  if (all.size() <= kFew || std::ranges::none_of(options_, &Option::common_)) return help(width);
  return help_of(shown, width) +
         fmt::format("\n{} more options and settings: heed {} --help-all\n", all.size() - shown.size(), command_);
}

std::string Options::help_of(std::span<const OptionRow> all, std::size_t width) const {
  constexpr std::size_t kWidestLeft = 32;
  if (width == 0) width = terminal_width(STDOUT_FILENO, 100);
  std::vector<std::string> titles;
  std::size_t indent = 0;
  const auto title = [](const OptionRow& row) -> std::string {
    return row.positional ? "Arguments" : row.group.empty() ? "Options" : row.group;
  };
  for (const OptionRow& row : all) {
    if (std::ranges::find(titles, title(row)) == titles.end())
      titles.insert(row.positional ? titles.begin() : titles.end(), title(row));
    if (utf8_length(row.label) <= kWidestLeft) indent = std::max(indent, utf8_length(row.label) + 4);
  }
  std::string out;
  for (const std::string& line : wrap_text(usage(), width > 28 ? width - 7 : 21))
    out += (out.empty() ? "Usage: " : "       ") + line + "\n";
  if (!key_names().empty())
    for (const std::string& line : wrap_text(
             "Names with a dot, such as encoder.hidden, are settings. Set them with --set KEY=VALUE, as an argument "
             "KEY=VALUE, or in a configuration file.",
             width))
      out += line + "\n";
  for (const std::string& name : titles) {
    out += fmt::format("\n{}\n", name);
    for (const OptionRow& row : all)
      if (title(row) == name) out += columns(row.label, row.help + row.remark, indent, width);
  }
  return out;
}

std::string Options::to_toml() const {
  std::vector<std::pair<std::string, std::string>> sections = {{"", ""}};  // keys without a section come first in TOML
  for (const Option& option : options_) {
    if (option.key_.empty()) continue;
    const std::size_t dot = option.key_.rfind('.');
    const std::string section = dot == option.key_.npos ? "" : option.key_.substr(0, dot);
    auto found = std::ranges::find_if(sections, [&](const auto& s) { return s.first == section; });
    if (found == sections.end()) found = sections.insert(sections.end(), {section, fmt::format("\n[{}]\n", section)});
    const TomlValue value = current(option);
    std::string compared = to_plain(option.default_);
    if (has_preset_ && value == option.default_) compared.clear();
    compared = toml_comment(compared);
    if (!compared.empty()) compared.insert(0, has_preset_ ? "preset: " : "default ");
    Option plain = option;
    plain.name_.clear();  // the remark of a key, not of a flag
    plain.short_.clear();
    for (const std::string& line : wrap_text(option.help_ + remark(plain, compared), kTomlWidth - 2))
      found->second += fmt::format("# {}\n", line);
    found->second += fmt::format("{} = {}\n", option.key_.substr(dot + 1), heed::to_toml(value));
  }
  std::string out;
  for (const auto& [section, text] : sections) out += text;
  return out.starts_with('\n') ? out.substr(1) : out;
}

}  // namespace heed::base
