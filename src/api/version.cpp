#include "heed/version.h"

#include <string_view>

#include "base/version.h"

namespace heed {

static_assert(std::string_view(HEED_VERSION) == kVersion, "heed/version.h and CMakeLists.txt name different versions");

const char* version() noexcept {
  return HEED_VERSION;
}

}  // namespace heed
