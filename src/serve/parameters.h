// The parameters of a request: the members of a JSON object, or the fields of the query and the form. Accessors throw
// ApiError if a value has the wrong type.
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

// Makes the server answer with this status and this sentence for the client.
class ApiError : public ErrorOf<ErrorKind::usage> {
 public:
  template <class... Args>
  explicit ApiError(int status, fmt::format_string<Args...> sentence, Args&&... args)
      : ErrorOf(sentence, std::forward<Args>(args)...), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

class Parameters {
 public:
  // Parses the body as JSON if the content type says so, otherwise as a form. ApiError if it is malformed.
  explicit Parameters(const HttpRequest& request);

  bool is_json() const { return is_json_; }
  // All parameters, whatever their values; uploaded files not included.
  std::vector<std::string> names() const;
  // An uploaded file, unchanged; null if there is none. The other functions ignore uploads.
  const FormField* file(std::string_view name) const;
  // The value, of a form the first one with this name. Null if it is missing, empty, or null in JSON.
  const Json* find(std::string_view name) const;
  // A string; empty if the parameter is missing.
  std::string text(std::string_view name) const;
  // One or more strings: in JSON a string or an array, in a form all fields with this name (if `repeats` is false, only
  // the first). Sets `is_array` to whether it is an array in JSON.
  std::vector<std::string> texts(std::string_view name, bool repeats, bool* is_array = nullptr) const;
  // Names: in JSON an array or a string, in a form one or more fields; strings may have several names with commas.
  std::vector<std::string> names_in(std::string_view name) const;
  // A number, or a string that is one, as forms send it; `otherwise` if it is missing.
  double number(std::string_view name, double otherwise) const;
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  // true, false, 1 or 0.
  bool flag(std::string_view name, bool otherwise) const;

 private:
  bool is_json_ = false;
  Json object_ = Json::object();  // of a form: the first field of each name
  FormFields fields_;             // of a form: all of them
};

}  // namespace heed::serve
