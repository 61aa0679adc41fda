// What one number of a matrix of attention weights should be: step `row` of the target attends to word `column` of the
// source with this share. The shares of a row add up to 1; a row without any is left alone.
#pragma once

#include <cstdint>
#include <span>

namespace heed::inline tensor {

struct Guide {
  std::int32_t row = 0;
  std::int32_t column = 0;
  float share = 1;
  bool operator==(const Guide&) const = default;
};
using Guides = std::span<const Guide>;  // of one matrix

}  // namespace heed::tensor
