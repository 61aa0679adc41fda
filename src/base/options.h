// The option registry: each option of a command is declared once, bound to the field of a struct, and everything else
// follows from that line: the flag, the config key, the check, the help, the commented TOML and the docs table.
//
//   struct TranslateOptions { int beam = 1; bool json = false; };
//   void declare(Options& o, TranslateOptions& v) {
//     o.flag("beam", v.beam, "hypotheses kept at each step", range(1, 100));
//     o.flag("json", v.json, "one JSON object per line");
//   }
//
// The field's value at declaration is the default. The registry points into the struct, which must outlive it. Every
// bad flag, key or value is a UsageError: one sentence with the flag or file:line, the value and what was expected.
// The layers, in whatever order they are applied: the command line wins over files, files win over the preset, the
// preset wins over the defaults; within a layer the later one wins.
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

// What a value must fulfil beyond its type.
struct Check {
  std::optional<double> low, high;
  bool low_excluded = false, high_excluded = false;
  std::vector<std::string> choices;  // for texts: one of these

  Check& at_most(double bound) { return high = bound, *this; }
  Check& below(double bound) { return high = bound, high_excluded = true, *this; }
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
inline Check choices(std::vector<std::string> names) {
  return {.low = {}, .high = {}, .choices = std::move(names)};
}

using Field = std::variant<bool*, int*, std::int64_t*, float*, double*, std::string*, std::vector<std::string>*>;

// An enum, or a list of them, which options see as texts.
struct EnumField {
  const void* field = nullptr;
  std::vector<std::string> names;
  std::function<TomlValue()> read;              // the present value: a text, or a list of them
  std::function<void(const TomlValue&)> write;  // of the same kind, and every text one of `names`
};
template <NamedEnum E>
EnumField enum_field(E& field) {
  return {&field, enum_names(field), [&field] { return TomlValue(enum_name(field)); },
          [&field](const TomlValue& value) { field = enum_value<E>(std::get<std::string>(value)); }};
}
template <NamedEnum E>
EnumField enum_field(std::vector<E>& field) {
  return {&field, enum_names(E{}), [&field] { return TomlValue(enum_list(field)); },
          [&field](const TomlValue& value) {
            field.clear();
            for (const auto& name : std::get<std::vector<std::string>>(value)) field.push_back(enum_value<E>(name));
          }};
}

// One declared option. The functions refine it right after its declaration: o.key(…).flag().value("FILE");
class Option {
 public:
  // A flag for a config key: by default the last part of the key, so that training.epochs gets --epochs.
  Option& flag(std::string_view name = "");
  // A flag without which parse() fails.
  Option& required() { return required_ = true, *this; }
  // What help calls the value: FILE, N, NAME.
  Option& value(std::string_view name) { return value_name_ = name, *this; }
  // A list that may also be given as a,b,c.
  Option& comma_separated() { return comma_separated_ = true, *this; }
  // An old key, or an old flag with its dashes, that still works but is not shown.
  Option& alias(std::string_view old_name) { return aliases_.emplace_back(old_name), *this; }
  // Read even if help is asked for, because the defaults that help shows depend on it.
  Option& early() { return early_ = true, *this; }
  // A config key that may differ when a run is resumed: see first_difference().
  Option& may_change() { return may_change_ = true, *this; }

 private:
  friend class Options;
  enum class Source { none, initial, preset, file, command_line };

  bool is_called(std::string_view flag_or_key) const;

  std::string name_;  // the flag with its dashes, or "" for a config key without one
  std::string key_;   // dotted, or "" for a flag without one
  std::string positional_;
  std::vector<std::string> aliases_;
  std::size_t min_count_ = 0, max_count_ = 0;  // of a positional
  std::string help_, group_, value_name_;
  Field field_;
  EnumField enum_;  // if it has a field, field_ only says whether the names are one text or a list
  Check check_;
  TomlValue default_;  // the preset's value, or the field's at declaration
  bool required_ = false, comma_separated_ = false, early_ = false, may_change_ = false;
  Source source_ = Source::initial;
};

// An option as help and docs show it.
struct OptionRow {
  std::string group, label;   // the label as it is written: "--beam N", "encoder.hidden=N", "MODEL"
  std::string flag, key;      // "--beam" and "search.beam"; "" if there is none
  std::string default_value;  // "required" if there is none
  std::string allowed, help;
  std::string remark;  // the default, what is allowed and the key in parentheses
  std::vector<std::string> choices;
  bool positional = false, takes_value = false;
};

class Options {
 public:
  // `command` as the user types it after heed, for messages: "train", "bench translate".
  explicit Options(std::string_view command = "");
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  // Declaring. The options after group() stand under its title in help and docs.
  void group(std::string_view title) { group_ = title; }
  template <class T>
  Option& flag(std::string_view name, T& field, std::string_view help, Check check = {}) {
    if constexpr (requires { enum_field(field); })
      return declare_flag(name, {}, help, std::move(check), enum_field(field));
    else
      return declare_flag(name, &field, help, std::move(check));
  }
  template <class T>
  Option& key(std::string_view dotted, T& field, std::string_view help, Check check = {}) {
    if constexpr (requires { enum_field(field); })
      return declare_key(dotted, {}, help, std::move(check), enum_field(field));
    else
      return declare_key(dotted, &field, help, std::move(check));
  }
  Option& positional(std::string_view name, std::string& field, std::string_view help, bool required = true);
  Option& positional(std::string_view name, std::vector<std::string>& field, std::string_view help,
                     std::size_t min_count = 1, std::size_t max_count = std::numeric_limits<std::size_t>::max());

  // Files may have a section of this name, which is for others to read.
  void skip_section(std::string_view name) { skipped_.push_back(fmt::format("{}.", name)); }

  // Applying. parse() returns false if -h or --help is among the arguments: only early() options are looked at then.
  // A registry with config keys also takes --set KEY=VALUE, any number of times.
  bool parse(std::span<const std::string> arguments);
  void apply_toml(std::string_view text, std::string_view where) { assign_all(text, where, Option::Source::file); }
  void apply_toml_file(const std::string& path);
  // One entry of a file.
  void apply_entry(const TomlEntry& entry, std::string_view where) { assign_entry(entry, where, Option::Source::file); }
  void apply_setting(std::string_view key_equals_value);  // as --set does
  // Like apply_toml(), for a text that an older heed wrote: keys that are gone since do nothing.
  void apply_old_toml(std::string_view text, std::string_view where);
  // The layer beneath files and command line; help, docs and to_toml() show its values as the defaults.
  void apply_preset(std::string_view toml, std::string_view where) { assign_all(toml, where, Option::Source::preset); }
  // The same for what is shown alone: the fields keep their values.
  void compare_with_preset(std::string_view toml, std::string_view where) {
    assign_all(toml, where, Option::Source::none);
  }
  // Whether the command line or a file set the option bound to this field.
  bool is_set(const void* field) const;
  std::vector<std::string> key_names() const;

  // The first config key whose value is not the one in `other`, but for those that may_change(); as TOML. Both must
  // have the same keys.
  struct Difference {
    std::string key, value, other;
  };
  std::optional<Difference> first_difference(const Options& other) const;

  // Printing. `width` 0: the terminal's, or 100 if there is none.
  std::string usage() const;  // "heed translate MODEL [options]"
  std::string help(std::size_t width = 0) const;
  std::vector<OptionRow> rows() const;  // in the order of declaration
  std::string to_toml() const;          // every config key with its help and present value

 private:
  Option& declare(Field field, std::string_view help, Check check, EnumField named = {});
  Option& declare_flag(std::string_view name, Field field, std::string_view help, Check check, EnumField named = {});
  Option& declare_key(std::string_view dotted, Field field, std::string_view help, Check check, EnumField named = {});
  Option* find_flag(std::string_view name);
  Option& find_key(std::string_view key, std::string_view where);
  void check_free(std::string_view name) const;
  bool has_keys() const;
  std::vector<std::string> flag_names() const;
  std::string see_help() const;
  std::string wrap_usage(std::size_t width) const;
  void take_positionals(std::span<const std::string> words);
  template <class Assign>
  static void visit_field(Option& option, const Assign& assign);
  void assign_text(Option& option, std::string_view text, std::string_view where, bool append);
  void assign_toml(Option& option, const TomlValue& value, std::string_view where, Option::Source source);
  void assign_entry(const TomlEntry& entry, std::string_view where, Option::Source source);
  void assign_all(std::string_view toml, std::string_view where, Option::Source source);

  static TomlValue current(const Option& option);
  static std::string value_name(const Option& option);
  static std::string expected(const Option& option);
  static std::string bounds(const Option& option);
  static std::string label(const Option& option);
  static std::string remark(const Option& option, const std::string& default_value);
  static OptionRow row(const Option& option);

  std::string command_;
  std::string group_;
  std::vector<std::string> skipped_;
  std::deque<Option> options_;  // a deque: references from declare() stay valid
  Option set_;                  // --set
  bool has_preset_ = false;
};

}  // namespace heed::base
