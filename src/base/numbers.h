// Numbers for people to read.
#pragma once

#include <string>

#include "base/index.h"

namespace heed::inline base {

// 1234567 as "1,234,567".
inline std::string grouped(Index number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3 && digits[i - 4] != '-'; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

}  // namespace heed::base
