// Chooses what a sentence of the pocket corpus says. compose_sentence() depends only on the dice.
#pragma once

#include <array>
#include <cstdint>

#include "base/random.h"
#include "pocket/phrase.h"

namespace heed::pocket {

// A sequence of random numbers that starts at a given block.
class Dice {
 public:
  Dice(const Random& random, std::uint64_t block) : random_(random), block_(block) {}

  std::uint32_t below(std::uint32_t bound) {
    if (used_ == 4) {
      numbers_ = random_.block(block_++);
      used_ = 0;
    }
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(numbers_[used_++]) * bound) >> 32);
  }
  bool percent(std::uint32_t chance) { return below(100) < chance; }

 private:
  Random random_;
  std::uint64_t block_;
  std::array<std::uint32_t, 4> numbers_{};
  unsigned used_ = 4;
};

// A whole sentence with its punctuation as words of their own, not yet capitalized.
Phrase compose_sentence(Dice& dice);

}  // namespace heed::pocket
