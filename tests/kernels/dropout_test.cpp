// The vectorized generator returns the numbers of base/random.h, bit for bit, on every instruction set.
#include "kernels/dropout.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/cpu.h"
#include "kernels/ref/dropout.h"
#include "tensor/arena.h"

namespace heed::kernels {
namespace {

struct Dropped {
  std::vector<float> out, gradient;
  std::vector<std::uint8_t> mask;
  bool operator==(const Dropped&) const = default;
};

// The rows have gaps between them, so that a write past the end of a row is noticed.
Dropped drop(Index columns, double rate, const std::vector<std::uint32_t>& keys, bool reference) {
  const auto rows = static_cast<Index>(keys.size());
  Arena arena;
  const auto tensor = [&] { return arena.zeros(DType::f32, rows, columns + 3); };
  const Tensor x = tensor(), out = tensor(), gradient = tensor();
  for (Index i = 0; i < x.elements(); ++i) x.data<float>()[i] = 0.25f + static_cast<float>(i);
  const auto inner = [&](const Tensor& t) { return t.slice_columns(0, columns); };
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(rows * columns));
  const Random random(0x123456789abcdef, Stream::dropout, 7);
  if (reference) {
    ref::dropout_forward<float>(inner(out), mask.data(), inner(x), static_cast<float>(rate), random, keys, false);
    ref::dropout_backward<float>(inner(gradient), inner(x), mask.data(), static_cast<float>(rate));
  } else {
    dropout_forward(inner(out), mask, inner(x), rate, random, keys);
    dropout_backward(inner(gradient), inner(x), mask, rate);
  }
  const auto numbers = [](const Tensor& t) { return std::vector(t.data<float>(), t.data<float>() + t.elements()); };
  return {numbers(out), numbers(gradient), mask};
}

TEST(Dropout, SameBitsAsTheReferenceOnEveryInstructionSet) {
  // Blocks are counted in 64 bits; the key `wrapping` makes the lower 32 wrap within a vector.
  for (const std::string& set : instruction_sets()) {
    use_instruction_set(set);
    for (const Index columns : {1, 3, 4, 15, 16, 17, 63, 64, 65, 200, 517}) {
      const auto blocks = static_cast<std::uint64_t>(columns + 3) / 4;
      const auto wrapping = static_cast<std::uint32_t>((std::uint64_t{1} << 32) / blocks);
      for (const double rate : {0.0, 0.1, 0.5, 0.9999999})
        EXPECT_EQ(drop(columns, rate, {0, 5, wrapping, 5, 0xffffffff}, false),
                  drop(columns, rate, {0, 5, wrapping, 5, 0xffffffff}, true))
            << set << ", " << columns << " columns, rate " << rate;
    }
  }
  use_instruction_set(instruction_sets().front());
}

}  // namespace
}  // namespace heed::kernels
