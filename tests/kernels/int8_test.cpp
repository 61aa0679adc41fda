// int8 products: against the reference loops, on every instruction set, with and without VNNI.
#include "kernels/int8.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/random.h"
#include "kernels/cpu.h"
#include "kernels/matmul.h"
#include "kernels/project_rows.h"
#include "kernels/ref/int8.h"
#include "kernels/rows.h"
#include "tensor/arena.h"

namespace heed::kernels::int8_tests {  // other files have functions of the same names
namespace {

Tensor random_tensor(Arena& arena, Index rows, Index columns, std::uint32_t salt) {
  const Tensor x = arena.tensor(DType::f32, rows, columns);
  const Random random(3, Stream::test, salt);
  for (Index i = 0; i < x.elements(); ++i) x.data<float>()[i] = 2 * random.uniform(static_cast<std::uint64_t>(i)) - 1;
  return x;
}

// An int8 matrix with its own memory, which ends where the integers do.
struct Weights {
  std::vector<std::int8_t> integers;
  std::vector<float> scales, factors;
  Quantization quantization;
  Tensor tensor;

  Weights(Index rows, Index columns, std::uint32_t salt) {
    const Random random(5, Stream::test, salt);
    for (Index i = 0; i < rows * columns; ++i)
      integers.push_back(
          static_cast<std::int8_t>(static_cast<int>(random.uniform(static_cast<std::uint64_t>(i)) * 256) - 128));
    for (Index i = 0; i < rows; ++i) scales.push_back(0.001f * static_cast<float>(i % 7 + 1));
    for (Index k = 0; k < columns; ++k) factors.push_back(100.0f + static_cast<float>(k % 5) * 10);
    refer(rows, columns);
  }
  void refer(Index rows, Index columns) {
    quantization = {integers.data(), scales.data(), factors.data()};
    tensor = Tensor(quantization, rows, columns);
  }
  Weights(const Weights&) = delete;
  Weights& operator=(const Weights&) = delete;
};

// The product by the reference loops.
void reference(Tensor y, Tensor x, const Tensor& w, const Int8Options& options) {
  std::vector<std::int32_t> integers;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index k = 0; k < x.columns(); ++k) integers.push_back(ref::rounded(x.row<float>(i)[k], w.input_factors()[k]));
  ref::matmul_int8(y, integers.data(), x.columns(),
                   {.integers = w.data<std::int8_t>(),
                    .stride = w.stride(),
                    .columns = w.columns(),
                    .scales = w.scales(),
                    .bias = options.bias ? options.bias.data<float>() : nullptr,
                    .words = options.words.empty() ? nullptr : options.words.data()},
                   options.accumulate);
}

bool same_bits(const Tensor& a, const Tensor& b) {
  for (Index i = 0; i < a.rows(); ++i)
    if (std::memcmp(a.row<float>(i), b.row<float>(i), static_cast<std::size_t>(a.columns()) * sizeof(float)) != 0)
      return false;
  return true;
}

// Runs a test with every version of the kernels that this machine has.
template <class Test>
void on_every_version(Test test) {
  for (const std::string& set : instruction_sets()) {
    use_instruction_set(set);
    SCOPED_TRACE(set);
    test();
    if (!uses_vnni()) continue;
    allow_vnni(false);
    SCOPED_TRACE("without VNNI");
    test();
    allow_vnni(true);
  }
  use_instruction_set(instruction_sets().front());
}

struct Size {
  Index m, n, k;
};

TEST(Int8, EveryVersionHasTheBitsOfTheReference) {
  on_every_version([] {
    for (const Size s : {Size{1, 1, 1}, Size{1, 17, 5}, Size{2, 33, 64}, Size{3, 16, 9}, Size{4, 70, 130},
                         Size{7, 40, 257}, Size{17, 33, 31}, Size{40, 48, 80}, Size{5, 130, 600}, Size{64, 100, 517}}) {
      Arena arena;
      const Weights w(s.n, s.k, 1);
      const Tensor x = random_tensor(arena, s.m, s.k, 2), bias = random_tensor(arena, 1, s.n, 3);
      for (int mask = 0; mask < 4; ++mask) {
        const Int8Options options{.bias = mask % 2 == 1 ? bias : Tensor{}, .accumulate = mask >= 2};
        const Tensor y = random_tensor(arena, s.m, s.n, 4), expected = random_tensor(arena, s.m, s.n, 4);
        matmul_int8(y, x, w.tensor, options);
        reference(expected, x, w.tensor, options);
        ASSERT_TRUE(same_bits(y, expected)) << s.m << "x" << s.n << "x" << s.k << ", mask " << mask;
      }
    }
  });
}

// The largest sums that a product can have: nothing saturates or overflows on the way.
TEST(Int8, ExtremeIntegersAreExact) {
  on_every_version([] {
    for (const Index rows : {1, 5, 80}) {
      for (const Index columns : {Index{64}, Index{1024}, kMaxInt8Columns}) {
        if (columns == kMaxInt8Columns && rows == 80) continue;  // takes long in the reference
        for (const int weight : {-128, -127, 127}) {
          for (const float sign : {-1.0f, 1.0f}) {
            Arena arena;
            Weights w(9, columns, 1);
            std::ranges::fill(w.integers, static_cast<std::int8_t>(weight));
            std::ranges::fill(w.scales, 1.0f);
            const Tensor x = arena.tensor(DType::f32, rows, columns), y = arena.tensor(DType::f32, rows, 9);
            std::ranges::fill(x.span<float>(), sign * 1000);  // beyond the range
            matmul_int8(y, x, w.tensor);
            for (const float value : y.span<float>())
              ASSERT_EQ(value, static_cast<float>(static_cast<double>(columns) * weight * 127 * sign));
          }
        }
      }
    }
  });
}

TEST(Int8, ARowDoesNotDependOnTheOtherRows) {
  on_every_version([] {
    Arena arena;
    constexpr Index kRows = 41;
    const Weights w(85, 517, 1);
    const Tensor x = random_tensor(arena, kRows, 517, 2);
    const Tensor one = arena.tensor(DType::f32, kRows, 85), all = arena.tensor(DType::f32, kRows, 85);
    for (Index i = 0; i < kRows; ++i) project(one.slice_rows(i, 1), x.slice_rows(i, 1), w.tensor, false);
    for (Index from = 0; from < kRows; from += 7)
      for (Index n = 1; from + n <= kRows; ++n) {
        project(all.slice_rows(from, n), x.slice_rows(from, n), w.tensor, false);
        ASSERT_TRUE(same_bits(all.slice_rows(from, n), one.slice_rows(from, n))) << from << ", " << n;
      }
  });
}

TEST(Int8, SlicesUseTheirOwnScales) {
  Arena arena;
  const Weights w(40, 90, 1);
  const Tensor slice = w.tensor.slice_columns(21, 50).slice_rows(5, 30);
  EXPECT_EQ(slice.scales(), w.scales.data() + 5);
  EXPECT_EQ(slice.input_factors(), w.factors.data() + 21);
  const Tensor x = random_tensor(arena, 6, 60, 2).slice_columns(4, 50), y = random_tensor(arena, 8, 40, 3),
               expected = random_tensor(arena, 8, 40, 3);
  matmul_int8(y.slice_rows(1, 6).slice_columns(3, 30), x, slice, {.accumulate = true});
  reference(expected.slice_rows(1, 6).slice_columns(3, 30), x, slice, {.accumulate = true});
  EXPECT_TRUE(same_bits(y, expected));  // including what is outside the slice
}

TEST(Int8, SomeWordsHaveTheirColumnsOfTheWholeProduct) {
  on_every_version([] {
    Arena arena;
    const Weights w(50, 130, 1);
    const std::vector<Id> words = {49, 3, 3, 0, 17, 18, 19, 20, 44, 45, 1};
    for (const Index rows : {1, 3, 30}) {
      const Tensor x = random_tensor(arena, rows, 130, 2), bias = random_tensor(arena, 1, 50, 3);
      const Tensor all = arena.tensor(DType::f32, rows, 50), some = arena.tensor(DType::f32, rows, 11);
      Int8Input input;
      input.assign(x, w.tensor.input_factors());
      matmul_int8(all, input, w.tensor, {.bias = bias});
      matmul_int8(some, input, w.tensor, {.bias = bias, .words = words});
      for (Index i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < words.size(); ++j) ASSERT_EQ(some.row<float>(i)[j], all.row<float>(i)[words[j]]);
    }
  });
}

// Half to even, limited to ±127; NaN and infinities too.
TEST(Int8, InputsAreRoundedAlikeEverywhere) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::pair<float, float>> cases = {
      {0.5f, 0},    {1.5f, 2},      {2.5f, 2},   {-0.5f, 0},      {-1.5f, -2},       {126.5f, 126}, {127.4f, 127},
      {1e30f, 127}, {-1e30f, -127}, {nan, -127}, {infinity, 127}, {-infinity, -127}, {1e-40f, 0},   {-127.5f, -127}};
  on_every_version([&] {
    for (const auto& [input, expected] : cases) {
      EXPECT_EQ(static_cast<float>(ref::rounded(input, 1)), expected);
      Weights w(4, 1, 1);
      w.integers = {1, 1, 1, 1};
      w.factors = {1};
      w.scales = {1, 1, 1, 1};
      w.refer(4, 1);
      Arena arena;
      const Tensor x = arena.tensor(DType::f32, 1, 1), y = arena.tensor(DType::f32, 1, 4);
      x.data<float>()[0] = input;
      matmul_int8(y, x, w.tensor);
      EXPECT_EQ(y.data<float>()[3], expected) << input;
    }
  });
}

TEST(Int8, WeightsAreNearWhatTheyStandFor) {
  Arena arena;
  const Tensor w = random_tensor(arena, 20, 70, 1);
  std::fill_n(w.row<float>(3), 70, 0.0f);  // a row of zeros has a scale too
  std::vector<float> factors(70);
  for (std::size_t k = 0; k < factors.size(); ++k) factors[k] = k < 30 ? 50.0f : 200.0f;
  std::vector<std::int8_t> integers(20 * 70);
  std::vector<float> scales(20);
  quantize_weights(integers, scales, w, factors.data());
  const Quantization q{integers.data(), scales.data(), factors.data()};
  const Tensor back = arena.tensor(DType::f32, 3, 70);
  const std::vector<Id> rows = {19, 0, 3};
  gather_rows_forward(back, Tensor(q, 20, 70), rows);
  for (Index i = 0; i < 3; ++i) {
    const auto row = static_cast<std::size_t>(rows[static_cast<std::size_t>(i)]);
    EXPECT_GT(scales[row], 0);
    int largest = 0;
    for (std::size_t k = 0; k < 70; ++k)
      largest = std::max(largest, std::abs(static_cast<int>(integers[row * 70 + k])));
    EXPECT_EQ(largest, row == 3 ? 0 : 127);
    for (Index k = 0; k < 70; ++k) {
      const float step = scales[row] * factors[static_cast<std::size_t>(k)];
      EXPECT_NEAR(back.row<float>(i)[k], w.row<float>(static_cast<Index>(row))[k], 0.501f * step);
    }
  }
}

TEST(Int8, WrongShapesAreReported) {
  Arena arena;
  const Weights w(4, 6, 1);
  const auto tensor = [&](Index r, Index c) { return random_tensor(arena, r, c, 1); };
  EXPECT_THROW(matmul_int8(tensor(2, 4), tensor(2, 5), w.tensor), ShapeError);
  EXPECT_THROW(matmul_int8(tensor(2, 3), tensor(2, 6), w.tensor), ShapeError);
  EXPECT_THROW(matmul_int8(tensor(2, 4), tensor(2, 6), w.tensor, {.bias = tensor(1, 3)}), ShapeError);
  const std::vector<Id> words = {4};
  EXPECT_THROW(matmul_int8(tensor(2, 1), tensor(2, 6), w.tensor, {.words = words}), ShapeError);
  EXPECT_THROW(w.tensor.data<float>(), InternalError);
  EXPECT_THROW(tensor(1, 1).scales(), InternalError);
  EXPECT_THROW(w.tensor.reshape(6, 4), ShapeError);
  const Quantization rows_only{w.integers.data(), w.scales.data(), nullptr};
  EXPECT_THROW(matmul_int8(tensor(2, 4), tensor(2, 6), Tensor(rows_only, 4, 6)), InternalError);
}

TEST(Int8, ObserversSeeTheProductsOfTheirThread) {
  Arena arena;
  const Tensor x = random_tensor(arena, 2, 6, 1), w = random_tensor(arena, 3, 6, 2), y = arena.tensor(DType::f32, 2, 3);
  int calls = 0;
  const ProjectObserver observer = [&](const Tensor& inputs, const Tensor& weights) {
    ++calls;
    EXPECT_EQ(inputs.address(), x.address());
    EXPECT_EQ(weights.address(), w.address());
  };
  observe_projections(&observer);
  project(y, x, w, false);
  project(y, x, w, random_tensor(arena, 1, 3, 4));
  observe_projections(nullptr);
  project(y, x, w, false);
  EXPECT_EQ(calls, 2);
}

// Groups of rows with words of their own, as in vocabulary selection: the same numbers as in the whole product.
TEST(Int8, GroupsOfWords) {
  Arena arena;
  const Weights w(50, 33, 9);
  const Tensor x = random_tensor(arena, 4, 33, 10), bias = random_tensor(arena, 1, 50, 11);
  const Tensor all = arena.tensor(DType::f32, 4, 50);
  matmul_int8(all, x, w.tensor, {.bias = bias});
  const std::vector<Id> words[] = {{0, 7, 49}, {}, {3, 4, 5, 20, 21}};
  const Index first[] = {0, 1, 2}, rows[] = {1, 1, 2};
  std::vector<WordGroup> groups;
  for (int g = 0; g < 3; ++g)
    groups.push_back({.y = arena.tensor(DType::f32, rows[g], std::ssize(words[g])),
                      .x = x.slice_rows(first[g], rows[g]),
                      .words = words[g]});
  project_groups(groups, w.tensor, bias);
  for (int g = 0; g < 3; ++g)
    for (Index i = 0; i < rows[g]; ++i)
      for (std::size_t j = 0; j < words[g].size(); ++j)
        EXPECT_EQ(groups[static_cast<std::size_t>(g)].y.row<float>(i)[j], all.row<float>(first[g] + i)[words[g][j]]);
}

}  // namespace
}  // namespace heed::kernels::int8_tests
