// The option registry: each option of a command is declared once and bound to the field of a struct. The flag, the
// config key, the check, the help, the commented TOML and the docs table all follow from that declaration.
//
//   struct TranslateOptions { int beam = 1; bool json = false; };
//   void declare(Options& o, TranslateOptions& v) {
//     o.flag("beam", v.beam, "hypotheses kept at each step", range(1, 100));
//     o.flag("json", v.json, "one JSON object per line");
//   }
//
// The field's value at declaration is the default. The registry points into the struct, which must outlive it. Every
// bad flag, key or value is a UsageError: one sentence with the flag or file:line, the value and what was expected.
// The command line overrides files, files override the preset, and the preset overrides the defaults, in whatever order
// they are applied. A later file overrides an earlier one; on the command line a single-valued option may appear once.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/enum_names.h"
#include "base/toml.h"

namespace heed::inline base {

// The values that an option allows.
struct Check {
  std::optional<double> low, high;
  bool low_excluded = false, high_excluded = false;
  std::vector<std::string> choices;     // for a string; empty: any
  std::vector<std::string> about = {};  // one line about each choice, for `heed help`; empty: nothing to say
  std::string advice = {};              // appended to the message if a string is not among the choices

  Check& at_most(double bound) { return high = bound, *this; }
  Check& below(double bound) { return high = bound, high_excluded = true, *this; }
  Check& otherwise(std::string_view text) { return advice = text, *this; }
};
inline Check range(double low, double high) {
  return {.low = low, .high = high, .choices = {}};
}
inline Check at_least(double low) {
  return {.low = low, .high = {}, .choices = {}};
}
inline Check above(double low) {
  return {.low = low, .high = {}, .low_excluded = true, .choices = {}};
}
inline Check choices(std::vector<std::string> names, std::vector<std::string> about = {}) {
  return {.low = {}, .high = {}, .choices = std::move(names), .about = std::move(about)};
}

using Field = std::variant<bool*, int*, std::int64_t*, float*, double*, std::string*, std::vector<std::string>*>;

// How an option reads and writes, by name, a field that is an enum or a list of enums.
struct EnumField {
  const void* field = nullptr;
  std::vector<std::string> names, about;
  std::function<TomlValue()> read;              // a string or a list of strings
  std::function<void(const TomlValue&)> write;  // of the same type as read() returns; every string is in `names`
};

// The field of an option. For an enum, `plain` is null; its type only says whether the names are a string or a list.
struct BoundField {
  Field plain;
  EnumField named = {};
};
template <class T>
BoundField bind_field(T& field) {
  return {&field};
}
template <NamedEnum E>
BoundField bind_field(E& field) {
  return {static_cast<std::string*>(nullptr),
          {&field, enum_names(field), enum_lines(E{}), [&field] { return TomlValue(enum_name(field)); },
           [&field](const TomlValue& value) { field = enum_value<E>(std::get<std::string>(value)); }}};
}
template <NamedEnum E>
BoundField bind_field(std::vector<E>& field) {
  return {static_cast<std::vector<std::string>*>(nullptr),
          {&field, enum_names(E{}), enum_lines(E{}), [&field] { return TomlValue(enum_list(field)); },
           [&field](const TomlValue& value) {
             field.clear();
             for (const auto& name : std::get<std::vector<std::string>>(value)) field.push_back(enum_value<E>(name));
           }}};
}

// A declared option. The functions refine it right after its declaration: o.key(…).flag().value("FILE");
class Option {
 public:
  // Gives a config key a flag too, by default the last part of the key: training.epochs gets --epochs.
  Option& flag(std::string_view name = "");
  // parse() fails without it.
  Option& required() { return required_ = true, *this; }
  // The placeholder for the value in the help: FILE, N, NAME.
  Option& value(std::string_view name) { return value_name_ = name, *this; }
  // The flag takes all values up to the next option: --train a b c. For a list.
  Option& several() { return several_ = true, *this; }
  // The flag accepts a list as a,b,c.
  Option& comma_separated() { return comma_separated_ = true, *this; }
  // An old key, or an old flag with its dashes, that still works but is not documented.
  Option& alias(std::string_view old_name);
  // Another flag for the same, which the help names. Every --out and --output has -o.
  Option& short_form(std::string_view name) { return short_ = name, alias(name); }
  // Shown by Options::short_help().
  Option& common() { return common_ = true, *this; }
  // For a list of positional arguments: takes arguments only while `accepts` returns true, but at least the minimum
  // number; `--` ends the list.
  using Accepts = std::function<bool(const std::string& value)>;
  Option& leading(Accepts accepts) { return accepts_ = std::move(accepts), *this; }
  // Parsed even with --help, because the defaults that the help shows depend on it.
  Option& early() { return early_ = true, *this; }
  // The value does not affect the result, so it may differ when a run is resumed, and from worker to worker: see
  // first_difference() and settings().
  Option& may_change() { return may_change_ = true, *this; }
  // The value names a file that the command reads ("-": standard input) or writes: see Options::check_files(). Every
  // option whose placeholder is a FILE, MODEL, CONFIG, DIR or PREFIX needs one of the two. If the value stands for
  // other files, as a directory or a prefix does, `files` returns their names.
  using Files = std::function<std::vector<std::string>(const std::string& value)>;
  Option& reads(Files files = {}) { return use_ = Use::read, files_ = std::move(files), *this; }
  Option& writes(Files files = {}) { return use_ = Use::written, files_ = std::move(files), *this; }

 private:
  friend class Options;
  enum class Use { none, read, written };
  enum class Source { none, initial, preset, file, command_line };

  // Whether american(flag_or_key) is one of the option's names.
  bool is_called(std::string_view american_name) const;
  bool is_switch() const { return std::holds_alternative<bool*>(field_.plain); }
  // Whether text for a list is split at commas. No choice contains a comma.
  bool splits_commas() const { return comma_separated_ || !check_.choices.empty(); }
  // Whether text stands for an empty list of input files: an empty name does, in a configuration file and in a flag
  // that overrides one.
  bool is_none(std::string_view text) const { return text.empty() && is_list() && use_ == Use::read && !key_.empty(); }
  bool is_list() const { return std::holds_alternative<std::vector<std::string>*>(field_.plain); }

  std::string name_;   // the flag with its dashes, or "" for a config key without one
  std::string short_;  // short form of the flag: "-o", or ""
  std::string key_;    // dotted, or "" for a flag without one
  std::string positional_;
  std::vector<std::string> american_names_;    // flag, key and old names in American spelling, for comparisons
  std::size_t min_count_ = 0, max_count_ = 0;  // of a positional
  std::string help_, group_, value_name_;
  BoundField field_;
  Check check_;
  TomlValue default_;  // the preset's value, or the field's at declaration
  bool required_ = false, several_ = false, comma_separated_ = false, early_ = false, may_change_ = false;
  bool common_ = false;
  Source source_ = Source::initial;
  std::optional<std::string> given_;  // the value on the command line
  Accepts accepts_;
  Use use_ = Use::none;
  Files files_;
};

// An option as the help and the docs show it.
struct OptionRow {
  std::string group, label;   // how the user writes it: "--beam N", "encoder.hidden=N", "MODEL"
  std::string flag, key;      // "--beam" and "search.beam"; "" if there is none
  std::string short_form;     // "-o", or "" if there is none
  std::string default_value;  // "required" if there is none
  std::string allowed, help;
  std::string remark;                       // the default, the allowed values and the key, in parentheses
  std::vector<std::string> choices, about;  // `about` has a line for each choice, or is empty
  bool positional = false, takes_value = false, common = false;
};

class Options {
 public:
  // `command` is for messages, as the user types it after heed: "train", "bench translate".
  explicit Options(std::string_view command = "");
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  // Declaring. The options after group() appear under its title in the help and the docs.
  void group(std::string_view title) { group_ = title; }
  template <class T>
  Option& flag(std::string_view name, T& field, std::string_view help, Check check = {}) {
    return declare(name, "", bind_field(field), help, std::move(check));
  }
  template <class T>
  Option& key(std::string_view dotted, T& field, std::string_view help, Check check = {}) {
    return declare("", dotted, bind_field(field), help, std::move(check));
  }
  Option& positional(std::string_view name, std::string& field, std::string_view help, bool required = true) {
    return declare_positional(name, {&field}, help, required ? 1 : 0, 1);
  }
  Option& positional(std::string_view name, std::vector<std::string>& field, std::string_view help,
                     std::size_t min_count = 1, std::size_t max_count = std::numeric_limits<std::size_t>::max()) {
    return declare_positional(name, {&field}, help, min_count, max_count);
  }

  // Ignores a section of configuration files that other code reads.
  void skip_section(std::string_view name) { skipped_.push_back(fmt::format("{}.", name)); }

  // Applying. parse() returns false if -h, --help or --help-all is among the arguments; then only early() options are
  // parsed. A registry with config keys also accepts --set KEY=VALUE, any number of times, KEY=VALUE and --KEY VALUE.
  // UsageError if an option or key gets a second value, unless it is a switch or a list.
  bool parse(std::span<const std::string> arguments);
  void apply_toml(std::string_view text, std::string_view where) { assign_all(text, where, Option::Source::file); }
  void apply_entry(const TomlEntry& entry, std::string_view where) { assign_entry(entry, where, Option::Source::file); }
  // As --set does; messages call the setting `shown` if the user wrote it another way, such as --KEY.
  void apply_setting(std::string_view key_equals_value, std::string_view shown = "");
  // Like apply_toml(), for text written by an older heed: keys that no longer exist are ignored.
  void apply_old_toml(std::string_view text, std::string_view where);
  // The layer below files and command line; the help, the docs and to_toml() show its values as the defaults.
  void apply_preset(std::string_view toml, std::string_view where) { assign_all(toml, where, Option::Source::preset); }
  // Changes only the defaults that are shown: the fields keep their values.
  void compare_with_preset(std::string_view toml, std::string_view where) {
    assign_all(toml, where, Option::Source::none);
  }
  // UsageError if a file that the command writes is also one that it reads, by whatever names, standard input and
  // output included; if two inputs are "-"; or if the command line gives an empty file name. The program calls it after
  // parse(); a command that then applies a configuration file calls it again.
  void check_files() const;
  // Whether the command line or a file set the option bound to this field.
  bool is_set(const void* field) const;
  std::vector<std::string> key_names() const;
  bool has_key(std::string_view key) const;  // old names count

  // The first config key whose value differs from that in `other`, except those that may_change(); values as TOML. Both
  // must have the same keys.
  struct Difference {
    std::string key, value, other;
  };
  std::optional<Difference> first_difference(const Options& other) const;
  // What the result depends on: all options with their current values, as TOML, except those that may_change() and
  // those that are written. `files` are the files that the value stands for.
  struct Setting {
    std::string name, value;  // "--beam" and "5"
    std::vector<std::string> files;
  };
  std::vector<Setting> settings() const;

  // Printing. `width` is in columns; 0: as wide as the terminal, or 100 if there is none.
  std::string usage() const;  // "heed translate MODEL [options]"
  std::string help(std::size_t width = 0) const;
  // Only arguments, required and common() options; everything if there are few options.
  std::string short_help(std::size_t width = 0) const;
  std::vector<OptionRow> rows() const;  // in the order of declaration
  // The option with this flag, its --no- form, key or old name, with or without dashes; if there is none, all settings
  // whose key ends with this name.
  std::vector<OptionRow> find_rows(std::string_view name) const;
  std::string to_toml() const;  // every config key with its help and current value

 private:
  Option& declare(std::string_view flag, std::string_view key, BoundField field, std::string_view help, Check check);
  Option& declare_positional(std::string_view name, BoundField field, std::string_view help, std::size_t min_count,
                             std::size_t max_count);
  Option* find_flag(std::string_view name);
  Option& find_key(std::string_view key, std::string_view where);
  std::vector<std::string> flag_names() const;
  std::string see_help() const;
  std::string example_of(std::string_view key) const;
  bool is_setting(std::string_view key) const;
  [[noreturn]] void refuse_flag(std::string_view name, std::string_view value) const;
  [[noreturn]] void refuse_argument(const std::string& value) const;
  static bool accepts(const Option& option, std::string_view text);
  void check_declarations() const;
  struct NamedFile;
  std::vector<NamedFile> files(Option::Use use) const;
  // `leading`: the number of values before `--`.
  void take_positionals(std::span<const std::string> values, std::size_t leading);
  void note_given(Option& option, std::string_view name, std::string_view value, bool same_allowed);
  std::string help_of(std::span<const OptionRow> shown, std::size_t width) const;
  template <class Assign>
  static void visit_field(Option& option, const Assign& assign);
  void assign_text(Option& option, std::string_view text, std::string_view where, bool append);
  void assign_toml(Option& option, const TomlValue& value, std::string_view where, Option::Source source);
  void assign_entry(const TomlEntry& entry, std::string_view where, Option::Source source);
  void assign_all(std::string_view toml, std::string_view where, Option::Source source);

  static TomlValue current(const Option& option);
  static std::string value_name(const Option& option);
  static std::string shown_value(const Option& option);
  static std::string expected(const Option& option);
  static std::string bounds(const Option& option);
  static std::string label(const Option& option);
  static std::string remark(const Option& option, const std::string& default_value);
  static OptionRow row(const Option& option);

  std::string command_;
  std::string group_;
  std::vector<std::string> skipped_;
  std::deque<Option> options_;  // a deque, so that references from declare() stay valid
  Option set_;                  // --set
  bool has_preset_ = false;
};

}  // namespace heed::base
