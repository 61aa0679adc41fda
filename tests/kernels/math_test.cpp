// tanh and sigmoid (and through them exp) within 4 units in the last place of the exact value, over the whole range of
// float.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/cpu.h"
#include "kernels/elementwise.h"

namespace heed::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// The error in units in the last place; NaN equals only NaN.
double ulps_apart(float actual, double exact) {
  if (std::isnan(exact)) return std::isnan(actual) ? 0 : kInfinity;
  if (std::isnan(actual)) return kInfinity;
  const auto rounded = static_cast<float>(exact);
  if (std::isinf(rounded) || std::isinf(actual)) return rounded == actual ? 0 : kInfinity;
  const double unit = static_cast<double>(std::nextafter(std::abs(rounded), kInfinity)) - std::abs(rounded);
  return std::abs(static_cast<double>(actual) - exact) / unit;
}

struct Function {
  const char* name;
  void (*fast)(Tensor, Tensor);
  double (*exact)(double);
};

const Function kFunctions[] = {
    {"tanh", tanh_forward, [](double x) { return std::tanh(x); }},
    {"sigmoid", sigmoid_forward,
     [](double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }},
};

// Every 1021st float of either sign (1021 is prime, so all exponents and many mantissas occur), then special values.
std::vector<float> samples() {
  std::vector<float> xs;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 1021) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (std::isfinite(x)) xs.push_back(x);
  }
  // Every float near the boundaries between the approximations.
  for (const float boundary : {0.625f, -0.625f, 88.72284f, -87.33655f, -103.97208f, -103.27893f, 9.01f, 0.34657359f}) {
    float x = boundary;
    for (int i = 0; i < 200; ++i) x = std::nextafter(x, -kInfinity);
    for (int i = 0; i < 400; ++i, x = std::nextafter(x, kInfinity)) xs.push_back(x);
  }
  for (const float x : {0.0f, -0.0f, kInfinity, -kInfinity, kNan, std::numeric_limits<float>::max(),
                        std::numeric_limits<float>::lowest(), std::numeric_limits<float>::min(),
                        std::numeric_limits<float>::denorm_min()})
    xs.push_back(x);
  return xs;
}

TEST(Math, WithinFourUlpEverywhere) {
  const std::vector<float> xs = samples();
  ASSERT_GT(xs.size(), 4'000'000u);
  std::vector<float> ys(xs.size());
  const auto row = [](std::vector<float>& v) { return Tensor(v.data(), DType::f32, 1, static_cast<Index>(v.size())); };
  std::vector<float> copy = xs;
  for (const std::string& set : instruction_sets()) {
    use_instruction_set(set);
    for (const Function& function : kFunctions) {
      function.fast(row(ys), row(copy));
      double worst = 0;
      float where = 0;
      for (std::size_t i = 0; i < xs.size(); ++i) {
        const double apart = ulps_apart(ys[i], function.exact(static_cast<double>(xs[i])));
        if (apart > worst) worst = apart, where = xs[i];
      }
      EXPECT_LE(worst, 4.0) << function.name << " on " << set << " at " << where;
      RecordProperty(std::string(function.name) + " " + set, std::to_string(worst));
    }
  }
  use_instruction_set(instruction_sets().front());
}

TEST(Math, SpecialValues) {
  std::vector<float> x = {-kInfinity, kInfinity, kNan, -0.0f};
  std::vector<float> y(4);
  const Tensor in(x.data(), DType::f32, 1, 4), out(y.data(), DType::f32, 1, 4);
  tanh_forward(out, in);
  EXPECT_EQ(y[0], -1.0f);
  EXPECT_EQ(y[1], 1.0f);
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_TRUE(std::signbit(y[3]));
  sigmoid_forward(out, in);
  EXPECT_EQ(y[0], 0.0f);
  EXPECT_EQ(y[1], 1.0f);
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_EQ(y[3], 0.5f);
}

// The bits of an element do not depend on its position in the row; batch invariance relies on this.
TEST(Math, PositionInTheRowDoesNotMatter) {
  std::vector<float> x(67);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) * 0.173f - 5.0f;
  std::vector<float> whole(x.size());
  for (const Function& function : kFunctions) {
    function.fast(Tensor(whole.data(), DType::f32, 1, 67), Tensor(x.data(), DType::f32, 1, 67));
    for (std::size_t i = 0; i < x.size(); ++i) {
      float alone = 0;
      function.fast(Tensor(&alone, DType::f32, 1, 1), Tensor(&x[i], DType::f32, 1, 1));
      ASSERT_EQ(alone, whole[i]) << function.name << " at position " << i;
    }
  }
}

}  // namespace
}  // namespace heed::kernels
