// The option registry: each option of a command is declared once, bound to the field of a struct, and everything else
// follows from that line: the flag, the config key, the check, the help, the commented TOML and the docs table.
//
//   struct TranslateOptions { int beam = 1; bool json = false; };
//   void declare(Options& o, TranslateOptions& v) {
//     o.flag("beam", v.beam, "hypotheses kept at each step", range(1, 100));
//     o.flag("json", v.json, "one JSON object a line");
//   }
//
// The field's value at declaration is the default. The registry points into the struct, which must outlive it. Every
// bad flag, key or value is a UsageError: one sentence with the flag or file:line, the value and what was expected. The
// command line wins over files, whichever is applied first; a later file wins over an earlier one.
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

namespace heed {

// What a value must fulfil beyond its type.
struct Check {
  std::optional<double> low, high;
  bool low_excluded = false, high_excluded = false;
  bool infinite_allowed = false;     // inf is a valid number here; nan never is
  std::vector<std::string> choices;  // for texts: one of these

  Check& at_most(double bound) { return high = bound, *this; }
  Check& below(double bound) { return high = bound, high_excluded = true, *this; }
  Check& or_infinite() { return infinite_allowed = true, *this; }
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

// An enum, or a list of them: the option holds its names as text, and passes them on.
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

// One declared option. The functions refine it right after its declaration: o.key(…).flag().required();
class Option {
 public:
  // A flag for a config key: by default the last part of the key, so that training.epochs gets --epochs.
  Option& flag(std::string_view name = "");
  Option& required();                    // of a flag: parse() insists on it; of a config key: check_complete() does
  Option& hidden();                      // not in help or docs
  Option& value(std::string_view name);  // what help calls the value: FILE, N, NAME
  Option& comma_separated();             // a list that may also be given as a,b,c

 private:
  friend class Options;
  enum class Source { initial, file, command_line };

  std::string name_;  // the flag with its dashes, or "" for a config key without one
  std::string key_;   // dotted, or "" for a flag without one
  std::string positional_;
  std::size_t min_count_ = 0, max_count_ = 0;  // of a positional
  std::string help_, group_, value_name_;
  Field field_;
  EnumField enum_;  // then field_ points to one of the next two
  std::string text_;
  std::vector<std::string> texts_;
  Check check_;
  TomlValue initial_;
  bool required_ = false, hidden_ = false, comma_separated_ = false;
  Source source_ = Source::initial;
};

class Options {
 public:
  // `command` as the user types it after heed, for messages: "train", "bench translate".
  explicit Options(std::string_view command = "") : command_(command) {}
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

  // Files may still have a section of this name, from an older heed; its keys do nothing.
  void retired(std::string_view section) { retired_.push_back(fmt::format("{}.", section)); }

  // Applying. parse() returns false where -h or --help is among the arguments: nothing else is looked at then.
  // A registry with config keys also takes --set KEY=VALUE, any number of times.
  bool parse(std::span<const std::string> arguments);
  void apply_toml(std::string_view text, std::string_view where);
  void apply_toml_file(const std::string& path);
  void apply_entry(const TomlEntry& entry, std::string_view where);  // one entry of a file
  void apply_setting(std::string_view key_equals_value);             // as --set does
  // After the last file: UsageError where a required config key was given by neither files nor command line.
  void check_complete() const;
  // Whether the user, or a file, gave the option bound to this field.
  bool given(const void* field) const;
  std::vector<std::string> key_names() const;

  // Printing. `width` 0: the terminal's, or 100 where there is none.
  std::string usage() const;  // "heed translate MODEL [options]"
  std::string help(std::size_t width = 0) const;
  std::string to_toml() const;      // every config key with its help and present value
  std::string to_markdown() const;  // one table a group

 private:
  Option& declare(Field field, std::string_view help, Check check, EnumField named = {});
  Option& declare_flag(std::string_view name, Field field, std::string_view help, Check check, EnumField named = {});
  Option& declare_key(std::string_view dotted, Field field, std::string_view help, Check check, EnumField named = {});
  Option* find_flag(std::string_view name);
  Option& find_key(std::string_view key, std::string_view where);
  void check_free(std::string_view name) const;
  void check_given(const Option& option) const;
  bool has_keys() const;
  std::vector<std::string> flag_names() const;
  std::string see_help() const;
  std::string wrap_usage(std::size_t width) const;
  void take_positionals(const std::vector<std::string>& words);
  void assign_text(Option& option, std::string_view text, std::string_view where, bool append);
  void assign_toml(Option& option, const TomlValue& value, std::string_view where, Option::Source source);

  static TomlValue current(const Option& option);
  static std::string value_name(const Option& option);
  static std::string expected(const Option& option);
  static std::string bounds(const Option& option);
  static std::string label(const Option& option);
  static std::string remark(const Option& option);

  std::string command_;
  std::string group_;
  std::vector<std::string> retired_;
  std::deque<Option> options_;  // a deque: references from declare() stay valid
};

}  // namespace heed
