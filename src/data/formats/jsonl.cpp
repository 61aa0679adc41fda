// JSON Lines: an object per line, with the sides under the names of their languages or as "source" and "target", also
// inside {"translation": {…}}. Blank lines are skipped; an object that lacks a side is skipped and counted.
#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "data/formats/format.h"

namespace heed::data {

namespace {

constexpr const char* kInner = "translation";

class JsonLines : public FileSource {
 public:
  JsonLines(std::unique_ptr<ByteSource> bytes, const FormatOptions& options)
      : FileSource(options), lines_(std::move(bytes)) {
    name_ = lines_.name();
    const Columns& columns = options_.columns;
    check<UsageError>(columns.source.number == 0 && columns.target.number == 0,
                      "--columns: '{}' is JSON Lines, whose columns have names, not numbers", name_);
    source_ = columns.source.name;
    target_ = columns.target.name;
    if (columns.given()) found_ = chosen_languages(source_, target_, options_, name_);
  }

  bool next(SentencePair& pair) override {
    while (lines_.next(line_)) {
      if (!has_text(line_)) continue;
      const std::string where = fmt::format("{}:{}", name_, lines_.line_number());
      const Json value = parse_json_line(line_, where);
      check<InputError>(value.is_object(), "{}: this is not a JSON object; JSON Lines has one object per line", where);
      if (source_.empty()) find_keys(value, where);
      pair.line = lines_.line_number();
      if (take(value, source_, pair.source, where) && take(value, target_, pair.target, where)) {
        any_ = true;
        return true;
      }
      ++one_sided_;
    }
    check<InputError>(any_ || one_sided_ == 0, "'{}' has no object with text under both {} and {}", name_,
                      in_quotes(source_), in_quotes(target_));
    return false;
  }

  std::string encoding_note() const override { return lines_.note(); }
  bool names_languages() const override { return !found_.source.empty(); }

 private:
  static const Json& inner(const Json& object) {
    const auto found = object.find(kInner);
    return found != object.end() && found->is_object() ? *found : object;
  }

  void find_keys(const Json& object, const std::string& where) {
    std::vector<std::string> names;
    std::vector<std::string> keys;
    for (const auto& [key, value] : inner(object).items()) {
      keys.push_back(key);
      if (value.is_string()) names.push_back(key);
    }
    const auto sides = find_columns(names, options_.languages);
    if (const auto other = sides ? std::nullopt : find_columns(keys, options_.languages))
      for (const std::string& key : {keys[other->source], keys[other->target]})
        check_text(inner(object)[key], key, where);
    check<InputError>(sides.has_value(),
                      "{}: the keys are {}, but the pairs should go {}; give the two keys, such as --columns de,en",
                      where, names.empty() ? "not text" : listed(names), describe(options_.languages));
    source_ = names[sides->source];
    target_ = names[sides->target];
    if (!sides->languages.source.empty()) choose_languages(sides->languages, "as its first line says");
  }

  static void check_text(const Json& value, const std::string& key, const std::string& where) {
    const char* article = value.is_null() ? "" : value.is_structured() ? "an " : "a ";
    check<InputError>(value.is_string(), "{}: the value of {} is {}{}; expected text", where, in_quotes(key), article,
                      value.type_name());
  }

  static bool take(const Json& object, const std::string& key, std::string& text, const std::string& where) {
    const Json* value = nullptr;
    for (const Json* place : {&object, &inner(object)})
      if (const auto found = place->find(key); found != place->end()) value = &*found;
    text.clear();
    if (value == nullptr || value->is_null()) return false;
    check_text(*value, key, where);
    text = value->get<std::string>();
    join_lines(text);
    return has_text(text);
  }

  LineReader lines_;
  std::string line_, source_, target_;
  bool any_ = false;
};

}  // namespace

std::unique_ptr<PairSource> open_jsonl(std::unique_ptr<ByteSource> bytes, const FormatOptions& options) {
  return std::make_unique<JsonLines>(std::move(bytes), options);
}

}  // namespace heed::data
