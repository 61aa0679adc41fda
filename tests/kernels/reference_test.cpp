// The reference kernels on cases computed by hand, and errors that are thrown before any work.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "kernels/attention.h"
#include "kernels/cell.h"
#include "kernels/cpu.h"
#include "kernels/dropout.h"
#include "kernels/elementwise.h"
#include "kernels/layer_norm.h"
#include "kernels/rows.h"
#include "kernels/softmax.h"

namespace heed::kernels {
namespace {

// A tensor that owns its numbers.
struct Numbers {
  Numbers(Index r, Index c, std::vector<double> v) : values(std::move(v)), rows(r), columns(c) {
    values.resize(static_cast<std::size_t>(r * c));
  }
  operator Tensor() { return {values.data(), DType::f64, rows, columns}; }  // NOLINT(google-explicit-constructor)
  std::vector<double> values;
  Index rows, columns;
};

double sigma(double x) {
  return 1 / (1 + std::exp(-x));
}

TEST(Reference, GruStepByHand) {
  Numbers gx(1, 3, {0.1, 0.2, 0.3}), gh(1, 3, {0.4, 0.5, 0.6}), h(1, 1, {0.7}), next(1, 1, {}), gates(1, 3, {});
  gru_forward(next, gates, gx, gh, h);
  const double r = sigma(0.5), z = sigma(0.7), n = std::tanh(0.3 + r * 0.6);
  EXPECT_DOUBLE_EQ(next.values[0], (1 - z) * n + z * 0.7);
}

TEST(Reference, LstmStepByHand) {
  Numbers gx(1, 4, {0.1, 0.2, 0.3, 0.4}), gh(1, 4, {0.5, 0.6, 0.7, 0.8}), c(1, 1, {0.9}), h_next(1, 1, {}),
      c_next(1, 1, {}), gates(1, 4, {});
  lstm_forward(h_next, c_next, gates, gx, gh, c);
  const double cell = sigma(0.8) * 0.9 + sigma(0.6) * std::tanh(1.0);
  EXPECT_DOUBLE_EQ(c_next.values[0], cell);
  EXPECT_DOUBLE_EQ(h_next.values[0], sigma(1.2) * std::tanh(cell));
}

TEST(Reference, RnnStepByHand) {
  Numbers gx(1, 2, {0.1, -0.2}), gh(1, 2, {0.3, 0.5}), next(1, 2, {});
  rnn_forward(next, gx, gh);
  EXPECT_DOUBLE_EQ(next.values[0], std::tanh(0.4));
  EXPECT_DOUBLE_EQ(next.values[1], std::tanh(0.3));
}

TEST(Reference, SoftmaxByHandWithAMaskedAndAnEmptyRow) {
  Numbers x(2, 3, {0, std::log(3.0), 100, 5, 5, 5}), y(2, 3, {});
  const std::vector<Id> lengths = {2, 0};
  softmax_forward(y, x, lengths);
  EXPECT_DOUBLE_EQ(y.values[0], 0.25);
  EXPECT_DOUBLE_EQ(y.values[1], 0.75);
  for (std::size_t i = 2; i < 6; ++i) EXPECT_EQ(y.values[i], 0);
}

TEST(Reference, SoftmaxOfHugeScoresStaysFinite) {
  Numbers x(1, 2, {1e30, 1e30}), y(1, 2, {});
  softmax_forward(y, x, std::vector<Id>{2});
  EXPECT_DOUBLE_EQ(y.values[0], 0.5);
  float f[] = {-3e38f, 3e38f};
  softmax_forward(Tensor(f, DType::f32, 1, 2), Tensor(f, DType::f32, 1, 2), std::vector<Id>{2});
  EXPECT_EQ(f[0], 0.0f);
  EXPECT_EQ(f[1], 1.0f);
}

TEST(Reference, ArgmaxIsTheFirstOfTheLargest) {
  Numbers x(2, 3, {9, 9, 9, 1, 5, 5});
  EXPECT_EQ(argmax(x, 1), 1);
  float numbers[] = {-3, -1, -1, -2};
  const Tensor y(numbers, DType::f32, 1, 4);
  EXPECT_EQ(argmax(y, 0), 1);
  EXPECT_EQ(y.number(0, 3), -2.0);
}

TEST(Reference, CrossEntropyByHand) {
  Numbers logits(1, 4, {0, 0, 0, 0}), losses(1, 1, {});
  cross_entropy(losses, logits, std::vector<Id>{2}, {.smoothing = 0.2, .weight = 2, .gradient = true});
  EXPECT_DOUBLE_EQ(losses.values[0], std::log(4.0));
  EXPECT_NEAR(logits.values[0], 2 * (0.25 - 0.05), 1e-15);
  EXPECT_NEAR(logits.values[2], 2 * (0.25 - 0.85), 1e-15);
}

TEST(Reference, AdditiveAttentionByHand) {
  Numbers keys(2, 1, {0.1, 0.2}), query(1, 1, {0.3}), v(1, 1, {2}), bias(1, 1, {0.5}), scores(1, 2, {}),
      values(2, 1, {10, 20}), context(1, 1, {});
  const std::vector<Id> begin = {0}, length = {2};
  additive_score_forward(scores, keys, query, v, bias, {begin, length});
  const double first = 2 * std::tanh(0.4) + 0.5, second = 2 * std::tanh(0.5) + 0.5;
  EXPECT_DOUBLE_EQ(scores.values[0], first);
  EXPECT_DOUBLE_EQ(scores.values[1], second);
  attend_forward(context, scores, scores, values, {begin, length}, Support::sentence);
  const double weight = 1 / (1 + std::exp(second - first));
  EXPECT_NEAR(context.values[0], 10 * weight + 20 * (1 - weight), 1e-12);
}

TEST(Reference, LocationAttentionLosesTheWeightPastTheSentence) {
  Numbers scores(1, 4, {0, 0, 0, 0}), values(2, 1, {1, 1}), context(1, 1, {}), weights(1, 4, {});
  const std::vector<Id> begin = {0}, length = {2};
  attend_forward(context, weights, scores, values, {begin, length}, Support::all_columns);
  EXPECT_DOUBLE_EQ(context.values[0], 0.5);
  EXPECT_DOUBLE_EQ(weights.values[3], 0.25);
}

TEST(Reference, LayerNormByHand) {
  Numbers x(1, 2, {1, 3}), gain(1, 2, {2, 2}), bias(1, 2, {0.5, 0.5}), y(1, 2, {}), statistics(1, 2, {});
  layer_norm_forward(y, statistics, x, gain, bias);
  const double scale = 1 / std::sqrt(1 + kLayerNormEpsilon);
  EXPECT_DOUBLE_EQ(y.values[0], -2 * scale + 0.5);
  EXPECT_DOUBLE_EQ(y.values[1], 2 * scale + 0.5);
}

TEST(Dropout, KeepsTheRightFractionAndScalesIt) {
  std::vector<float> x(64 * 1000, 1.0f), y(x.size());
  std::vector<std::uint8_t> mask(x.size());
  std::vector<std::uint32_t> keys(64);
  for (std::uint32_t i = 0; i < 64; ++i) keys[i] = i;
  const Tensor in(x.data(), DType::f32, 64, 1000), out(y.data(), DType::f32, 64, 1000);
  dropout_forward(out, mask, in, 0.3, Random(1, Stream::dropout), keys);
  double kept = 0;
  for (const float value : y) {
    if (value != 0) {
      ASSERT_FLOAT_EQ(value, 1 / 0.7f);
      ++kept;
    }
  }
  EXPECT_NEAR(kept / static_cast<double>(y.size()), 0.7, 0.006);  // three standard deviations
}

// The mask of a row depends on its key, not on its index or the other rows of the batch.
TEST(Dropout, MaskDependsOnTheRowKeyAlone) {
  std::vector<float> x(7 * 33, 1.0f), y(x.size()), alone(33);
  std::vector<std::uint8_t> mask(x.size());
  const std::vector<std::uint32_t> keys = {5, 1, 9, 1, 0, 77, 3};
  const Random random(8, Stream::dropout, 2);
  dropout_forward(Tensor(y.data(), DType::f32, 7, 33), mask, Tensor(x.data(), DType::f32, 7, 33), 0.5, random, keys);
  for (std::size_t row = 0; row < keys.size(); ++row) {
    dropout_forward(Tensor(alone.data(), DType::f32, 1, 33), std::span(mask).first(33),
                    Tensor(x.data(), DType::f32, 1, 33), 0.5, random, std::span(keys).subspan(row, 1));
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), y.begin() + static_cast<std::ptrdiff_t>(row * 33))) << row;
  }
  EXPECT_TRUE(std::equal(y.begin() + 33, y.begin() + 66, y.begin() + 99));
  EXPECT_FALSE(std::equal(y.begin(), y.begin() + 33, y.begin() + 33));
}

TEST(Dropout, WholeRowsAreKeptOrDroppedTogether) {
  std::vector<float> x(2000 * 5, 1.0f), y(x.size());
  std::vector<std::uint8_t> mask(x.size());
  std::vector<std::uint32_t> keys(2000);
  for (std::uint32_t i = 0; i < 2000; ++i) keys[i] = i;
  dropout_forward(Tensor(y.data(), DType::f32, 2000, 5), mask, Tensor(x.data(), DType::f32, 2000, 5), 0.3,
                  Random(1, Stream::dropout), keys, true);
  double kept = 0;
  for (std::size_t i = 0; i < y.size(); i += 5) {
    for (std::size_t j = 0; j < 5; ++j) ASSERT_EQ(y[i + j], y[i]);
    kept += y[i] != 0 ? 1 : 0;
  }
  EXPECT_NEAR(kept / 2000, 0.7, 0.031);  // three standard deviations
}

template <class Call>
std::string message(Call call) {
  try {
    call();
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Errors, BadShapesAndIdsAreReportedBeforeAnyWork) {
  Numbers a(2, 3, {}), b(2, 4, {}), one(1, 4, {}), out(2, 3, {7, 7, 7, 7, 7, 7});
  EXPECT_EQ(message([&] { add_forward(out, a, b); }), "add: an operand is [2,4], expected [2,3]");
  EXPECT_EQ(message([&] {
              gather_rows_forward(out, a, std::vector<Id>{0, 2});
            }),
            "gather_rows: id 2 at position 1 is not within 0 to 1");
  EXPECT_EQ(message([&] {
              gather_rows_forward(out, a, std::vector<Id>{0, -1});
            }),
            "gather_rows: id -1 at position 1 is not within 0 to 1");
  EXPECT_EQ(message([&] {
              softmax_forward(out, a, std::vector<Id>{1, 4});
            }),
            "softmax: lengths: id 4 at position 1 is not within 0 to 3");
  EXPECT_EQ(message([&] { softmax_forward(out, a, std::vector<Id>{1}); }), "softmax: 1 lengths for 2 rows");
  EXPECT_EQ(message([&] { broadcast_forward(out, one); }), "broadcast: the row is [1,4], expected [1,3]");
  EXPECT_EQ(message([&] { gru_forward(out, a, a, a, out); }), "gru: a gate tensor is [2,3], expected [2,9]");
  std::vector<std::uint8_t> mask(6);
  EXPECT_EQ(
      message([&] { dropout_forward(out, mask, a, 1.0, Random(0, Stream::dropout), std::vector<std::uint32_t>(2)); }),
      "dropout: the rate is 1, expected 0 to below 1");
  Numbers scores(1, 5, {}), keys(3, 2, {}), query(1, 2, {});
  EXPECT_EQ(message([&] {
              const std::vector<Id> begin = {1}, length = {3};
              dot_score_forward(scores, keys, query, 1, {begin, length});
            }),
            "dot score: batch row 0 owns the rows [1, 4), but there are 3");
  for (const double untouched : out.values) EXPECT_EQ(untouched, 7);
}

TEST(Cpu, ScalarIsAlwaysAvailableAndUnknownNamesAreRefused) {
  const auto sets = instruction_sets();
  ASSERT_FALSE(sets.empty());
  EXPECT_EQ(sets.back(), "scalar");
  EXPECT_EQ(instruction_set(), sets.front());
  EXPECT_THROW(use_instruction_set("MMX"), UsageError);
}

}  // namespace
}  // namespace heed::kernels
