#include "base/options.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/nearest.h"
#include "base/terminal.h"
#include "base/utf8.h"

namespace heed::inline base {

namespace {

std::string dashed(std::string_view name) {
  std::string out = fmt::format("--{}", name);
  std::ranges::replace(out, '_', '-');
  return out;
}

// "normalise" and "colour" as "normalize" and "color", so that every flag and key accepts both spellings. Words that
// are not British change too ("noise"), which is harmless: only results are compared with each other.
std::string american(std::string_view name) {
  std::string out(name);
  for (std::size_t at = 0; (at = out.find("is", at)) != out.npos; ++at)
    if (at + 2 < out.size() && (out[at + 2] == 'e' || out[at + 2] == 'a')) out[at + 1] = 'z';
  for (std::size_t at = 0; (at = out.find("olour", at)) != out.npos; ++at) out.erase(at + 3, 1);
  return out;
}

std::string_view last_part(std::string_view key) {
  return key.substr(key.rfind('.') + 1);
}

// Whether a command-line argument is an option rather than a value: "-" and "-5" are values.
bool looks_like_flag(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && (word[1] < '0' || word[1] > '9');
}

}  // namespace

Option& Option::flag(std::string_view name) {
  name_ = dashed(name.empty() ? last_part(key_) : name);
  if (name_ == "--out" || name_ == "--output") short_form("-o");
  return alias(name_);
}

Option& Option::alias(std::string_view old_name) {
  american_names_.push_back(american(old_name));
  return *this;
}

bool Option::is_called(std::string_view american_name) const {
  return std::ranges::find(american_names_, american_name) != american_names_.end();
}

Options::Options(std::string_view command) : command_(command) {
  set_.name_ = "--set";
  set_.field_.plain = static_cast<std::string*>(nullptr);
  set_.help_ = "change a setting by its key, as in a configuration file (may be repeated)";
  set_.value_name_ = "KEY=VALUE";
  set_.default_ = std::string();
  set_.common_ = true;
}

Option& Options::declare(std::string_view flag, std::string_view key, BoundField field, std::string_view help,
                         Check check) {
  const std::string name = american(flag.empty() ? std::string(key) : dashed(flag));
  const bool taken = std::ranges::any_of(options_, [&](const Option& option) { return option.is_called(name); });
  heed::check<InternalError>(!taken, "the option {} is declared twice", name);
  Option& option = options_.emplace_back();
  option.key_ = key;
  if (!key.empty()) option.alias(key);
  if (!flag.empty()) option.flag(flag);
  option.field_ = std::move(field);
  option.help_ = help;
  option.check_ = std::move(check);
  if (option.check_.choices.empty()) option.check_.choices = option.field_.named.names;
  // The check may allow only some of the values.
  const EnumField& named = option.field_.named;
  for (std::size_t i = 0; !named.about.empty() && i < option.check_.choices.size(); ++i)
    option.check_.about.push_back(named.about.at(
        static_cast<std::size_t>(std::ranges::find(named.names, option.check_.choices[i]) - named.names.begin())));
  option.group_ = group_;
  option.default_ = current(option);
  return option;
}

Option& Options::declare_positional(std::string_view name, BoundField field, std::string_view help,
                                    std::size_t min_count, std::size_t max_count) {
  Option& option = declare("", "", std::move(field), help, {});
  option.positional_ = name;
  option.min_count_ = min_count;
  option.max_count_ = max_count;
  return option;
}

// Also finds the --no- form of a switch.
Option* Options::find_flag(std::string_view name) {
  if (!looks_like_flag(name)) return nullptr;
  if (name == set_.name_ && !key_names().empty()) return &set_;
  const std::string wanted = american(name);
  const std::string positive = wanted.starts_with("--no-") ? fmt::format("--{}", wanted.substr(5)) : "";
  for (Option& option : options_)
    if (option.is_called(wanted) || (option.is_switch() && option.is_called(positive))) return &option;
  return nullptr;
}

Option& Options::find_key(std::string_view key, std::string_view where) {
  const auto found =
      std::ranges::find_if(options_, [&, wanted = american(key)](const Option& o) { return o.is_called(wanted); });
  const auto is_inside = [&](const Option& o) { return o.key_.starts_with(fmt::format("{}.", key)); };
  if (!key.empty() && found == options_.end() && std::ranges::any_of(options_, is_inside))
    throw UsageError("{}: {} is a table of settings, not a value; give one of them, for example {}", where,
                     in_quotes(key), label(*std::ranges::find_if(options_, is_inside)));
  if (key.starts_with('-') || found == options_.end())
    throw UsageError("{}: there is no setting {}{}{}", where, in_quotes(key), did_you_mean(key, key_names()),
                     see_help());
  return *found;
}

std::vector<std::string> Options::flag_names() const {
  std::vector<std::string> names = {"--help", "--help-all"};
  for (const Option& option : options_)
    if (!option.name_.empty()) names.push_back(option.name_);
  if (!key_names().empty()) names.push_back(set_.name_);
  return names;
}

std::vector<std::string> Options::key_names() const {
  std::vector<std::string> names;
  for (const Option& option : options_)
    if (!option.key_.empty()) names.push_back(option.key_);
  return names;
}

// An example for a message: the setting that was meant, or else the first that has a section and no flag.
std::string Options::example_of(std::string_view key) const {
  const Option* example = nullptr;
  const std::string wanted = american(key);
  for (const Option& option : options_) {
    if (option.key_.empty()) continue;
    if (option.is_called(wanted)) return fmt::format("{}={}", option.key_, shown_value(option));
    if (example == nullptr && option.name_.empty() && option.key_.find('.') != std::string::npos) example = &option;
  }
  return example == nullptr ? "key=value" : label(*example);
}

std::string Options::see_help() const {
  return command_.empty() ? "" : fmt::format(" (heed {} --help-all lists all options)", command_);
}

bool Options::parse(std::span<const std::string> arguments) {
  check_declarations();
  const auto end = std::ranges::find(arguments, "--");
  const bool help = std::any_of(arguments.begin(), end, [](std::string_view word) {
    return word == "-h" || word == "--help" || word == "--help-all";
  });
  for (Option& option : options_) option.given_.reset();
  std::vector<std::string> positionals;
  for (auto at = arguments.begin(); at != end; ++at) {
    const std::size_t equals = at->find('=');
    const std::string name = at->substr(0, equals);
    if (!looks_like_flag(*at)) {
      if (equals == at->npos || !is_setting(name))
        positionals.push_back(*at);
      else if (!help)
        apply_setting(*at, name);
      continue;
    }
    Option* option = find_flag(name);
    if (help && !(option && option->early_)) continue;
    const bool follows = equals == at->npos && at + 1 != end;  // the next word may be the value
    const std::string key = name.starts_with("--") ? name.substr(2) : "";
    const bool by_key = !option && is_setting(key);
    if (by_key) option = &find_key(key, name);
    if (!option) refuse_flag(*at, follows && !looks_like_flag(at[1]) ? at[1] : "");
    const bool bool_follows = by_key && option->is_switch() && follows && (at[1] == "true" || at[1] == "false");
    std::string value = equals == at->npos ? "true" : at->substr(equals + 1);
    if (bool_follows) value = *++at;
    if (equals == at->npos && !option->is_switch()) {
      if (++at == end) throw UsageError("{} needs a value{}", name, see_help());
      if (find_flag(*at)) throw UsageError("{} needs a value, but {} follows it", name, *at);
      value = *at;
    }
    const bool negated = !by_key && option->is_switch() && !option->is_called(american(name));
    if (negated && (value == "true" || value == "false")) value = value == "true" ? "false" : "true";
    if (option == &set_ || by_key) {
      apply_setting(by_key ? fmt::format("{}={}", key, value) : value, by_key ? name : "");
      continue;
    }
    const bool again = option->given_.has_value();
    note_given(*option, name, value, false);
    assign_text(*option, value, name, again);
    while (option->several_ && equals == std::string::npos && at + 1 != end && !looks_like_flag(at[1]))
      assign_text(*option, *++at, name, true);
  }
  if (help) return false;
  const std::size_t leading = positionals.size();
  if (end != arguments.end()) positionals.insert(positionals.end(), end + 1, arguments.end());
  take_positionals(positionals, leading);
  for (const Option& option : options_)
    if (option.required_ && option.source_ != Option::Source::command_line)
      throw UsageError("{} is missing: {}{}", label(option), option.help_, see_help());
  return true;
}

// Whether an argument without --set names a setting, or something in a section of settings, which is then a typo.
bool Options::is_setting(std::string_view key) const {
  const std::size_t dot = key.find('.');
  const auto is_inside = [&](const Option& o) { return dot != key.npos && o.key_.starts_with(key.substr(0, dot + 1)); };
  return !key.empty() && (has_key(key) || std::ranges::any_of(options_, is_inside));
}

// Throws for a flag that does not exist. If settings have its name, the message says what to write instead.
void Options::refuse_flag(std::string_view flag, std::string_view value) const {
  const std::size_t equals = flag.find('=');
  const std::string_view name = flag.substr(0, equals);
  if (equals != flag.npos) value = flag.substr(equals + 1);
  std::string wanted = american(name.starts_with("--") ? name.substr(2) : "");
  std::ranges::replace(wanted, '-', '_');
  std::string possible, suitable;  // settings with this name; those of them that accept the value
  std::vector<std::string> group, names = flag_names();
  for (const Option& option : options_) {
    if (option.key_.starts_with(wanted + ".")) group.push_back(option.key_);
    if (option.key_.empty() || !option.name_.empty()) continue;
    names.push_back(fmt::format("--{}", option.key_));
    if (american(last_part(option.key_)) != wanted) continue;
    possible += fmt::format(" --set {}={}", option.key_, shown_value(option));
    if (!value.empty() && accepts(option, value))
      suitable += fmt::format(" --set {}", quote_word(fmt::format("{}={}", option.key_, printable(value, 60))));
  }
  const std::string message = fmt::format("there is no option {}", in_quotes(flag));
  if (!possible.empty()) throw UsageError("{}; write{}{}", message, suitable.empty() ? possible : suitable, see_help());
  if (!group.empty())
    throw UsageError("{}, but there are settings for --set: {}{}", message, fmt::join(group, ", "), see_help());
  throw UsageError("{}{}{}", message, did_you_mean(name, names), see_help());
}

// Throws for a surplus argument, which may be a file that needs a flag.
void Options::refuse_argument(const std::string& value) const {
  std::vector<std::string> flags;
  for (const Option& option : options_)
    if (option.use_ == Option::Use::read && !option.name_.empty()) flags.push_back(option.name_);
  std::error_code ignored;
  const bool is_file = !flags.empty() && std::filesystem::exists(value, ignored);
  throw UsageError("the argument {} is not expected; {}usage: {}", in_quotes(value),
                   is_file ? fmt::format("files are given with {}; ", alternatives(flags)) : "", usage());
}

// Records a value from the command line; throws if it would silently replace an earlier one.
void Options::note_given(Option& option, std::string_view name, std::string_view value, bool same_allowed) {
  const bool repeatable = option.is_switch() || (option.is_list() && !same_allowed);
  if (option.given_ && !repeatable && !(same_allowed && *option.given_ == value))
    throw UsageError("{} was given twice: {} and {}; give it once", name, printable(*option.given_, 60),
                     printable(value, 60));
  option.given_ = value;
}

void Options::take_positionals(std::span<const std::string> values, std::size_t leading) {
  std::size_t next = 0, still_needed = 0;
  for (const Option& option : options_) still_needed += option.min_count_;
  for (Option& option : options_) {
    if (option.positional_.empty()) continue;
    still_needed -= option.min_count_;
    const std::size_t left = values.size() - next, spare = left > still_needed ? left - still_needed : 0;
    std::size_t count = std::min(spare, option.max_count_);
    if (option.accepts_) {
      const std::size_t most = std::min(count, leading - std::min(leading, next));
      count = std::min(option.min_count_, count);
      while (count < most && option.accepts_(values[next + count])) ++count;
    }
    if (count < option.min_count_)
      throw UsageError("{} is missing; usage: {}{}", option.positional_, usage(), see_help());
    for (std::size_t k = 0; k < count; ++k) assign_text(option, values[next++], option.positional_, k > 0);
  }
  if (next < values.size()) refuse_argument(values[next]);
}

void Options::assign_entry(const TomlEntry& entry, std::string_view where, Option::Source source) {
  if (std::ranges::any_of(skipped_, [&](const std::string& section) { return entry.key.starts_with(section); })) return;
  Option& option = find_key(entry.key, fmt::format("{}:{}", where, entry.line));
  assign_toml(option, entry.value, fmt::format("{}:{}: {}", where, entry.line, entry.key), source);
}

void Options::assign_all(std::string_view toml, std::string_view where, Option::Source source) {
  if (source <= Option::Source::preset) has_preset_ = true;
  for (const TomlEntry& entry : parse_toml(toml, where)) assign_entry(entry, where, source);
}

void Options::apply_old_toml(std::string_view text, std::string_view where) {
  for (const TomlEntry& entry : parse_toml(text, where))
    if (has_key(entry.key)) apply_entry(entry, where);
}

std::vector<OptionRow> Options::find_rows(std::string_view name) const {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  const std::string key = american(name), flag = dashed(key), letter = fmt::format("-{}", name);
  const std::string positive = flag.starts_with("--no-") ? fmt::format("--{}", flag.substr(5)) : "";
  if (flag == set_.name_ && !key_names().empty()) return {row(set_)};
  std::vector<OptionRow> ending;
  for (const Option& option : options_) {
    const bool negated = option.is_switch() && option.is_called(positive);
    if (option.is_called(key) || option.is_called(flag) || option.is_called(letter) || negated) return {row(option)};
    if (!option.key_.empty() && dashed(american(last_part(option.key_))) == flag) ending.push_back(row(option));
  }
  return ending;
}

bool Options::has_key(std::string_view key) const {
  return std::ranges::any_of(
      options_, [wanted = american(key)](const Option& o) { return !o.key_.empty() && o.is_called(wanted); });
}

std::optional<Options::Difference> Options::first_difference(const Options& other) const {
  for (std::size_t i = 0; i < options_.size(); ++i) {
    if (options_[i].key_.empty() || options_[i].may_change_) continue;
    const std::string ours = heed::to_toml(current(options_[i])), theirs = heed::to_toml(current(other.options_[i]));
    if (ours != theirs) return Difference{options_[i].key_, ours, theirs};
  }
  return {};
}

bool Options::is_set(const void* field) const {
  for (const Option& option : options_) {
    const void* own = std::visit([](auto* pointer) -> const void* { return pointer; }, option.field_.plain);
    if (own == field || option.field_.named.field == field) return option.source_ > Option::Source::preset;
  }
  throw InternalError("is_set(): no option is bound to this field");
}

}  // namespace heed::base
