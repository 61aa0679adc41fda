#include "serve/parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/utf8.h"

namespace heed::serve {
namespace {

// Browsers send line breaks in forms as CR LF.
std::string with_line_feeds(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    result += text[i] == '\r' ? '\n' : text[i];
  }
  return result;
}

}  // namespace

Parameters::Parameters(const HttpRequest& request) try {
  const std::string type = media_type(request.content_type);
  is_json_ = type == "application/json" || (type.starts_with("application/") && type.ends_with("+json"));
  if (is_json_) {
    object_ = parse_json(request.body, "the body");
    if (!object_.is_object()) throw ApiError(400, "Invalid JSON format");
    return;
  }
  parse_urlencoded(request.query, fields_);
  if (type == "application/x-www-form-urlencoded")
    parse_urlencoded(request.body, fields_);
  else if (type == "multipart/form-data")
    parse_multipart(request.body, header_parameter(request.content_type, "boundary"), fields_);
  for (FormField& field : fields_) {
    if (!field.file_name.empty()) continue;
    field.value = with_line_feeds(replace_bad_utf8(field.value));
    const std::string key = replace_bad_utf8(field.name);
    if (!object_.contains(key)) object_[key] = field.value;
  }
} catch (const UsageError& error) {
  throw ApiError(400, "Invalid request: {}", error.what());
} catch (const InputError& error) {
  throw ApiError(400, "Invalid JSON format: {}", error.what());
}

std::vector<std::string> Parameters::names() const {
  std::vector<std::string> all;
  for (const auto& [name, value] : object_.items()) all.push_back(name);
  return all;
}

const FormField* Parameters::file(std::string_view name) const {
  const auto found =
      std::ranges::find_if(fields_, [&](const FormField& f) { return f.name == name && !f.file_name.empty(); });
  return found == fields_.end() ? nullptr : &*found;
}

const Json* Parameters::find(std::string_view name) const {
  const auto found = object_.find(std::string(name));
  if (found == object_.end() || found->is_null()) return nullptr;
  if (found->is_string() && found->get_ref<const std::string&>().empty()) return nullptr;
  if (found->is_array() && found->empty()) return nullptr;
  return &*found;
}

std::string Parameters::text(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr) return "";
  if (!value->is_string()) throw ApiError(400, "Invalid request: {} parameter is not a string", name);
  return value->get<std::string>();
}

std::vector<std::string> Parameters::texts(std::string_view name, bool repeats, bool* is_array) const {
  if (is_array != nullptr) *is_array = false;
  std::vector<std::string> all;
  const Json* value = find(name);
  if (!is_json_ && repeats) {
    for (const FormField& field : fields_)
      if (field.name == name && field.file_name.empty()) all.push_back(field.value);
    return all;
  }
  if (value == nullptr) return all;
  if (value->is_string()) return {value->get<std::string>()};
  const bool texts =
      value->is_array() && std::ranges::all_of(*value, [](const Json& item) { return item.is_string(); });
  if (!texts) throw ApiError(400, "Invalid request: {} parameter is not a string or an array of strings", name);
  if (is_array != nullptr) *is_array = true;
  return value->get<std::vector<std::string>>();
}

std::vector<std::string> Parameters::names_in(std::string_view name) const {
  std::vector<std::string> all;
  for (const std::string& text : texts(name, true)) {
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::string_view one = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(one.size() + 1, rest.size()));
      if (!one.empty()) all.emplace_back(one);
    }
  }
  return all;
}

std::int64_t Parameters::integer(std::string_view name, std::int64_t otherwise) const {
  const double value = number(name, static_cast<double>(otherwise));
  if (std::abs(value) > 1e15 || value != std::floor(value))
    throw ApiError(400, "Invalid request: {} parameter is not an integer", name);
  return static_cast<std::int64_t>(value);
}

double Parameters::number(std::string_view name, double otherwise) const {
  const Json* value = find(name);
  if (value == nullptr) return otherwise;
  double number = 0;
  if (value->is_number()) {
    number = value->get<double>();
  } else if (value->is_string()) {
    const std::string& text = value->get_ref<const std::string&>();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) number = NAN;
  } else {
    number = NAN;
  }
  if (!std::isfinite(number)) throw ApiError(400, "Invalid request: {} parameter is not a number", name);
  return number;
}

bool Parameters::flag(std::string_view name, bool otherwise) const {
  const Json* value = find(name);
  if (value == nullptr) return otherwise;
  if (value->is_boolean()) return value->get<bool>();
  const std::string text = value->is_string() ? value->get<std::string>() : value->dump();
  if (text == "1" || text == "true") return true;
  if (text == "0" || text == "false") return false;
  throw ApiError(400, "Invalid request: {} parameter is not true or false", name);
}

}  // namespace heed::serve
