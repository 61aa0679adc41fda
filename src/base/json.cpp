#include "base/json.h"

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"

namespace heed::inline base {

namespace {

constexpr std::size_t kMaxDepth = 100;
constexpr std::int64_t kMaxValues = 10'000'000;

// Builds the value from the parser's events. Members are collected in a vector and become an object at its end: adding
// them to an ordered_json one by one would search all earlier keys each time.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view text, std::string_view where, bool is_line)
      : text_(text), where_(where), is_line_(is_line) {}

  Json take() { return std::move(result_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& value) override { return add(std::move(value)); }
  bool start_object(std::size_t) override { return open(true); }
  bool start_array(std::size_t) override { return open(false); }

  bool key(string_t& value) override {
    open_.back().key = std::move(value);
    return true;
  }

  bool end_object() override {
    auto members = std::move(open_.back().members);
    open_.pop_back();
    Json object = Json::object();
    auto& map = object.get_ref<Json::object_t&>();
    map.reserve(members.size());
    std::unordered_set<std::string_view> seen(members.size());
    for (auto& [key, value] : members) {
      const std::string& kept = map.emplace_back(std::move(key), std::move(value)).first;
      if (!seen.insert(kept).second) throw InputError("{}: the key '{:.100}' occurs twice in one object", where_, kept);
    }
    return add(std::move(object));
  }

  bool end_array() override {
    Json array = std::move(open_.back().elements);
    open_.pop_back();
    return add(std::move(array));
  }

  // The parser's own message may quote megabytes of the text: the position is enough.
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    const std::string_view before = text_.substr(0, std::min(position == 0 ? 0 : position - 1, text_.size()));
    const auto line = 1 + std::ranges::count(before, '\n');
    const std::size_t line_start = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
    const std::size_t column = before.size() - line_start + 1;
    const char* problem = position > text_.size() ? "the JSON text ends too early" : "this is not valid JSON";
    if (is_line_) throw InputError("{}, column {}: {}", where_, column, problem);
    throw InputError("{}: {} at line {}, column {} (byte {} of {})", where_, problem, line, column,
                     std::min(position, text_.size()), text_.size());
  }

 private:
  using Members = std::vector<std::pair<std::string, Json>>;

  struct Level {
    bool object;
    std::string key;
    Members members;
    Json::array_t elements;
  };

  bool open(bool object) {
    if (open_.size() == kMaxDepth) throw InputError("{}: this JSON is nested deeper than {} levels", where_, kMaxDepth);
    open_.push_back({object, {}, {}, {}});
    return true;
  }

  bool add(Json value) {
    if (++values_ > kMaxValues) throw InputError("{}: this JSON holds more than {} values", where_, kMaxValues);
    if (open_.empty())
      result_ = std::move(value);
    else if (open_.back().object)
      open_.back().members.emplace_back(std::move(open_.back().key), std::move(value));
    else
      open_.back().elements.push_back(std::move(value));
    return true;
  }

  std::string_view text_;
  std::string_view where_;
  bool is_line_;
  std::vector<Level> open_;
  Json result_;
  std::int64_t values_ = 0;
};

Json build_json(std::string_view text, std::string_view where, bool is_line) {
  // nlohmann's lexer treats a NUL as the end of the text.
  if (const std::size_t nul = text.find('\0'); nul != text.npos)
    throw InputError("{}: byte {} is NUL, which JSON does not allow", where, nul + 1);
  Builder builder(text, where, is_line);
  Json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace

Json parse_json(std::string_view text, std::string_view where) {
  return build_json(text, where, false);
}

Json parse_json_line(std::string_view text, std::string_view where) {
  return build_json(text, where, true);
}

std::string dump_json(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace heed::base
