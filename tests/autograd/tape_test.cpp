// The tape, parameters and sparse gradients.
#include "autograd/tape.h"

#include <gtest/gtest.h>

#include "autograd/ops/cell.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/linear.h"
#include "autograd/ops/loss.h"
#include "support/language_model.h"
#include "support/op_cases.h"

namespace heed::testing {
namespace {

TEST(Tape, ForwardOnlyRecordsNothingAndHasTheSameLoss) {
  const LanguageModel model;
  const auto data = sentences(4);
  autograd::Gradients gradients(model.parameters);
  autograd::Tape tape(model.parameters, &gradients);
  tape.clear(autograd::Tape::Mode::record);
  const double recorded = model.compute(tape, data, 1);
  const std::size_t bytes = tape.arena().used();
  tape.clear(autograd::Tape::Mode::forward_only);
  const double forward_only = model.compute(tape, data, 1);
  EXPECT_NEAR(forward_only, recorded, 1e-4 * recorded);
  EXPECT_LT(tape.arena().used(), bytes * 2 / 3);
  tape.for_each_recorded([](autograd::Op op) { ADD_FAILURE() << autograd::kOpNames[static_cast<std::size_t>(op)]; });
  autograd::Tape without(model.parameters, nullptr);
  EXPECT_THROW(without.clear(autograd::Tape::Mode::record), InternalError);
}

TEST(Gradients, TouchedRowsAreExactlyTheWordsUsed) {
  const LanguageModel model;
  const std::vector<std::vector<Id>> data = {{3, 5, 3, 9}};
  autograd::Gradients gradients(model.parameters);
  autograd::Tape tape(model.parameters, &gradients);
  tape.clear(autograd::Tape::Mode::record);
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
  EXPECT_TRUE(gradients.touched(model.table)->rows().empty());
  EXPECT_EQ(gradients.sum_of_squares(), 0);
  for (const double x : numbers(gradients.flat())) ASSERT_EQ(x, 0);
}

TEST(Gradients, AddingInPartsAddsEveryNumberOnce) {
  const LanguageModel model;
  autograd::Gradients a(model.parameters), b(model.parameters);
  for (autograd::Gradients* gradients : {&a, &b}) {
    autograd::Tape tape(model.parameters, gradients);
    tape.clear(autograd::Tape::Mode::record);
    model.compute(tape, gradients == &a ? sentences(2) : sentences(5), 1);
    tape.backward();
  }
  std::vector<double> expected = numbers(a.flat());
  const std::vector<double> other = numbers(b.flat());
  for (std::size_t i = 0; i < expected.size(); ++i)
    expected[i] = static_cast<double>(static_cast<float>(expected[i]) + static_cast<float>(other[i]));
  constexpr int kParts = 7;
  for (int part = 0; part < kParts; ++part) a.add(b, part, kParts);
  a.finish_add(b);
  EXPECT_EQ(numbers(a.flat()), expected);
  for (const Id row : b.touched(model.table)->rows())
    EXPECT_NE(std::ranges::find(a.touched(model.table)->rows(), row), a.touched(model.table)->rows().end()) << row;
}

TEST(Parameters, RefusesDuplicateNamesAndBadShapes) {
  autograd::Parameters parameters;
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

TEST(Tape, TellsAListenerWhenAGradientIsComplete) {
  const LanguageModel model(DType::f32, 3);
  autograd::Gradients gradients(model.parameters);
  autograd::Tape tape(model.parameters, &gradients);
  struct Listener final : autograd::GradientListener {
    explicit Listener(autograd::Gradients& g) : gradients(g) {}
    void on_complete(autograd::ParameterId id) override {
      ids.push_back(id.index);
      values.push_back(numbers(gradients[id]));
    }
    autograd::Gradients& gradients;
    std::vector<int> ids;
    std::vector<std::vector<double>> values;
  } listener(gradients);
  tape.set_listener(listener);
  for (int i = 0; i < 2; ++i) {
    listener.ids.clear(), listener.values.clear();
    gradients.clear();
    tape.clear(autograd::Tape::Mode::record);
    model.compute(tape, sentences(3), 0.1);
    EXPECT_TRUE(listener.ids.empty());
    tape.backward();
    std::vector<int> sorted = listener.ids;
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted,
              (std::vector{model.table.index, model.w_ih.index, model.w_hh.index, model.bias.index, model.out.index}));
    EXPECT_EQ(listener.ids.front(), model.out.index) << "the output layer comes first";
    for (std::size_t k = 0; k < listener.ids.size(); ++k)
      EXPECT_EQ(listener.values[k], numbers(gradients[{listener.ids[k]}])) << "changed later: " << listener.ids[k];
  }
}

TEST(Ops, ShapeErrorsNameTheOperationAndTheShapes) {
  const LanguageModel model;
  autograd::Gradients gradients(model.parameters);
  autograd::Tape tape(model.parameters, &gradients);
  tape.clear(autograd::Tape::Mode::record);
  const auto message = [](auto call) {
    try {
      call();
    } catch (const ShapeError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const autograd::Var a = tape.zeros(2, 3), b = tape.zeros(4, 5);
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
