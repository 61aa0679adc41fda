// Random choices for documents that a test makes up.
#pragma once

#include <initializer_list>
#include <string>

#include "base/random.h"

namespace heed::testing {

class RandomParts {
 public:
  explicit RandomParts(std::uint64_t seed) : random_(seed, Stream::test) {}

 protected:
  int below(int n) { return static_cast<int>(random_.below(next_++, static_cast<std::uint32_t>(n))); }
  std::string pick(std::initializer_list<const char*> items) {
    return items.begin()[below(static_cast<int>(items.size()))];
  }

 private:
  Random random_;
  std::uint64_t next_ = 0;
};

}  // namespace heed::testing
