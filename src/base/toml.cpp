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

// The position after the string or comment that starts at `at`, or at + 1 if none does.
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

// toml++ builds and destroys a dotted key recursively, a level for each dot; a text of dots alone would end the stack.
void refuse_deep_keys(std::string_view text, std::string_view where) {
  int dots = 0;
  for (std::size_t at = 0; at < text.size(); at = skip_text(text, at)) {
    if (std::string_view("=,[]{}\n").find(text[at]) != std::string_view::npos) dots = 0;
    if (text[at] == '.' && ++dots == kMaxKeyParts)
      throw InputError("{}:{}: a key of more than {} parts", where,
                       1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'),
                       kMaxKeyParts);
  }
}

class Flattener {
 public:
  explicit Flattener(std::string_view where) : where_(where) {}

  void table(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      const std::string name = prefix.empty() ? std::string(key.str()) : fmt::format("{}.{}", prefix, key.str());
      if (const auto* inner = node.as_table())
        this->table(*inner, name);
      else
        entries_.push_back({name, value(name, node), line_of(node)});
    }
  }

  std::vector<TomlEntry> take() {
    std::ranges::stable_sort(entries_, [](const auto& a, const auto& b) { return a.line < b.line; });
    return std::move(entries_);
  }

 private:
  static int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

  TomlValue value(const std::string& name, const toml::node& node) const {
    const auto* array = node.as_array();
    if (!array) return scalar(name, node);
    std::vector<std::string> elements;
    for (const auto& element : *array) elements.push_back(to_plain(scalar(name, element)));
    return elements;
  }

  TomlValue scalar(const std::string& name, const toml::node& node) const {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* number = node.as_integer()) return number->get();
    if (const auto* number = node.as_floating_point()) return number->get();
    if (const auto* flag = node.as_boolean()) return flag->get();
    throw InputError(
        "{}:{}: {} holds a date, a table or a nested array; expected true or false, a number, text or a list", where_,
        line_of(node), name);
  }

  std::string_view where_;
  std::vector<TomlEntry> entries_;
};

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : replace_bad_utf8(text)) {
    if (c == '"' || c == '\\')
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
  return out += '"';
}

}  // namespace

std::vector<TomlEntry> parse_toml(std::string_view text, std::string_view where) {
  if (text.size() > kMaxText) throw InputError("{}: {} bytes are too many for a TOML file", where, text.size());
  refuse_deep_keys(text, where);
  try {
    const toml::table root = toml::parse(text);
    Flattener flattener(where);
    flattener.table(root, "");
    return flattener.take();
  } catch (const toml::parse_error& error) {
    // toml++ may quote the text's own control characters and bad bytes; a sentence is printable.
    std::string words = replace_bad_utf8(error.description());
    std::replace_if(
        words.begin(), words.end(), [](unsigned char c) { return c < 0x20; }, ' ');
    throw InputError("{}:{}: this is not valid TOML: {}", where, error.source().begin.line, words);
  }
}

std::string to_plain(const TomlValue& value) {
  struct {
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const {
      // The point tells a reader, and TOML, that this is not a whole number.
      std::string text = fmt::format("{}", number);
      return std::isfinite(number) && text.find_first_of(".e") == text.npos ? text + ".0" : text;
    }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const std::vector<std::string>& texts) const {
      return fmt::format("{}", fmt::join(texts, ","));
    }
  } plain;
  return std::visit(plain, value);
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
