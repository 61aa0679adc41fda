// The fields of HTML forms: in a query or an urlencoded body, and in a multipart body. Bytes of clients: any input is
// accepted or refused in linear time. Functions of their arguments; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed::serve {

using FormFields = std::vector<std::pair<std::string, std::string>>;
inline constexpr std::size_t kMostFields = 2000;

// Appends the fields of "q=Hello+World&source=en". What is not a valid escape stands for itself. UsageError for more
// than kMostFields.
void parse_urlencoded(std::string_view text, FormFields& fields);

// Appends the fields of a multipart/form-data body. UsageError if the body is damaged or has more than kMostFields.
void parse_multipart(std::string_view body, std::string_view boundary, FormFields& fields);

// "text/html" for "Text/HTML; charset=utf-8".
std::string media_type(std::string_view content_type);
// A parameter of a header's value, such as the boundary of a content type; empty if there is none.
std::string header_parameter(std::string_view value, std::string_view name);

}  // namespace heed::serve
