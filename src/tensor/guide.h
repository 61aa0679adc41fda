// One target for attention weights, for guided attention: target step `row` should attend to source position `column`
// with weight `weight`. The weights of a row sum to 1; a row without guides adds nothing to the loss.
#pragma once

#include <cstdint>
#include <span>

namespace heed::inline tensor {

struct Guide {
  std::int32_t row = 0;
  std::int32_t column = 0;
  float weight = 1;
  bool operator==(const Guide&) const = default;
};
using Guides = std::span<const Guide>;  // all of one matrix

}  // namespace heed::tensor
