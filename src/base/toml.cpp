#include "base/toml.h"

#include <toml++/toml.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/utf8.h"

namespace heed::inline base {

namespace {

constexpr std::size_t kMaxText = 16 << 20;
constexpr int kMaxKeyParts = 32;

// The position after the string or comment that starts at `at`; at + 1 if none starts there.
std::size_t skip_text(std::string_view text, std::size_t at) {
  const char quote = text[at];
  if (quote == '#') return std::min(text.find('\n', at), text.size());
  if (quote != '"' && quote != '\'') return at + 1;
  const std::string_view triple = text.substr(at, 3);
  const bool long_string = triple == R"(""")" || triple == "\'\'\'";
  const std::string_view end = long_string ? triple : triple.substr(0, 1);
  for (at += end.size(); at < text.size(); ++at) {
    if (text.substr(at).starts_with(end)) return at + end.size();
    if (text[at] == '\\' && quote == '"') ++at;
    if (!long_string && at < text.size() && text[at] == '\n') return at;  // an error that toml++ will find
  }
  return text.size();
}

// toml++ builds and destroys a dotted key recursively, one level per dot; a long text of dots would overflow the stack.
void refuse_deep_keys(std::string_view text, std::string_view where) {
  int dots = 0;
  for (std::size_t at = 0; at < text.size(); at = skip_text(text, at)) {
    if (std::string_view("=,[]{}\n").find(text[at]) != std::string_view::npos) dots = 0;
    if (text[at] == '.' && ++dots == kMaxKeyParts)
      throw InputError("{}:{}: a key has more than {} parts", where,
                       1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'),
                       kMaxKeyParts);
  }
}

int line_of(const toml::node& node) {
  return static_cast<int>(node.source().begin.line);
}

TomlValue scalar(const toml::node& node, const std::string& name, std::string_view where) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return number->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* flag = node.as_boolean()) return flag->get();
  throw InputError(
      "{}:{}: {} holds a date, a table or a nested array; expected true or false, a number, text or a list", where,
      line_of(node), name);
}

void flatten(const toml::table& table, const std::string& prefix, std::string_view where,
             std::vector<TomlEntry>& entries) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (const auto* inner = node.as_table()) {
      flatten(*inner, name + ".", where, entries);
    } else if (const auto* array = node.as_array()) {
      std::vector<std::string> elements;
      for (const auto& element : *array) elements.push_back(to_plain(scalar(element, name, where)));
      entries.push_back({name, std::move(elements), line_of(node)});
    } else {
      entries.push_back({name, scalar(node, name, where), line_of(node)});
    }
  }
}

// Control characters and those in `special` as escapes.
std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : replace_bad_utf8(text)) {
    if (special.find(c) != special.npos)
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      out += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out;
}

// The key that the parser complains about because it is there twice; empty if it complains about something else.
std::string_view repeated_key(std::string_view description) {
  if (description.find("cannot redefine existing ") == description.npos || !description.ends_with('\'')) return {};
  description.remove_suffix(1);
  return description.substr(description.find('\'') + 1);
}

std::string quoted(std::string_view text) {
  return '"' + escaped(text, "\"\\") + '"';
}

}  // namespace

std::vector<TomlEntry> parse_toml(std::string_view text, std::string_view where) {
  if (text.size() > kMaxText) throw InputError("{}: {} bytes are too many for a TOML file", where, text.size());
  refuse_deep_keys(text, where);
  try {
    std::vector<TomlEntry> entries;
    flatten(toml::parse(text), "", where, entries);
    std::ranges::stable_sort(entries, {}, &TomlEntry::line);
    return entries;
  } catch (const toml::parse_error& error) {
    const std::string_view repeated = repeated_key(error.description());
    check<InputError>(repeated.empty(), "{}:{}: {} is set twice; remove one of them", where, error.source().begin.line,
                      in_quotes(repeated));
    const bool value = error.description().find(" value") != std::string_view::npos;
    throw InputError("{}:{}: this is not valid TOML: {}{}", where, error.source().begin.line, error.description(),
                     value ? " (text must be in quotes)" : "");
  }
}

std::string toml_comment(std::string_view text) {
  return escaped(text, "");
}

std::string to_plain(const TomlValue& value) {
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value))
    return fmt::format("{}", fmt::join(*texts, ","));
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<double>(&value)) {
    // The point shows that this is not a whole number; TOML requires it.
    const std::string text = fmt::format("{}", *number);
    return std::isfinite(*number) && text.find_first_of(".e") == text.npos ? text + ".0" : text;
  }
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<bool>(value) ? "true" : "false";
}

std::string to_toml(const TomlValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return quoted(*text);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    std::vector<std::string> elements;
    for (const auto& text : *texts) elements.push_back(quoted(text));
    return fmt::format("[{}]", fmt::join(elements, ", "));
  }
  return to_plain(value);
}

}  // namespace heed::base
