// One table of operation cases. Four readers use it: the comparison of fast kernels with plain ones, the gradient check
// in double, the speed table of `make bench`, and the check that every operation has a case.
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
  Index columns = 1;  // H: columns a gate, attention size, inner size of a multiply
  Index other = 1;    // a second width: output or value size
  Index length = 1;   // S: longest sentence
};

// What one case costs at least, forward and backward: for its share of the machine's limit.
struct Cost {
  double bytes = 0;
  double operations = 0;
};

// What a case is built from. Inputs are numbers that depend on the case and the input's position alone, so that a case
// can be built again in another type, on another instruction set, or with one number moved.
class CaseRun {
 public:
  CaseRun(autograd::Tape& on_tape, Sizes with_sizes, std::vector<std::vector<double>>& inputs,
          autograd::ParameterId with_table)
      : tape(on_tape), sizes(with_sizes), table(with_table), inputs_(inputs) {}

  autograd::Tape& tape;
  const Sizes sizes;
  const autograd::ParameterId table;  // the case's parameter, where it asked for one

  // The next input: [rows, columns] numbers in [-range, range], with a gradient.
  autograd::Var input(Index rows, Index columns, double range = 1);
  // `count` ids below `bound`, several of them equal where there is room.
  Ids ids(Index count, Index bound);
  // Lengths from `least` to sizes.length: the first is the longest, the last the shortest.
  Ids lengths(Index least = 1);
  // Packed sentences of those lengths, one after the other, for the rows of the batch.
  RowRanges row_ranges(Index least = 1);
  Index packed_rows(Index least = 1);

  // What the case computes: the objective is the sum of these, each number times a random weight …
  void output(autograd::Var v) { outputs.push_back(v); }
  // … and of losses that already went backwards with this weight.
  void loss(Tensor rows, double weight) { losses.push_back({rows, weight}); }

  std::vector<autograd::Var> outputs;
  std::vector<std::pair<Tensor, double>> losses;
  std::vector<autograd::Var> leaves;
  double preparing = 0;  // seconds spent making inputs, which are no part of the operation

 private:
  std::vector<std::vector<double>>& inputs_;
};

struct OpCase {
  std::string name;
  autograd::Op op;  // what it is there for; it may record others too
  void (*build)(CaseRun&);
  std::vector<Sizes> sizes;
  Cost (*cost)(const Sizes&) = nullptr;  // where there is one, the case is timed at kBenchSizes
  Index table_rows = 0, table_columns = 0;
  bool table_sparse = true;
};

constexpr Sizes kBenchSizes{.rows = 64, .columns = 512, .other = 1024, .length = 15};

const std::vector<OpCase>& op_cases();

// A case with its memory, ready to run as often as wanted.
class CaseRunner {
 public:
  CaseRunner(const OpCase& op_case, Sizes sizes, DType type);

  // Forward, and backward where wanted; returns the objective.
  double run(bool backward);
  // The seconds that the operation's forward and backward take.
  double time();

  // After run(true): every output, and every gradient (the table's last), as doubles.
  std::vector<std::vector<double>> outputs() const;
  std::vector<std::vector<double>> gradients() const;
  // The numbers the case is built from; changing one changes the next run. The table's are the last.
  std::vector<std::vector<double>>& inputs() { return inputs_; }
  std::vector<autograd::Op> recorded() const { return recorded_; }
  std::size_t arena_bytes() { return tape_->arena().used(); }

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

// Any tensor as doubles, row after row.
std::vector<double> numbers(const Tensor& x);
// Fills a tensor with numbers in [-range, range]; `salt` tells tensors apart.
void randomize(const Tensor& x, std::uint32_t salt, double range = 1);

}  // namespace heed::testing
