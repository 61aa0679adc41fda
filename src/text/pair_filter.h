// Which sentence pairs a tutorial keeps: short ones whose target starts in one of a few ways (PyTorch's translation
// tutorial).
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct PairFilter {
  std::size_t words_below = 0;                    // both sides have fewer words than this; 0: any number
  std::vector<std::string> target_prefixes = {};  // the target starts with one of these; none: with anything

  bool keeps(std::string_view source, std::string_view target) const {
    // Words are what stands between single spaces, empty ones included, as Python's split(' ') has it.
    const auto words = [](std::string_view line) {
      return static_cast<std::size_t>(std::count(line.begin(), line.end(), ' ')) + 1;
    };
    if (words_below > 0 && (words(source) >= words_below || words(target) >= words_below)) return false;
    return target_prefixes.empty() || std::any_of(target_prefixes.begin(), target_prefixes.end(),
                                                  [&](const auto& prefix) { return target.starts_with(prefix); });
  }
};

}  // namespace heed
