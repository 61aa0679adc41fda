// Numbers as text.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>
#include <system_error>

#include "base/index.h"

namespace heed::inline base {

// 1234567 as "1,234,567".
inline std::string grouped(Index number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3 && digits[i - 4] != '-'; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

// "1 byte", "1,024 bytes". Without `many`, the plural adds an s.
template <std::integral Integer>
std::string counted(Integer number, std::string_view one, std::string_view many) {
  return grouped(static_cast<Index>(number)).append(" ").append(number == 1 ? one : many);
}
template <std::integral Integer>
std::string counted(Integer number, std::string_view noun) {
  return counted(number, noun, std::string(noun) + "s");
}

// Parses the whole text as a number in the C locale, whatever the user's locale is. Anything but std::errc() is a
// failure; result_out_of_range: the number does not fit its type.
template <class Number>
std::errc parse_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end != text.data() + text.size() ? std::errc::invalid_argument : error;
}

}  // namespace heed::base
