// The type of sizes and positions, signed as in most tensor libraries.
#pragma once

#include <cstdint>

namespace heed::inline base {

using Index = std::int64_t;

}  // namespace heed::base
