#include "base/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "base/error.h"
#include "base/files.h"
#include "base/nearest.h"
#include "base/utf8.h"

namespace heed {

namespace {

std::string dashed(std::string_view name) {
  std::string out = fmt::format("--{}", name);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

// The whole text as a number, in the C locale's spelling whatever the user's locale is.
template <class Number>
std::errc parse_number(std::string_view text, Number& number) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return error;
  return end == text.data() + text.size() ? std::errc() : std::errc::invalid_argument;
}

template <class Number>
bool fits(Number number, const Check& check) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (std::isnan(number)) return false;
    if (std::isinf(number)) return check.infinite_allowed;
  }
  const auto value = static_cast<double>(number);
  if (check.low && (check.low_excluded ? value <= *check.low : value < *check.low)) return false;
  return !check.high || (check.high_excluded ? value < *check.high : value <= *check.high);
}

// CLI11 wants the words last first, and would take the next word as the value of "--name=".
std::vector<std::string> for_cli11(std::span<const std::string> arguments) {
  std::vector<std::string> words;
  bool options_ended = false;
  for (const std::string& word : arguments) {
    options_ended = options_ended || word == "--";
    const bool empty_value =
        !options_ended && word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1;
    words.push_back(empty_value ? word.substr(0, word.size() - 1) : word);
    if (empty_value) words.emplace_back();
  }
  std::reverse(words.begin(), words.end());
  return words;
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

TomlValue field_value(const Field& field) {
  const auto read = []<class T>(const T* value_at) -> TomlValue {
    if constexpr (std::is_same_v<T, int>) return std::int64_t{*value_at};
    // The shortest text that means this float, read as a double: 0.1f is 0.1, not 0.10000000149.
    if constexpr (std::is_same_v<T, float>) {
      double value = *value_at;
      if (std::isfinite(value)) parse_number(fmt::format("{}", *value_at), value);
      return value;
    }
    if constexpr (!std::is_same_v<T, int> && !std::is_same_v<T, float>) return *value_at;
  };
  return std::visit(read, field);
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
    if (!check.choices.empty() && std::find(check.choices.begin(), check.choices.end(), value) == check.choices.end())
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
    const std::errc error = parse_number(value, parsed);
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

Option& Option::flag(std::string_view name) {
  name_ = dashed(name.empty() ? std::string_view(key_).substr(key_.rfind('.') + 1) : name);
  return *this;
}
Option& Option::required() {
  return required_ = true, *this;
}
Option& Option::hidden() {
  return hidden_ = true, *this;
}
Option& Option::value(std::string_view name) {
  return value_name_ = name, *this;
}
Option& Option::comma_separated() {
  return comma_separated_ = true, *this;
}

Option& Options::declare(Field field, std::string_view help, Check check, EnumField named) {
  Option& option = options_.emplace_back();
  option.field_ = field;
  option.help_ = help;
  option.check_ = std::move(check);
  option.enum_ = std::move(named);
  if (option.enum_.field != nullptr) {
    const bool lists = std::holds_alternative<std::vector<std::string>>(option.enum_.read());
    option.field_ = lists ? Field(&option.texts_) : Field(&option.text_);
    if (option.check_.choices.empty()) option.check_.choices = option.enum_.names;
  }
  option.group_ = group_;
  option.initial_ = current(option);
  return option;
}

Option& Options::declare_flag(std::string_view name, Field field, std::string_view help, Check check, EnumField named) {
  check_free(dashed(name));
  return declare(field, help, std::move(check), std::move(named)).flag(name);
}

Option& Options::declare_key(std::string_view dotted, Field field, std::string_view help, Check check,
                             EnumField named) {
  check_free(dotted);
  Option& option = declare(field, help, std::move(check), std::move(named));
  option.key_ = dotted;
  return option;
}

Option& Options::positional(std::string_view name, std::string& field, std::string_view help, bool required) {
  Option& option = declare(&field, help, {});
  option.positional_ = name;
  option.min_count_ = required ? 1 : 0;
  option.max_count_ = 1;
  return option;
}

Option& Options::positional(std::string_view name, std::vector<std::string>& field, std::string_view help,
                            std::size_t min_count, std::size_t max_count) {
  Option& option = declare(&field, help, {});
  option.positional_ = name;
  option.min_count_ = min_count;
  option.max_count_ = max_count;
  return option;
}

void Options::check_free(std::string_view name) const {
  for (const Option& option : options_)
    check<InternalError>(option.name_ != name && option.key_ != name, "the option {} is declared twice", name);
}

Option* Options::find_flag(std::string_view name) {
  const auto found = std::find_if(options_.begin(), options_.end(), [&](const Option& o) { return o.name_ == name; });
  return name.empty() || found == options_.end() ? nullptr : &*found;
}

Option& Options::find_key(std::string_view key, std::string_view where) {
  const auto found = std::find_if(options_.begin(), options_.end(), [&](const Option& o) { return o.key_ == key; });
  if (key.empty() || found == options_.end())
    throw UsageError("{}: there is no setting {}{}{}", where, in_quotes(key), did_you_mean(key, key_names()),
                     see_help());
  return *found;
}

bool Options::has_keys() const {
  return std::any_of(options_.begin(), options_.end(), [](const Option& option) { return !option.key_.empty(); });
}

std::vector<std::string> Options::flag_names() const {
  std::vector<std::string> names = {"--help"};
  for (const Option& option : options_)
    if (!option.name_.empty() && !option.hidden_) names.push_back(option.name_);
  if (has_keys()) names.emplace_back("--set");
  return names;
}

std::vector<std::string> Options::key_names() const {
  std::vector<std::string> names;
  for (const Option& option : options_)
    if (!option.key_.empty()) names.push_back(option.key_);
  return names;
}

std::string Options::see_help() const {
  return command_.empty() ? "" : fmt::format(" (the list: heed help {})", command_);
}

bool Options::parse(std::span<const std::string> arguments) {
  CLI::App app;
  app.set_help_flag("-h,--help");
  app.allow_extras();
  std::vector<CLI::Option*> parsed;
  for (const Option& option : options_) {
    if (option.name_.empty())
      parsed.push_back(nullptr);
    else if (std::holds_alternative<bool*>(option.field_))
      parsed.push_back(app.add_flag(option.name_ + ",!--no" + option.name_.substr(1)));
    else
      parsed.push_back(app.add_option(option.name_)->expected(1)->allow_extra_args(false));
    if (parsed.back()) parsed.back()->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  CLI::Option* set = has_keys() ? app.add_option("--set")->expected(1)->allow_extra_args(false) : nullptr;
  if (set) set->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);

  try {
    app.parse(for_cli11(arguments));
  } catch (const CLI::CallForHelp&) {
    return false;
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string_view words = error.what();
    throw UsageError("{} needs a value{}", words.substr(0, words.find(':')), see_help());
  } catch (const std::exception& error) {
    throw UsageError("the arguments are not understood: {}{}", error.what(), see_help());
  }

  take_positionals(app.remaining());
  for (std::size_t i = 0; i < parsed.size(); ++i) {
    if (!parsed[i]) continue;
    const auto values = parsed[i]->results();
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (find_flag(values[k])) throw UsageError("{} needs a value, but {} follows it", options_[i].name_, values[k]);
      assign_text(options_[i], values[k], options_[i].name_, k > 0);
    }
  }
  if (set)
    for (const auto& setting : set->results()) apply_setting(setting);
  for (const Option& option : options_)
    if (option.key_.empty()) check_given(option);
  return true;
}

void Options::check_complete() const {
  for (const Option& option : options_) check_given(option);
}

void Options::check_given(const Option& option) const {
  if (option.required_ && option.source_ == Option::Source::initial)
    throw UsageError("{} is missing: {}{}", label(option), option.help_, see_help());
}

void Options::take_positionals(const std::vector<std::string>& words) {
  std::vector<std::string> values;
  bool options_ended = false;
  for (const std::string& word : words) {
    const bool number = word.size() > 1 && word[1] >= '0' && word[1] <= '9';
    if (!options_ended && word == "--")
      options_ended = true;
    else if (!options_ended && word.size() > 1 && word[0] == '-' && !number)
      throw UsageError("there is no option {}{}{}", in_quotes(word),
                       did_you_mean(std::string_view(word).substr(0, word.find('=')), flag_names()), see_help());
    else
      values.push_back(word);
  }
  std::size_t next = 0, still_needed = 0;
  for (const Option& option : options_) still_needed += option.min_count_;
  for (Option& option : options_) {
    if (option.positional_.empty()) continue;
    still_needed -= option.min_count_;
    const std::size_t left = values.size() - next, spare = left > still_needed ? left - still_needed : 0;
    const std::size_t count = std::min(spare, option.max_count_);
    if (count < option.min_count_)
      throw UsageError("{} is missing: {}{}", option.positional_, option.help_, see_help());
    for (std::size_t k = 0; k < count; ++k) assign_text(option, values[next++], option.positional_, k > 0);
  }
  if (next < values.size())
    throw UsageError("the argument {} is one too many; usage: {}", in_quotes(values[next]), usage());
}

void Options::assign_text(Option& option, std::string_view text, std::string_view where, bool append) {
  const Store store{option.check_, where, expected(option)};
  const auto assign = [&]<class T>(T* field) {
    if constexpr (std::is_same_v<T, std::vector<std::string>>)
      store.all(*field, option.comma_separated_ ? split_commas(text) : std::vector{std::string(text)}, append);
    else
      store.parse(*field, text);
  };
  std::visit(assign, option.field_);
  if (option.enum_.field != nullptr) option.enum_.write(field_value(option.field_));
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
    if (option.source_ <= source) *field = std::move(copy);
  };
  std::visit(assign, option.field_);
  if (option.enum_.field != nullptr) option.enum_.write(field_value(option.field_));
  option.source_ = std::max(option.source_, source);
}

void Options::apply_toml(std::string_view text, std::string_view where) {
  for (const TomlEntry& entry : parse_toml(text, where)) apply_entry(entry, where);
}

void Options::apply_entry(const TomlEntry& entry, std::string_view where) {
  if (std::ranges::any_of(retired_, [&](const std::string& section) { return entry.key.starts_with(section); })) return;
  Option& option = find_key(entry.key, fmt::format("{}:{}", where, entry.line));
  assign_toml(option, entry.value, fmt::format("{}:{}: {}", where, entry.line, entry.key), Option::Source::file);
}

void Options::apply_toml_file(const std::string& path) {
  apply_toml(read_file(path), path);
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

bool Options::given(const void* field) const {
  for (const Option& option : options_) {
    const void* own = std::visit([](auto* pointer) -> const void* { return pointer; }, option.field_);
    if (own == field || option.enum_.field == field) return option.source_ != Option::Source::initial;
  }
  throw InternalError("given() was asked about a field that is no option");
}

TomlValue Options::current(const Option& option) {
  return option.enum_.field != nullptr ? option.enum_.read() : field_value(option.field_);
}

}  // namespace heed
