// Parses the fields of HTML forms: from a query, a URL-encoded body or a multipart body. The input is untrusted: it is
// accepted or refused in linear time. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::serve {

struct FormField {
  std::string name, value;
  std::string file_name = {};  // of an uploaded file; empty: an ordinary field
  bool operator==(const FormField&) const = default;
};
using FormFields = std::vector<FormField>;
inline constexpr std::size_t kMostFields = 2000;

// Appends the fields of "q=Hello+World&source=en". An invalid escape stands for itself. UsageError if there are more
// than kMostFields.
void parse_urlencoded(std::string_view text, FormFields& fields);

// Appends the fields of a multipart/form-data body. UsageError if the body is damaged or has more than kMostFields.
void parse_multipart(std::string_view body, std::string_view boundary, FormFields& fields);

// For names of HTTP and codes: only ASCII letters have a case.
bool equal_ignoring_case(std::string_view a, std::string_view b);
// "text/html" for "Text/HTML; charset=utf-8".
std::string media_type(std::string_view content_type);
// A parameter of a header value, such as the boundary of a content type; empty if there is none.
std::string header_parameter(std::string_view value, std::string_view name);

}  // namespace heed::serve
