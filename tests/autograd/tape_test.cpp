// The tape, parameters and replicas: memory, sparse gradients, determinism.
#include "autograd/tape.h"

#include <gtest/gtest.h>

#include "autograd/ops/cell.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/linear.h"
#include "autograd/ops/loss.h"
#include "support/allocations.h"
#include "support/compare.h"
#include "support/op_cases.h"
#include "train/replicas.h"

namespace heed::testing {
namespace {

constexpr Index kVocabulary = 40, kEmbedding = 12, kHidden = 20;

// A little language model: embedding, GRU, output loss.
struct Model {
  explicit Model(DType type = DType::f32) : parameters(type) {
    table = parameters.add("table", {kVocabulary, kEmbedding}, {}, true);
    w_ih = parameters.add("w_ih", {3 * kHidden, kEmbedding});
    w_hh = parameters.add("w_hh", {3 * kHidden, kHidden});
    bias = parameters.add("bias", {3 * kHidden});
    out = parameters.add("out", {kVocabulary, kHidden});
    parameters.allocate();
    for (std::size_t i = 0; i < parameters.size(); ++i)
      randomise(parameters[i].value, static_cast<std::uint32_t>(i), 0.4);
  }

  // Sentences [from, to) of `sentences`, each `length` words, next word from word; the sum of the losses.
  double compute(Tape& tape, std::span<const std::vector<Id>> sentences, double weight) const {
    const Index rows = static_cast<Index>(sentences.size()), steps = static_cast<Index>(sentences[0].size()) - 1;
    const auto inputs = tape.arena().array<Id>(static_cast<std::size_t>(rows * steps));
    const auto labels = tape.arena().array<Id>(static_cast<std::size_t>(rows * steps));
    for (Index t = 0; t < steps; ++t) {
      for (Index b = 0; b < rows; ++b) {
        inputs[static_cast<std::size_t>(t * rows + b)] =
            sentences[static_cast<std::size_t>(b)][static_cast<std::size_t>(t)];
        labels[static_cast<std::size_t>(t * rows + b)] =
            sentences[static_cast<std::size_t>(b)][static_cast<std::size_t>(t + 1)];
      }
    }
    const Var gx = linear(tape, embedding(tape, table, inputs), tape.parameter(w_ih));
    const Var gh = broadcast(tape, tape.parameter(bias), rows * steps);
    StepLinear recurrent(tape, tape.parameter(w_hh), gh);
    const Var states = tape.variable(rows * steps, kHidden);
    Var h = tape.zeros(rows, kHidden);
    for (Index t = 0; t < steps; ++t) {
      h = gru_step(tape, gx.slice_rows(t * rows, rows), recurrent.step(t * rows, h), h);
      write(tape, states.slice_rows(t * rows, rows), h);
    }
    double total = 0;
    const Tensor losses = output_loss(tape, states, tape.parameter(out), {}, labels, {.weight = weight});
    for (Index i = 0; i < losses.rows(); ++i)
      total += losses.type() == DType::f32 ? static_cast<double>(losses.row<float>(i)[0]) : losses.row<double>(i)[0];
    return total;
  }

  Parameters parameters;
  ParameterId table, w_ih, w_hh, bias, out;
};

std::vector<std::vector<Id>> sentences(std::size_t count) {
  std::vector<std::vector<Id>> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.emplace_back();
    for (std::uint64_t k = 0; k < 7; ++k)
      result.back().push_back(
          static_cast<Id>(Random(1, Stream::test, static_cast<std::uint32_t>(i)).below(k, kVocabulary)));
  }
  return result;
}

#ifdef HEED_COUNTS_ALLOCATIONS
TEST(Tape, NoAllocationOfOursInSteadyState) {
  const Model model;
  const auto data = sentences(8);
  Replicas replicas(model.parameters, 2);
  const auto step = [&] {
    replicas.run([&](int worker, Tape& tape) {
      model.compute(tape, std::span(data).subspan(static_cast<std::size_t>(worker) * 4, 4), 0.1);
      return false;
    });
  };
  for (int i = 0; i < 3; ++i) step();
  const long before = allocations;
  for (int i = 0; i < 5; ++i) step();
  EXPECT_EQ(allocations - before, 0);
  // The counter itself works.
  ::operator delete(::operator new(1));
  EXPECT_EQ(allocations - before, 1);
}
#endif

TEST(Tape, ForwardOnlyRecordsNothingAndGivesTheSameLoss) {
  const Model model;
  const auto data = sentences(4);
  Gradients gradients(model.parameters);
  Tape tape(model.parameters, &gradients);
  tape.clear(Tape::Mode::record);
  const double recorded = model.compute(tape, data, 1);
  const std::size_t bytes = tape.arena().used();
  tape.clear(Tape::Mode::forward_only);
  const double plain = model.compute(tape, data, 1);
  EXPECT_NEAR(plain, recorded, 1e-4 * recorded);
  EXPECT_LT(tape.arena().used(), bytes * 2 / 3);
  tape.for_each_recorded([](Op op) { ADD_FAILURE() << kOpNames[static_cast<std::size_t>(op)]; });
  Tape without(model.parameters, nullptr);
  EXPECT_THROW(without.clear(Tape::Mode::record), InternalError);
}

// Rows that no sentence used have no gradient, and clearing touches only those that have.
TEST(Gradients, SparseRowsAreExactlyTheWordsUsed) {
  const Model model;
  const std::vector<std::vector<Id>> data = {{3, 5, 3, 9}};
  Gradients gradients(model.parameters);
  Tape tape(model.parameters, &gradients);
  tape.clear(Tape::Mode::record);
  model.compute(tape, data, 1);
  tape.backward();
  const Ids rows = gradients.touched(model.table)->rows();
  EXPECT_EQ(std::vector<Id>(rows.begin(), rows.end()), (std::vector<Id>{3, 5}));
  const Tensor table = gradients[model.table];
  for (Index row = 0; row < kVocabulary; ++row) {
    double size = 0;
    for (Index j = 0; j < kEmbedding; ++j) size += std::abs(static_cast<double>(table.row<float>(row)[j]));
    EXPECT_EQ(size > 0, row == 3 || row == 5) << row;
  }
  gradients.clear();
  EXPECT_EQ(gradients.sum_of_squares(), 0);
  for (const double x : numbers(gradients.flat())) ASSERT_EQ(x, 0);
}

// Every worker's share in so many pieces.
std::vector<double> replicated(const Model& model, const std::vector<std::vector<Id>>& data, int workers,
                               std::size_t pieces = 1) {
  Replicas replicas(model.parameters, workers);
  const std::size_t share = data.size() / static_cast<std::size_t>(workers), piece = share / pieces;
  for (int i = 0; i < 2; ++i) {  // the second run must not remember the first
    std::vector<std::size_t> done(static_cast<std::size_t>(workers), 0);
    replicas.run([&](int worker, Tape& tape) {
      const auto w = static_cast<std::size_t>(worker);
      model.compute(tape, std::span(data).subspan(w * share + done[w] * piece, piece), 0.1);
      return ++done[w] < pieces;
    });
  }
  return numbers(replicas.gradients().flat());
}

TEST(Replicas, SameWorkersSameBitsOtherWorkersSameNumbers) {
  const Model model;
  const auto data = sentences(12);
  const auto one = replicated(model, data, 1);
  for (const int workers : {2, 3, 4}) {
    const auto first = replicated(model, data, workers), second = replicated(model, data, workers);
    EXPECT_EQ(first, second) << workers;
    EXPECT_EQ(difference(first, one, {.absolute = 1e-6, .relative = 1e-5}), "") << workers;
    const auto by_sentence = replicated(model, data, workers, data.size() / static_cast<std::size_t>(workers));
    EXPECT_EQ(difference(by_sentence, one, {.absolute = 1e-6, .relative = 1e-5}), "") << workers;
  }
  const Model exact(DType::f64);
  EXPECT_EQ(difference(replicated(exact, data, 4), replicated(exact, data, 1), {.absolute = 1e-14}), "");
}

TEST(Replicas, AnErrorInAWorkerReachesTheCallerAndTheNextRunWorks) {
  const Model model;
  const auto data = sentences(4);
  Replicas replicas(model.parameters, 2);
  const auto run = [&](bool fail) {
    replicas.run([&](int worker, Tape& tape) {
      check(!fail || worker != 1, "worker {} stops", worker);
      model.compute(tape, std::span(data).subspan(static_cast<std::size_t>(worker) * 2, 2), 0.1);
      return false;
    });
  };
  EXPECT_THROW(run(true), ShapeError);
  run(false);
  EXPECT_EQ(numbers(replicas.gradients().flat()), replicated(model, data, 2));
}

TEST(Parameters, NamesAreUniqueAndShapesSane) {
  Parameters parameters;
  parameters.add("a", {2, 3});
  EXPECT_THROW(parameters.add("a", {2}), UsageError);
  EXPECT_THROW(parameters.add("b", {2, 3, 4}), ShapeError);
  EXPECT_THROW(parameters.add("b", {}), ShapeError);
  EXPECT_THROW(parameters.add("b", {0}), ShapeError);
  parameters.add("b", {5});
  parameters.allocate();
  EXPECT_EQ(parameters.count(), 11);
  EXPECT_EQ(parameters[parameters.find("b")].value.shape_string(), "[1,5]");
  EXPECT_FALSE(parameters.find("c"));
  EXPECT_THROW(parameters.add("c", {5}), InternalError);
}

TEST(Ops, ShapeErrorsNameTheOperationAndTheShapes) {
  const Model model;
  Gradients gradients(model.parameters);
  Tape tape(model.parameters, &gradients);
  tape.clear(Tape::Mode::record);
  const auto message = [](auto call) {
    try {
      call();
    } catch (const ShapeError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const Var a = tape.zeros(2, 3), b = tape.zeros(4, 5);
  EXPECT_EQ(message([&] { linear(tape, a, b); }), "linear: x is [2,3], expected [any,5]");
  EXPECT_EQ(message([&] { add(tape, a, b); }), "add: b is [4,5], expected [2,3]");
  EXPECT_EQ(message([&] { concat(tape, {a, b}); }), "concat: a part is [4,5], expected [2,any]");
  EXPECT_EQ(message([&] {
              embedding(tape, model.table, std::vector<Id>{1, 40});
            }),
            "embedding: id 40 at position 1 is not within 0 to 39");
  EXPECT_EQ(message([&] { gru_step(tape, a, a, a); }), "gru: gx is [2,3], expected [2,9]");
  EXPECT_EQ(message([&] {
              output_loss(tape, a, a, {}, std::vector<Id>{0, 2}, {});
            }),
            "output_loss: id 2 at position 1 is not within 0 to 1");
}

}  // namespace
}  // namespace heed::testing
