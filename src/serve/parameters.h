// The parameters of a request: a JSON object, or the fields of its query and of its form.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "serve/form.h"
#include "serve/http.h"

namespace heed::serve {

// An answer with an error: its status, and a sentence for the client.
class ApiError : public Error {
 public:
  template <class... Args>
  explicit ApiError(int status, fmt::format_string<Args...> sentence, Args&&... args)
      : Error(sentence, std::forward<Args>(args)...), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

class Parameters {
 public:
  // ApiError if the body is damaged: JSON if the content type says so, a form otherwise.
  explicit Parameters(const HttpRequest& request);

  bool is_json() const { return is_json_; }
  // Null if the parameter is missing, empty, or null in JSON. For a form the first value.
  const Json* find(std::string_view name) const;
  // A string; empty if the parameter is missing. ApiError for anything but a string.
  std::string text(std::string_view name) const;
  // The texts of a parameter: those of an array in JSON, all fields of the name in a form (only the first one if not
  // `repeats`). `is_array` says whether it was an array in JSON. ApiError for anything else.
  std::vector<std::string> texts(std::string_view name, bool repeats, bool* is_array = nullptr) const;
  // An integer, in a form of digits; `otherwise` if it is missing. ApiError for anything else.
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  // true, false, 1 or 0.
  bool flag(std::string_view name, bool otherwise) const;
  double number(std::string_view name, double otherwise) const;

 private:
  bool is_json_ = false;
  Json object_ = Json::object();  // of a form: the first field of each name
  FormFields fields_;             // of a form: all of them
};

}  // namespace heed::serve
