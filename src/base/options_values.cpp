// How the option registry checks and stores a value, from the command line or from TOML.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/error.h"
#include "base/nearest.h"
#include "base/numbers.h"
#include "base/options.h"
#include "base/utf8.h"

namespace heed::inline base {

namespace {

template <class Number>
bool fits(Number number, const Check& check) {
  const auto value = static_cast<double>(number);
  if (!std::isfinite(value)) return false;
  if (check.low && (check.low_excluded ? value <= *check.low : value < *check.low)) return false;
  return !check.high || (check.high_excluded ? value < *check.high : value <= *check.high);
}

template <class T>
TomlValue to_value(const T& field) {
  if constexpr (std::is_same_v<T, int>) {
    return std::int64_t{field};
  } else if constexpr (std::is_same_v<T, float>) {
    // The shortest text that means this float, read as a double: 0.1f is 0.1, not 0.10000000149.
    double value = field;
    if (std::isfinite(value)) parse_number(fmt::format("{}", field), value);
    return value;
  } else {
    return field;
  }
}

TomlValue parse_list(std::string_view text, std::string_view where) {
  std::vector<TomlEntry> entries;
  try {
    entries = parse_toml(fmt::format("list = {}", text), where);
  } catch (const InputError&) {
    entries.clear();
  }
  if (entries.size() != 1) throw UsageError("{}: {} is not a list; expected [\"a\", \"b\"]", where, in_quotes(text));
  return entries.front().value;
}

std::vector<std::string> split_commas(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

// Stores a value of the field's own type after its check; otherwise a UsageError that begins with `where`.
struct Store {
  const Check& check;
  std::string_view where;
  std::string expected;

  [[noreturn]] void refuse(std::string_view value, std::string_view complaint) const {
    throw UsageError("{}: {} {}; expected {}", where, in_quotes(value), complaint, expected);
  }

  template <class Number>
  void number(Number& field, std::type_identity_t<Number> value, std::string_view text) const {
    if (!fits(value, check)) refuse(text, "is out of range");
    field = value;
  }

  void text(std::string& field, std::string_view value) const {
    if (!check.choices.empty() && std::ranges::find(check.choices, value) == check.choices.end())
      throw UsageError("{}: {} is not known{}; expected {}", where, in_quotes(value),
                       nearest(value, check.choices).empty()
                           ? ""
                           : fmt::format(", perhaps you meant '{}'", nearest(value, check.choices)),
                       expected);
    field = value;
  }

  void parse(bool& field, std::string_view value) const {
    if (value != "true" && value != "false") refuse(value, "is neither true nor false");
    field = value == "true";
  }

  template <class Number>
  requires std::is_arithmetic_v<Number>
  void parse(Number& field, std::string_view value) const {
    Number parsed{};
    const bool has_plus = value.starts_with('+') && !value.starts_with("+-");
    const std::errc error = parse_number(value.substr(has_plus ? 1 : 0), parsed);
    if (error == std::errc::result_out_of_range) refuse(value, "is out of range");
    if (error != std::errc()) refuse(value, std::is_integral_v<Number> ? "is not a whole number" : "is not a number");
    number(field, parsed, value);
  }

  void parse(std::string& field, std::string_view value) const { text(field, value); }

  void all(std::vector<std::string>& field, const std::vector<std::string>& values, bool append) const {
    std::vector<std::string> checked = append ? field : std::vector<std::string>{};
    for (const auto& value : values) text(checked.emplace_back(), value);
    field = std::move(checked);
  }
};

}  // namespace

TomlValue Options::current(const Option& option) {
  if (option.enum_.field != nullptr) return option.enum_.read();
  return std::visit([](const auto* field) { return to_value(*field); }, option.field_);
}

template <class Assign>
void Options::visit_field(Option& option, const Assign& assign) {
  if (option.enum_.field == nullptr) return std::visit(assign, option.field_);
  TomlValue names = option.enum_.read();
  if (std::string* text = std::get_if<std::string>(&names))
    assign(text);
  else
    assign(&std::get<std::vector<std::string>>(names));
  option.enum_.write(names);
}

void Options::assign_text(Option& option, std::string_view text, std::string_view where, bool append) {
  const Store store{option.check_, where, expected(option)};
  const auto assign = [&]<class T>(T* field) {
    if constexpr (std::is_same_v<T, std::vector<std::string>>)
      store.all(*field, option.comma_separated_ ? split_commas(text) : std::vector{std::string(text)}, append);
    else
      store.parse(*field, text);
  };
  visit_field(option, assign);
  option.source_ = Option::Source::command_line;
}

void Options::assign_toml(Option& option, const TomlValue& value, std::string_view where, Option::Source source) {
  const Store store{option.check_, where, expected(option)};
  const auto assign = [&]<class T>(T* field) {
    T copy = *field;
    const auto* whole = std::get_if<std::int64_t>(&value);
    const auto* real = std::get_if<double>(&value);
    if constexpr (std::is_same_v<T, bool>) {
      if (!std::holds_alternative<bool>(value)) store.refuse(to_plain(value), "is neither true nor false");
      copy = std::get<bool>(value);
    } else if constexpr (std::is_integral_v<T>) {
      // Through the text: it also finds what does not fit into an int.
      if (!whole) store.refuse(to_plain(value), "is not a whole number");
      store.parse(copy, to_plain(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      if (!whole && !real) store.refuse(to_plain(value), "is not a number");
      store.parse(copy, to_plain(value));
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!std::holds_alternative<std::string>(value)) store.refuse(to_plain(value), "is not a text in quotes");
      store.text(copy, std::get<std::string>(value));
    } else {
      const auto* list = std::get_if<std::vector<std::string>>(&value);
      const auto* text = std::get_if<std::string>(&value);
      if (!list && !text) store.refuse(to_plain(value), "is not a list of texts");
      store.all(copy, list ? *list : std::vector{*text}, false);
    }
    if (source <= Option::Source::preset) option.default_ = to_value(copy);
    if (option.source_ <= source) *field = std::move(copy);
  };
  visit_field(option, assign);
  option.source_ = std::max(option.source_, source);
}

void Options::apply_setting(std::string_view setting) {
  const std::size_t equals = setting.find('=');
  if (equals == setting.npos)
    throw UsageError("--set {}: expected KEY=VALUE, for example --set {}", in_quotes(setting),
                     key_names().empty() ? "key=value" : fmt::format("{}=…", key_names().front()));
  const std::string_view key = setting.substr(0, equals), value = setting.substr(equals + 1);
  Option& option = find_key(key, "--set");
  const std::string where = fmt::format("--set {}", key);
  if (!std::holds_alternative<std::vector<std::string>*>(option.field_) || !value.starts_with('['))
    return assign_text(option, value, where, false);
  assign_toml(option, parse_list(value, where), where, Option::Source::command_line);
}

}  // namespace heed::base
