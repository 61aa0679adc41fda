// How the option registry checks and stores values from the command line and from TOML.
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

bool is_allowed(double value, const Check& check) {
  if (!std::isfinite(value)) return false;
  if (check.low && (check.low_excluded ? value <= *check.low : value < *check.low)) return false;
  return !check.high || (check.high_excluded ? value < *check.high : value <= *check.high);
}

// The complaint about a value that is not a T.
template <class T>
constexpr std::string_view kWrongType = std::is_same_v<T, bool>          ? "is neither true nor false"
                                        : std::is_integral_v<T>          ? "is not a whole number"
                                        : std::is_floating_point_v<T>    ? "is not a number"
                                        : std::is_same_v<T, std::string> ? "is not text in quotes"
                                                                         : "is not a list of strings";

// Whether a value from a file has a type that a field of type T accepts.
template <class T>
bool has_type(const TomlValue& value) {
  const auto holds = [&]<class Type>(Type) { return std::holds_alternative<Type>(value); };
  if constexpr (std::is_same_v<T, bool>)
    return holds(false);
  else if constexpr (std::is_integral_v<T>)
    return holds(std::int64_t{});
  else if constexpr (std::is_floating_point_v<T>)
    return holds(std::int64_t{}) || holds(double{});
  else
    return holds(std::string()) || holds(T());
}

template <class T>
TomlValue to_value(const T& field) {
  if constexpr (std::is_same_v<T, int>) {
    return std::int64_t{field};
  } else if constexpr (std::is_same_v<T, float>) {
    // The shortest text that reads back as this float, as a double: 0.1f is 0.1, not 0.10000000149.
    double value = field;
    if (std::isfinite(value)) parse_number(fmt::format("{}", field), value);
    return value;
  } else {
    return field;
  }
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

// Whether the text is a list whose elements are not in quotes: "[context, state]". A shell removes quotes.
bool has_bare_words(std::string_view text) {
  return text.ends_with(']') && text.find_first_of("\"'\n#") == text.npos && text.find('[', 1) == text.npos &&
         text.find(']') == text.size() - 1;
}

TomlValue parse_list(std::string_view text, std::string_view where) {
  if (has_bare_words(text)) {
    std::vector<std::string> words = split_commas(text.substr(1, text.size() - 2));
    for (std::string& word : words) {
      word.erase(0, word.find_first_not_of(' '));
      word.erase(word.find_last_not_of(' ') + 1);
    }
    std::erase(words, "");
    return words;
  }
  std::vector<TomlEntry> entries;
  try {
    entries = parse_toml(fmt::format("list = {}", text), where);
  } catch (const InputError&) {
    entries.clear();
  }
  if (entries.size() != 1) throw UsageError("{}: {} is not a list; expected [\"a\", \"b\"]", where, in_quotes(text));
  return entries.front().value;
}

// Checks a value and stores it in a field; UsageError that begins with `where` if the field does not allow it.
struct Store {
  const Check& check;
  std::string_view where;
  std::string expected;

  [[noreturn]] void refuse(std::string_view value, std::string_view complaint) const {
    throw UsageError("{}: {} {}; expected {}", where, in_quotes(value), complaint, expected);
  }

  void parse(bool& field, std::string_view value) const {
    if (value != "true" && value != "false") refuse(value, kWrongType<bool>);
    field = value == "true";
  }

  template <class Number>
  requires std::is_arithmetic_v<Number>
  void parse(Number& field, std::string_view value) const {
    const bool has_plus = value.starts_with('+') && !value.starts_with("+-");
    Number parsed{};
    const std::errc error = parse_number(value.substr(has_plus ? 1 : 0), parsed);
    if (error == std::errc::invalid_argument) refuse(value, kWrongType<Number>);
    if (error != std::errc() || !is_allowed(static_cast<double>(parsed), check)) refuse(value, "is out of range");
    field = parsed;
  }

  void parse(std::string& field, std::string_view value) const {
    if (!check.choices.empty() && std::ranges::find(check.choices, value) == check.choices.end())
      throw UsageError("{}: {} is not supported; expected {}{}{}{}", where, in_quotes(value), expected,
                       did_you_mean(value, check.choices), check.advice.empty() ? "" : "; ", check.advice);
    field = value;
  }

  void parse_all(std::vector<std::string>& field, const std::vector<std::string>& values, bool append) const {
    std::vector<std::string> checked = append ? field : std::vector<std::string>{};
    for (const auto& value : values) parse(checked.emplace_back(), value);
    field = std::move(checked);
  }
};

}  // namespace

TomlValue Options::current(const Option& option) {
  if (option.field_.named.field != nullptr) return option.field_.named.read();
  return std::visit([](const auto* field) { return to_value(*field); }, option.field_.plain);
}

template <class Assign>
void Options::visit_field(Option& option, const Assign& assign) {
  const auto& [plain, named] = option.field_;
  if (named.field == nullptr) return std::visit(assign, plain);
  TomlValue names = named.read();
  if (std::string* text = std::get_if<std::string>(&names))
    assign(text);
  else
    assign(&std::get<std::vector<std::string>>(names));
  named.write(names);
}

// Whether assign_text() would accept this text.
bool Options::accepts(const Option& option, std::string_view text) {
  const Store store{option.check_, "", ""};
  const auto parse = [&]<class T>(T* /*field*/) {
    T value{};
    if constexpr (std::is_same_v<T, std::vector<std::string>>)
      store.parse_all(value, split_commas(text), false);
    else
      store.parse(value, text);
  };
  try {
    std::visit(parse, option.field_.plain);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

void Options::assign_text(Option& option, std::string_view text, std::string_view where, bool append) {
  const Store store{option.check_, where, expected(option)};
  const auto assign = [&]<class T>(T* field) {
    if constexpr (std::is_same_v<T, std::vector<std::string>>)
      store.parse_all(*field,
                      option.is_none(text)     ? T{}
                      : option.splits_commas() ? split_commas(text)
                                               : T{std::string(text)},
                      append);
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
    if (!has_type<T>(value)) store.refuse(to_plain(value), kWrongType<T>);
    if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      const auto* list = std::get_if<T>(&value);
      const auto* text = std::get_if<std::string>(&value);
      store.parse_all(copy, list ? *list : option.is_none(*text) ? T{} : T{*text}, false);
    } else {
      store.parse(copy, to_plain(value));
    }
    if (source <= Option::Source::preset) option.default_ = to_value(copy);
    if (option.source_ <= source) *field = std::move(copy);
  };
  visit_field(option, assign);
  option.source_ = std::max(option.source_, source);
}

void Options::apply_setting(std::string_view setting, std::string_view shown) {
  const std::size_t equals = setting.find('=');
  if (equals == setting.npos)
    throw UsageError("--set {}: expected KEY=VALUE, for example --set {}", in_quotes(setting), example_of(setting));
  const std::string_view key = setting.substr(0, equals), value = setting.substr(equals + 1);
  Option& option = find_key(key, shown.empty() ? "--set" : shown);
  const std::string where = shown.empty() ? fmt::format("--set {}", key) : std::string(shown);
  note_given(option, option.key_, value, true);
  if (!option.is_list() || !value.starts_with('[')) return assign_text(option, value, where, false);
  assign_toml(option, parse_list(value, where), where, Option::Source::command_line);
}

}  // namespace heed::base
