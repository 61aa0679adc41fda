// The op cases as tests: fast kernels against reference kernels on every instruction set, gradients in double,
// coverage.
#include <gtest/gtest.h>

#include <set>

#include "kernels/cpu.h"
#include "support/compare.h"
#include "support/op_cases.h"

namespace heed::testing {
namespace {

std::vector<std::pair<const OpCase*, Sizes>> all_cases() {
  std::vector<std::pair<const OpCase*, Sizes>> result;
  for (const OpCase& op_case : op_cases())
    for (const Sizes& sizes : op_case.sizes) result.emplace_back(&op_case, sizes);
  return result;
}

std::string describe(const OpCase& op_case, const Sizes& s) {
  return fmt::format("{} ({} rows, {} columns, {} other, length {})", op_case.name, s.rows, s.columns, s.other,
                     s.length);
}

TEST(OpCases, FastKernelsAgreeWithReferenceKernels) {
  for (const std::string& set : kernels::instruction_sets()) {
    kernels::use_instruction_set(set);
    for (const auto& [op_case, sizes] : all_cases()) {
      SCOPED_TRACE(set + ": " + describe(*op_case, sizes));
      CaseRunner fast(*op_case, sizes, DType::f32), reference(*op_case, sizes, DType::f64);
      fast.run(true);
      reference.run(true);
      expect_close(fast.outputs(), reference.outputs(), {.absolute = 2e-6, .relative = 1e-5});
      expect_close(fast.gradients(), reference.gradients(), {.absolute = 5e-6, .relative = 3e-5});
    }
  }
  kernels::use_instruction_set(kernels::instruction_sets().front());
}

// Gradients against finite differences of the objective, which weights each output with its own random number.
TEST(OpCases, GradientsAreDerivatives) {
  constexpr double kStep = 1e-5;
  for (const auto& [op_case, sizes] : all_cases()) {
    SCOPED_TRACE(describe(*op_case, sizes));
    CaseRunner runner(*op_case, sizes, DType::f64);
    runner.run(true);
    const auto gradients = runner.gradients();
    ASSERT_EQ(gradients.size(), runner.inputs().size());
    ASSERT_FALSE(gradients.empty());
    std::vector<std::vector<double>> derivatives = gradients;
    for (std::size_t k = 0; k < gradients.size(); ++k) {
      for (std::size_t i = 0; i < gradients[k].size(); ++i) {
        double& x = runner.inputs()[k][i];
        const double before = x;
        x = before + kStep;
        const double above = runner.run(false);
        x = before - kStep;
        const double below = runner.run(false);
        x = before;
        derivatives[k][i] = (above - below) / (2 * kStep);
      }
    }
    expect_close(gradients, derivatives, {.absolute = 2e-8, .relative = 1e-7});
  }
}

TEST(OpCases, RunningTwiceGivesTheSameBits) {
  for (const auto& [op_case, sizes] : all_cases()) {
    SCOPED_TRACE(describe(*op_case, sizes));
    CaseRunner runner(*op_case, sizes, DType::f32);
    const double first = runner.run(true);
    const auto gradients = runner.gradients();
    EXPECT_EQ(runner.run(true), first);
    EXPECT_EQ(runner.gradients(), gradients);
  }
}

TEST(OpCases, EveryOperationHasACaseThatRecordsIt) {
  std::set<autograd::Op> covered;
  for (const OpCase& op_case : op_cases()) {
    CaseRunner runner(op_case, op_case.sizes.at(1), DType::f64);
    runner.run(false);
    const std::vector<autograd::Op> recorded = runner.recorded();
    EXPECT_NE(std::ranges::find(recorded, op_case.op), recorded.end()) << op_case.name << " does not record its op";
    covered.insert(op_case.op);
  }
  for (std::size_t i = 0; i < autograd::kOpNames.size(); ++i)
    EXPECT_TRUE(covered.contains(static_cast<autograd::Op>(i)))
        << autograd::kOpNames[i] << " has no case in tests/support/op_cases.cpp";
}

}  // namespace
}  // namespace heed::testing
