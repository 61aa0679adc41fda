// Every fused operation against the same function composed of simple ones: outputs and all gradients, over several
// steps.
#include <gtest/gtest.h>

#include <functional>

#include "autograd/ops/attention.h"
#include "autograd/ops/cell.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/layer_norm.h"
#include "autograd/ops/linear.h"
#include "autograd/ops/loss.h"
#include "kernels/elementwise.h"
#include "kernels/softmax.h"
#include "support/compare.h"
#include "support/op_cases.h"

namespace heed::testing {
namespace {

using autograd::AttentionOutput;
using autograd::LstmState;
using autograd::Tape;
using autograd::Var;

// A tape without parameters, whose leaves are variables with random values.
struct Bench {
  explicit Bench(DType type) : parameters(type) {
    parameters.allocate();
    gradients = std::make_unique<autograd::Gradients>(parameters);
    tape = std::make_unique<Tape>(parameters, gradients.get());
    tape->clear(Tape::Mode::record);
  }
  Var leaf(Index rows, Index columns, double range = 1) {
    const Var v = tape->variable(rows, columns);
    randomize(v.value, static_cast<std::uint32_t>(leaves.size()), range);
    leaves.push_back(v);
    return v;
  }
  // Runs backward from the outputs with random gradients; returns all outputs, then the gradients of all leaves.
  std::vector<std::vector<double>> finish(std::vector<Var> outputs) {
    std::vector<std::vector<double>> result;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      result.push_back(numbers(outputs[k].value));
      const Tensor seed = tape->arena().tensor(tape->type(), outputs[k].rows(), outputs[k].columns());
      randomize(seed, static_cast<std::uint32_t>(500 + k));
      kernels::add_to(outputs[k].grad, seed);
    }
    tape->backward();
    for (const Var& v : leaves) result.push_back(numbers(v.grad));
    return result;
  }
  autograd::Parameters parameters;
  std::unique_ptr<autograd::Gradients> gradients;
  std::unique_ptr<Tape> tape;
  std::vector<Var> leaves;
};

using Build = std::function<std::vector<Var>(Bench&)>;

// They agree up to the rounding of the type.
void expect_same(const Build& fused, const Build& composed) {
  for (const DType type : {DType::f64, DType::f32}) {
    Bench a(type), b(type);
    const auto actual = a.finish(fused(a)), expected = b.finish(composed(b));
    const double epsilon = type == DType::f64 ? 1e-14 : 3e-6;
    expect_close(actual, expected, {.absolute = epsilon, .relative = 4 * epsilon});
  }
}

Var one_minus(Tape& tape, Var x) {
  const Var ones = Tape::constant(tape.arena().tensor(tape.type(), x.rows(), x.columns()));
  const Var minus = Tape::constant(tape.arena().tensor(tape.type(), x.rows(), x.columns()));
  kernels::fill(ones.value, 1);
  kernels::fill(minus.value, -1);
  return add(tape, ones, mul(tape, minus, x));
}

constexpr Index kRows = 5, kSize = 19, kSteps = 4;

TEST(Fused, GruOverSteps) {
  const auto run = [](Bench& b, const std::function<Var(Var gx, Var gh, Var h)>& step) {
    const Var w = b.leaf(3 * kSize, kSize, 0.5), bias = b.leaf(1, 3 * kSize);
    Var h = b.leaf(kRows, kSize);
    std::vector<Var> states;
    for (Index t = 0; t < kSteps; ++t)
      states.push_back(h = step(b.leaf(kRows, 3 * kSize), linear(*b.tape, h, w, bias), h));
    return states;
  };
  expect_same([&](Bench& b) { return run(b, [&](Var gx, Var gh, Var h) { return gru_step(*b.tape, gx, gh, h); }); },
              [&](Bench& b) {
                Tape& t = *b.tape;
                return run(b, [&](Var gx, Var gh, Var h) {
                  const auto gate = [](Var g, Index k) { return g.slice_columns(k * kSize, kSize); };
                  const Var r = sigmoid(t, add(t, gate(gx, 0), gate(gh, 0)));
                  const Var z = sigmoid(t, add(t, gate(gx, 1), gate(gh, 1)));
                  const Var n = tanh(t, add(t, gate(gx, 2), mul(t, r, gate(gh, 2))));
                  return add(t, mul(t, one_minus(t, z), n), mul(t, z, h));
                });
              });
}

TEST(Fused, LstmOverSteps) {
  const auto run = [](Bench& b, const std::function<LstmState(Var gx, Var gh, Var c)>& step) {
    const Var w = b.leaf(4 * kSize, kSize, 0.5);
    LstmState s{b.leaf(kRows, kSize), b.leaf(kRows, kSize)};
    std::vector<Var> states;
    for (Index t = 0; t < kSteps; ++t) {
      s = step(b.leaf(kRows, 4 * kSize), linear(*b.tape, s.h, w), s.c);
      states.push_back(s.h);
    }
    states.push_back(s.c);
    return states;
  };
  expect_same([&](Bench& b) { return run(b, [&](Var gx, Var gh, Var c) { return lstm_step(*b.tape, gx, gh, c); }); },
              [&](Bench& b) {
                Tape& t = *b.tape;
                return run(b, [&](Var gx, Var gh, Var c) {
                  const Var g = add(t, gx, gh);
                  const auto gate = [&](Index k) { return g.slice_columns(k * kSize, kSize); };
                  const Var cell =
                      add(t, mul(t, sigmoid(t, gate(1)), c), mul(t, sigmoid(t, gate(0)), tanh(t, gate(2))));
                  return LstmState{mul(t, sigmoid(t, gate(3)), tanh(t, cell)), cell};
                });
              });
}

TEST(Fused, RnnOverSteps) {
  const auto run = [](Bench& b, const std::function<Var(Var, Var)>& step) {
    const Var w = b.leaf(kSize, kSize, 0.5);
    Var h = b.leaf(kRows, kSize);
    std::vector<Var> states;
    for (Index t = 0; t < kSteps; ++t) states.push_back(h = step(b.leaf(kRows, kSize), linear(*b.tape, h, w)));
    return states;
  };
  expect_same([&](Bench& b) { return run(b, [&](Var gx, Var gh) { return rnn_step(*b.tape, gx, gh); }); },
              [&](Bench& b) { return run(b, [&](Var gx, Var gh) { return tanh(*b.tape, add(*b.tape, gx, gh)); }); });
}

// The weight's gradient as one product over all steps, against one product per step.
TEST(Fused, StepLinearOverShrinkingSteps) {
  const std::vector<Index> active = {5, 5, 3, 1};
  const auto run = [&](Bench& b, bool fused) {
    Tape& t = *b.tape;
    const Var w = b.leaf(kSize, kSize, 0.5), out = linear(t, b.leaf(14, 3), b.leaf(kSize, 3));
    Var h = b.leaf(5, kSize);
    autograd::StepLinear layer(t, w, out);
    std::vector<Var> states;
    Index row = 0;
    for (const Index n : active) {
      const Var before = h.slice_rows(0, n);
      h = tanh(t, fused ? layer.step(row, before) : add(t, out.slice_rows(row, n), linear(t, before, w)));
      states.push_back(h);
      row += n;
    }
    return states;
  };
  expect_same([&](Bench& b) { return run(b, true); }, [&](Bench& b) { return run(b, false); });
}

// Three sentences with 4, 1 and 3 positions.
const std::vector<Id> kBegin = {0, 4, 5}, kLength = {4, 1, 3};
constexpr Index kPacked = 8, kBatch = 3, kLongest = 4, kAttention = 11, kValue = 6;

using Score = std::function<Var(Bench&, Var keys, Var query)>;  // keys:[S,*], query:[1,*] -> [1,S]

// Attention of each row separately, from simple operations.
std::vector<Var> composed_attention(Bench& b, Var keys, Var values, Var query, const Score& score) {
  Tape& t = *b.tape;
  const Var contexts = t.variable(kBatch, kValue), weights = t.zeros(kBatch, kLongest);
  for (Index row = 0; row < kBatch; ++row) {
    const Index begin = kBegin[static_cast<std::size_t>(row)], n = kLength[static_cast<std::size_t>(row)];
    const Var scores = score(b, keys.slice_rows(begin, n), query.slice_rows(row, 1));
    const auto length = t.arena().array<Id>(1);
    length[0] = static_cast<Id>(n);
    const Var w = masked_softmax(t, scores, length);
    write(t, weights.slice_rows(row, 1).slice_columns(0, n), w);
    write(t, contexts.slice_rows(row, 1), matmul(t, w, values.slice_rows(begin, n)));
  }
  return {contexts, weights};
}

// [S,1] -> [1,S]
Var transpose(Bench& b, Var x) {
  const Var one = Tape::constant(b.tape->arena().tensor(b.tape->type(), 1, 1));
  kernels::fill(one.value, 1);
  return linear(*b.tape, one, x);
}

TEST(Fused, AdditiveAttention) {
  const auto leaves = [](Bench& b) {
    return std::array<Var, 5>{b.leaf(kPacked, kAttention), b.leaf(kPacked, kValue), b.leaf(kBatch, kAttention),
                              b.leaf(1, kAttention), b.leaf(1, 1)};
  };
  expect_same(
      [&](Bench& b) {
        const auto [keys, values, query, v, bias] = leaves(b);
        const AttentionOutput a =
            additive_attention(*b.tape, keys, values, query, v, bias, {kBegin, kLength}, kLongest);
        return std::vector<Var>{a.context, a.weights};
      },
      [&](Bench& b) {
        const auto [keys, values, query, v, bias] = leaves(b);
        return composed_attention(b, keys, values, query, [&, v = v, bias = bias](Bench&, Var k, Var q) {
          const Var inner = tanh(*b.tape, add(*b.tape, k, broadcast(*b.tape, q, k.rows())));
          return transpose(b, linear(*b.tape, inner, v, bias));
        });
      });
}

TEST(Fused, DotAttention) {
  const auto leaves = [](Bench& b) {
    return std::array<Var, 3>{b.leaf(kPacked, kAttention), b.leaf(kPacked, kValue), b.leaf(kBatch, kAttention)};
  };
  expect_same(
      [&](Bench& b) {
        const auto [keys, values, query] = leaves(b);
        const AttentionOutput a = dot_attention(*b.tape, keys, values, query, 1, {kBegin, kLength}, kLongest);
        return std::vector<Var>{a.context, a.weights};
      },
      [&](Bench& b) {
        const auto [keys, values, query] = leaves(b);
        return composed_attention(b, keys, values, query, [&](Bench&, Var k, Var q) { return linear(*b.tape, q, k); });
      });
}

TEST(Fused, LinearAttention) {
  const auto leaves = [](Bench& b) {
    return std::array<Var, 3>{b.leaf(kPacked, 1), b.leaf(kPacked, kValue), b.leaf(kBatch, 1)};
  };
  expect_same(
      [&](Bench& b) {
        const auto [keys, values, query] = leaves(b);
        const AttentionOutput a = linear_attention(*b.tape, keys, values, query, {kBegin, kLength}, kLongest);
        return std::vector<Var>{a.context, a.weights};
      },
      [&](Bench& b) {
        const auto [keys, values, query] = leaves(b);
        return composed_attention(b, keys, values, query, [&](Bench&, Var k, Var q) {
          return transpose(b, add(*b.tape, k, broadcast(*b.tape, q, k.rows())));
        });
      });
}

TEST(Fused, LocationAttention) {
  constexpr Index kPositions = 6;
  const std::vector<Id> all(kBatch, kPositions);
  expect_same(
      [&](Bench& b) {
        const Var values = b.leaf(kPacked, kValue);
        const AttentionOutput a = location_attention(*b.tape, values, b.leaf(kBatch, kPositions), {kBegin, kLength});
        return std::vector<Var>{a.context, a.weights};
      },
      [&](Bench& b) {
        Tape& t = *b.tape;
        const Var values = b.leaf(kPacked, kValue), w = masked_softmax(t, b.leaf(kBatch, kPositions), all);
        const Var contexts = t.variable(kBatch, kValue);
        for (Index row = 0; row < kBatch; ++row) {
          const Index begin = kBegin[static_cast<std::size_t>(row)], n = kLength[static_cast<std::size_t>(row)];
          write(t, contexts.slice_rows(row, 1),
                matmul(t, w.slice_rows(row, 1).slice_columns(0, n), values.slice_rows(begin, n)));
        }
        return std::vector<Var>{contexts, w};
      });
}

// The fused loss against a linear layer, a softmax and -log p, for several chunk sizes.
TEST(Fused, OutputLossInChunks) {
  const std::vector<Id> labels = {3, 0, 6, 3, 1};
  constexpr Index kWords = 7;
  for (const double smoothing : {0.0, 0.1}) {
    for (const Index chunk : {1, 2, 5, 100}) {
      Bench fused(DType::f64), composed(DType::f64);
      const Tensor losses =
          output_loss(*fused.tape, fused.leaf(5, kSize), fused.leaf(kWords, kSize), fused.leaf(1, kWords), labels,
                      {.smoothing = smoothing, .weight = 0.5, .chunk_rows = chunk});
      fused.tape->backward();

      Tape& t = *composed.tape;
      const Var logits = linear(t, composed.leaf(5, kSize), composed.leaf(kWords, kSize), composed.leaf(1, kWords));
      const std::vector<Id> all(5, kWords);
      const Var p = masked_softmax(t, logits, all);
      std::vector<double> expected;
      for (Index i = 0; i < 5; ++i) {
        double loss = 0;
        for (Index j = 0; j < kWords; ++j) {
          const double q = smoothing / kWords + (j == labels[static_cast<std::size_t>(i)] ? 1 - smoothing : 0);
          loss -= q * std::log(p.value.row<double>(i)[j]);
          p.grad.row<double>(i)[j] = -0.5 * q / p.value.row<double>(i)[j];
        }
        expected.push_back(loss);
      }
      t.backward();
      EXPECT_EQ(difference(numbers(losses), expected, {.absolute = 1e-13}), "");
      for (std::size_t k = 0; k < fused.leaves.size(); ++k)
        EXPECT_EQ(difference(numbers(fused.leaves[k].grad), numbers(composed.leaves[k].grad), {.absolute = 1e-13}), "")
            << "gradient " << k << ", smoothing " << smoothing << ", chunks of " << chunk;
    }
  }
}

}  // namespace
}  // namespace heed::testing
