#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "base/random.h"
#include "kernels/cpu.h"
#include "kernels/matmul.h"
#include "kernels/panels.h"
#include "kernels/profile.h"
#include "kernels/ref/matmul.h"
#include "tensor/arena.h"

namespace heed::kernels {
namespace {

Tensor random_tensor(Arena& arena, Index rows, Index columns, std::uint32_t salt) {
  const Tensor x = arena.tensor(DType::f32, rows, columns);
  const Random random(3, Stream::test, salt);
  for (Index i = 0; i < x.elements(); ++i) x.data<float>()[i] = 2 * random.uniform(static_cast<std::uint64_t>(i)) - 1;
  return x;
}

// The reference product in double of two f32 tensors, plus `start` with `accumulate`.
std::vector<double> reference(const Tensor& a, const Tensor& b, const Tensor& start, MatmulOptions options) {
  Arena arena;
  const auto to_double = [&](const Tensor& x) {
    const Tensor copy = arena.tensor(DType::f64, x.rows(), x.columns());
    for (Index i = 0; i < x.rows(); ++i) std::copy_n(x.row<float>(i), x.columns(), copy.row<double>(i));
    return copy;
  };
  const Tensor c = to_double(start);
  ref::matmul<double>(c, to_double(a), to_double(b), options);
  return {c.data<double>(), c.data<double>() + c.elements()};
}

struct Size {
  Index m, n, k;
};

TEST(Matmul, EveryTransposeAgreesWithTheReference) {
  for (const Size s :
       {Size{1, 1, 1}, Size{1, 7, 5}, Size{3, 1, 9}, Size{17, 33, 31}, Size{64, 48, 80}, Size{5, 130, 257}}) {
    for (int mask = 0; mask < 8; ++mask) {
      const MatmulOptions o{.transpose_a = (mask & 1) != 0, .transpose_b = (mask & 2) != 0, .accumulate = mask >= 4};
      Arena arena;
      const Tensor a = o.transpose_a ? random_tensor(arena, s.k, s.m, 1) : random_tensor(arena, s.m, s.k, 1);
      const Tensor b = o.transpose_b ? random_tensor(arena, s.n, s.k, 2) : random_tensor(arena, s.k, s.n, 2);
      const Tensor c = random_tensor(arena, s.m, s.n, 3);
      const std::vector<double> expected = reference(a, b, c, o);
      matmul(c, a, b, o);
      for (Index i = 0; i < c.elements(); ++i)
        ASSERT_NEAR(c.data<float>()[i], expected[static_cast<std::size_t>(i)], 1e-6 * std::sqrt(s.k) * 4)
            << s.m << "x" << s.n << "x" << s.k << " mask " << mask;
    }
  }
}

TEST(Matmul, WorksOnSlicesAndLeavesTheRestUnchanged) {
  Arena arena;
  const Tensor a = random_tensor(arena, 6, 20, 1), b = random_tensor(arena, 9, 20, 2),
               c = random_tensor(arena, 8, 12, 3);
  const Tensor before = arena.tensor(DType::f32, 8, 12);
  std::copy_n(c.data<float>(), c.elements(), before.data<float>());
  const Tensor target = c.slice_rows(1, 6).slice_columns(2, 9);
  const std::vector<double> expected =
      reference(a.slice_columns(3, 11), b.slice_columns(9, 11), target, {.transpose_b = true, .accumulate = true});
  matmul(target, a.slice_columns(3, 11), b.slice_columns(9, 11), {.transpose_b = true, .accumulate = true});
  for (Index i = 0; i < 8; ++i) {
    for (Index j = 0; j < 12; ++j) {
      const bool inside = i >= 1 && i < 7 && j >= 2 && j < 11;
      if (inside)
        EXPECT_NEAR(c.row<float>(i)[j], expected[static_cast<std::size_t>((i - 1) * 9 + j - 2)], 1e-5);
      else
        EXPECT_EQ(c.row<float>(i)[j], before.row<float>(i)[j]);
    }
  }
}

TEST(Matmul, AnEmptySumGivesZeroOrKeepsTheOutput) {
  Arena arena;
  const Tensor c = random_tensor(arena, 2, 3, 1);
  const float first = c.data<float>()[0];
  matmul(c, arena.tensor(DType::f32, 2, 0), arena.tensor(DType::f32, 0, 3), {.accumulate = true});
  EXPECT_EQ(c.data<float>()[0], first);
  matmul(c, arena.tensor(DType::f32, 2, 0), arena.tensor(DType::f32, 0, 3));
  for (Index i = 0; i < 6; ++i) EXPECT_EQ(c.data<float>()[i], 0.0f);
  matmul(arena.tensor(DType::f32, 0, 3), arena.tensor(DType::f32, 0, 4), arena.tensor(DType::f32, 4, 3));
}

TEST(Matmul, ShapesThatDoNotMatchAreReported) {
  Arena arena;
  const auto tensor = [&](Index r, Index c) { return arena.tensor(DType::f32, r, c); };
  const auto message = [](auto call) {
    try {
      call();
    } catch (const ShapeError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message([&] { matmul(tensor(2, 3), tensor(2, 4), tensor(5, 3)); }),
            "matmul: [2,4] x [5,3]: 4 columns meet 5 rows");
  EXPECT_EQ(message([&] { matmul(tensor(2, 9), tensor(2, 4), tensor(4, 3)); }), "matmul: c is [2,9], expected [2,3]");
  EXPECT_EQ(message([&] { matmul(tensor(2, 3), arena.tensor(DType::f64, 2, 4), tensor(4, 3)); }),
            "matmul: f32 and f64 tensors are mixed");
}

Tensor panels_of(Arena& arena, const Tensor& w) {
  const Index whole = (w.rows() + kPanelRows - 1) / kPanelRows * kPanelRows;
  const Tensor panels = arena.tensor(DType::panels, whole, w.columns()).slice_rows(0, w.rows());
  copy_to_panels(panels, w);
  return panels;
}

TEST(Panels, AgreeWithTheReferenceOnEveryInstructionSet) {
  for (const std::string& set : instruction_sets()) {
    use_instruction_set(set);
    for (const Size s : {Size{1, 1, 1}, Size{4, 1, 19}, Size{1, 17, 5}, Size{3, 16, 9}, Size{17, 33, 31},
                         Size{64, 48, 80}, Size{5, 130, 600}, Size{13, 300, 257}, Size{30, 5, 40}}) {
      for (const bool accumulate : {false, true}) {
        Arena arena;
        const Tensor x = random_tensor(arena, s.m, s.k, 1), w = random_tensor(arena, s.n, s.k, 2),
                     y = random_tensor(arena, s.m, s.n, 3), by_rows = random_tensor(arena, s.m, s.n, 3);
        const std::vector<double> expected = reference(x, w, y, {.transpose_b = true, .accumulate = accumulate});
        matmul_invariant(y, x, panels_of(arena, w), accumulate);
        matmul_invariant(by_rows, x, w, accumulate);
        if (s.n > 1) {
          EXPECT_EQ(std::memcmp(y.data<float>(), by_rows.data<float>(), static_cast<std::size_t>(y.elements()) * 4), 0);
        }
        for (Index i = 0; i < y.elements(); ++i) {
          const double exact = expected[static_cast<std::size_t>(i)], tolerance = 1e-6 * std::sqrt(s.k) * 4;
          ASSERT_NEAR(y.data<float>()[i], exact, tolerance) << set << ", " << s.m << "x" << s.n << "x" << s.k;
          ASSERT_NEAR(by_rows.data<float>()[i], exact, tolerance) << set << ", " << s.m << "x" << s.n << "x" << s.k;
        }
      }
    }
  }
  use_instruction_set(instruction_sets().front());
}

// The bits of a row do not depend on the number of rows or on its index.
TEST(Panels, ARowDoesNotDependOnTheOtherRows) {
  for (const std::string& set : instruction_sets()) {
    use_instruction_set(set);
    Arena arena;
    constexpr Index kRows = 41;
    const Tensor x = random_tensor(arena, kRows, 517, 1), w = random_tensor(arena, 85, 517, 2);
    const Tensor one = arena.tensor(DType::f32, kRows, 85), all = arena.tensor(DType::f32, kRows, 85);
    for (Index i = 0; i < kRows; ++i) project(one.slice_rows(i, 1), x.slice_rows(i, 1), w, false);
    for (Index from = 0; from < kRows; from += 3) {
      for (Index n = 1; from + n <= kRows; ++n) {
        project(all.slice_rows(from, n), x.slice_rows(from, n), w, false);
        ASSERT_EQ(std::memcmp(all.row<float>(from), one.row<float>(from), static_cast<std::size_t>(n * 85) * 4), 0)
            << set << ": rows " << from << " to " << from + n;
      }
    }
  }
  use_instruction_set(instruction_sets().front());
}

TEST(Panels, CanBeSliced) {
  Arena arena;
  const Tensor x = random_tensor(arena, 6, 20, 1), w = random_tensor(arena, 40, 30, 2),
               y = random_tensor(arena, 9, 50, 3);
  const Tensor target = y.slice_rows(2, 6).slice_columns(5, 24);
  const std::vector<double> expected =
      reference(x, w.slice_rows(16, 24).slice_columns(7, 20), target, {.transpose_b = true, .accumulate = true});
  const float before = y.row<float>(2)[4], after = y.row<float>(2)[29];
  const Tensor panels = panels_of(arena, w);
  project(target, x, panels.slice_columns(7, 20).slice_rows(16, 24), true);
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < 24; ++j)
      EXPECT_NEAR(target.row<float>(i)[j], expected[static_cast<std::size_t>(i * 24 + j)], 1e-5);
  EXPECT_EQ(y.row<float>(2)[4], before);
  EXPECT_EQ(y.row<float>(2)[29], after);
  const Tensor again = random_tensor(arena, 9, 50, 3).slice_rows(2, 6).slice_columns(5, 24);
  project(again, x, w.slice_columns(7, 20).slice_rows(16, 24), true);
  for (Index i = 0; i < 6; ++i)
    EXPECT_TRUE(std::equal(again.row<float>(i), again.row<float>(i) + 24, target.row<float>(i)));
  EXPECT_THROW(panels.slice_rows(3, 2), ShapeError);
  EXPECT_THROW(panels.data<float>(), InternalError);
}

TEST(Matmul, TimeIsMeasuredOnlyWhileProfiling) {
  Arena arena;
  const Tensor a = random_tensor(arena, 32, 64, 1), b = random_tensor(arena, 64, 48, 2),
               c = arena.tensor(DType::f32, 32, 48);
  Profile::start();
  matmul(c, a, b);
  Profile::stop();
  const double once = Profile::seconds(Profile::matmul);
  EXPECT_GT(once, 0);
  matmul(c, a, b);
  EXPECT_EQ(Profile::seconds(Profile::matmul), once);
  EXPECT_EQ(Profile::seconds(Profile::encoder), 0);
}

}  // namespace
}  // namespace heed::kernels
