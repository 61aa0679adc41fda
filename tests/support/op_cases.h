// One table of operation cases for four purposes: the comparison of fast kernels with reference kernels, the gradient
// check in double, the speed table of `make bench`, and the check that every operation has a case.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "autograd/tape.h"
#include "kernels/attention.h"

namespace heed::testing {

// The sizes a case is built with.
struct Sizes {
  Index rows = 1;     // B: batch rows
  Index columns = 1;  // H: columns per gate, attention size, inner size of a product
  Index other = 1;    // a second width: output or value size
  Index length = 1;   // S: longest sentence
};

// The least that one case can cost, forward and backward; `make bench` compares its time with this.
struct Cost {
  double bytes = 0;
  double operations = 0;
};

// Builds the inputs of a case and collects its outputs. The numbers depend only on the case and the index of the input,
// so that a case can be built again in another type, on another instruction set, or with one number changed.
class CaseRun {
 public:
  CaseRun(autograd::Tape& on_tape, Sizes with_sizes, std::vector<std::vector<double>>& inputs,
          autograd::ParameterId with_table)
      : tape(on_tape), sizes(with_sizes), table(with_table), inputs_(inputs) {}

  autograd::Tape& tape;
  const Sizes sizes;
  const autograd::ParameterId table;  // the case's parameter, if it has one

  // The next input: [rows, columns] numbers in [-range, range], with a gradient.
  autograd::Var input(Index rows, Index columns, double range = 1);
  // `count` ids below `bound`; each occurs twice in a row.
  Ids ids(Index count, Index bound);
  // Lengths from `least` to sizes.length: the first is the longest, the last the shortest.
  Ids lengths(Index least = 1);
  // The row ranges of packed sentences with those lengths, and their total length.
  RowRanges row_ranges(Index least = 1);
  Index packed_rows(Index least = 1);

  // An output of the case. The objective is the sum of all outputs, each number times a random weight …
  void output(autograd::Var v) { outputs.push_back(v); }
  // … plus `weight` times these losses, whose gradients the operation itself computes.
  void loss(Tensor rows, double weight) { losses.push_back({rows, weight}); }

  std::vector<autograd::Var> outputs;
  std::vector<std::pair<Tensor, double>> losses;
  std::vector<autograd::Var> leaves;
  double preparing = 0;  // seconds spent creating inputs, which time() leaves out

 private:
  std::vector<std::vector<double>>& inputs_;
};

struct OpCase {
  std::string name;
  autograd::Op op;  // the operation under test; the case may record others too
  void (*build)(CaseRun&);
  std::vector<Sizes> sizes;
  Cost (*cost)(const Sizes&) = nullptr;  // if set, the case is timed at kBenchSizes
  Index table_rows = 0, table_columns = 0;
  bool table_sparse = true;
};

constexpr Sizes kBenchSizes{.rows = 64, .columns = 512, .other = 1024, .length = 15};

const std::vector<OpCase>& op_cases();

// A case with its memory; can run any number of times.
class CaseRunner {
 public:
  CaseRunner(const OpCase& op_case, Sizes sizes, DType type);

  // Runs forward, and backward if asked to; returns the objective.
  double run(bool backward);
  // The seconds that the operation's forward and backward take.
  double time();

  // After run(true): all outputs and all gradients (the table's last).
  std::vector<std::vector<double>> outputs() const;
  std::vector<std::vector<double>> gradients() const;
  // The inputs of the case (the table last); changes take effect in the next run.
  std::vector<std::vector<double>>& inputs() { return inputs_; }
  std::vector<autograd::Op> recorded() const { return recorded_; }

 private:
  void fill_table();

  const OpCase& case_;
  Sizes sizes_;
  autograd::Parameters parameters_;
  std::unique_ptr<autograd::Gradients> gradients_;
  std::unique_ptr<autograd::Tape> tape_;
  std::vector<std::vector<double>> inputs_;
  std::vector<autograd::Var> outputs_, leaves_;
  std::vector<autograd::Op> recorded_;
  autograd::ParameterId table_;
};

// The elements of a tensor as doubles, row after row.
std::vector<double> numbers(const Tensor& x);
// Fills a tensor with numbers in [-range, range]; `salt` distinguishes tensors.
void randomize(const Tensor& x, std::uint32_t salt, double range = 1);

}  // namespace heed::testing
