#include "support/op_cases.h"

#include <algorithm>
#include <chrono>

#include "autograd/ops/attention.h"
#include "autograd/ops/cell.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/layer_norm.h"
#include "autograd/ops/linear.h"
#include "autograd/ops/loss.h"
#include "kernels/elementwise.h"

namespace heed::testing {

using autograd::AttentionOutput;
using autograd::Op;
using autograd::Var;

namespace {

// Numbers in [-range, range] that are exact in float, so that f32 and f64 runs have the same inputs.
double number(std::uint32_t salt, std::uint64_t position, double range) {
  return static_cast<double>(static_cast<float>(range)) *
         (2.0 * static_cast<double>(Random(7, Stream::test, salt).uniform(position)) - 1.0);
}

void put(const Tensor& x, Index row, Index column, double value) {
  if (x.type() == DType::f32)
    x.row<float>(row)[column] = static_cast<float>(value);
  else
    x.row<double>(row)[column] = value;
}

void fill_from(const Tensor& x, const std::vector<double>& values) {
  for (Index i = 0; i < x.elements(); ++i)
    put(x, i / x.columns(), i % x.columns(), values[static_cast<std::size_t>(i)]);
}

// Odd sizes, ones, and sizes around the widths of vectors.
const std::vector<Sizes> kSizes = {
    {1, 1, 1, 1}, {3, 5, 7, 4}, {2, 17, 33, 6}, {5, 16, 8, 3}, {4, 31, 15, 5},
};

const std::vector<std::uint32_t> kKeys = [] {
  std::vector<std::uint32_t> keys(4096);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i % 3 == 2 ? i - 1 : i);
  return keys;
}();

Cost elementwise_cost(const Sizes& s, double reads_and_writes, double operations) {
  const double elements = static_cast<double>(s.rows * s.columns);
  return {4 * elements * reads_and_writes, elements * operations};
}

// Vector instructions per number.
constexpr double kTanh = 28, kSigmoid = 22;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Var twice(autograd::Tape& tape, Var x) {
  return mul(tape, x, x);
}

}  // namespace

std::vector<double> numbers(const Tensor& x) {
  std::vector<double> result;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.columns(); ++j) result.push_back(x.number(i, j));
  return result;
}

void randomize(const Tensor& x, std::uint32_t salt, double range) {
  for (Index i = 0; i < x.elements(); ++i)
    put(x, i / x.columns(), i % x.columns(), number(salt, static_cast<std::uint64_t>(i), range));
}

Var CaseRun::input(Index rows, Index columns, double range) {
  const auto start = Clock::now();
  const std::size_t position = leaves.size();
  if (position == inputs_.size()) {
    inputs_.emplace_back();
    for (Index i = 0; i < rows * columns; ++i)
      inputs_.back().push_back(number(static_cast<std::uint32_t>(position), static_cast<std::uint64_t>(i), range));
  }
  const Var leaf = tape.variable(rows, columns);
  fill_from(leaf.value, inputs_[position]);
  leaves.push_back(leaf);
  preparing += seconds_since(start);
  return leaf;
}

Ids CaseRun::ids(Index count, Index bound) {
  const auto array = tape.arena().array<Id>(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < array.size(); ++i)
    array[i] = static_cast<Id>(Random(11, Stream::test).below(i / 2, static_cast<std::uint32_t>(bound)));
  return array;
}

Ids CaseRun::lengths(Index least) {
  const auto array = tape.arena().array<Id>(static_cast<std::size_t>(sizes.rows));
  const Index spread = sizes.length - least;
  for (Index b = 0; b < sizes.rows; ++b)
    array[static_cast<std::size_t>(b)] =
        static_cast<Id>(sizes.length - (sizes.rows == 1 ? 0 : spread * b / (sizes.rows - 1)));
  return array;
}

RowRanges CaseRun::row_ranges(Index least) {
  const Ids length = lengths(least);
  const auto begin = tape.arena().array<Id>(length.size());
  Id row = 0;
  for (std::size_t b = 0; b < length.size(); ++b) {
    begin[b] = row;
    row += length[b];
  }
  return {begin, length};
}

Index CaseRun::packed_rows(Index least) {
  Index total = 0;
  for (const Id length : lengths(least)) total += length;
  return total;
}

CaseRunner::CaseRunner(const OpCase& op_case, Sizes sizes, DType type)
    : case_(op_case), sizes_(sizes), parameters_(type) {
  if (case_.table_rows > 0)
    table_ = parameters_.add("table", {case_.table_rows, case_.table_columns}, {}, case_.table_sparse);
  parameters_.allocate();
  gradients_ = std::make_unique<autograd::Gradients>(parameters_);
  tape_ = std::make_unique<autograd::Tape>(parameters_, gradients_.get());
}

void CaseRunner::fill_table() {
  if (!table_) return;
  const Tensor& table = parameters_[table_].value;
  if (inputs_.empty() || static_cast<Index>(inputs_.back().size()) != table.elements() || outputs_.empty()) {
    randomize(table, 99);
    return;
  }
  fill_from(table, inputs_.back());
}

double CaseRunner::run(bool backward) {
  const bool first = outputs_.empty();
  fill_table();
  gradients_->clear();
  tape_->clear(autograd::Tape::Mode::record);
  CaseRun run(*tape_, sizes_, inputs_, table_);
  case_.build(run);
  if (first && table_) inputs_.push_back(numbers(parameters_[table_].value));
  outputs_ = run.outputs;
  leaves_ = run.leaves;
  recorded_.clear();
  tape_->for_each_recorded([&](Op op) { recorded_.push_back(op); });
  double objective = 0;
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    const std::vector<double> values = numbers(outputs_[k].value);
    const auto salt = static_cast<std::uint32_t>(1000 + k);
    for (std::size_t i = 0; i < values.size(); ++i) objective += number(salt, i, 1) * values[i];
    // Added, because a loss may have set a gradient already.
    const Tensor seed = tape_->arena().tensor(tape_->type(), outputs_[k].rows(), outputs_[k].columns());
    randomize(seed, salt);
    kernels::add_to(outputs_[k].grad, seed);
  }
  for (const auto& [losses, weight] : run.losses) {
    for (const double loss : numbers(losses)) objective += weight * loss;
    outputs_.push_back({losses, {}});
  }
  if (backward) tape_->backward();
  return objective;
}

double CaseRunner::time() {
  fill_table();
  gradients_->clear();
  tape_->clear(autograd::Tape::Mode::record);
  CaseRun run(*tape_, sizes_, inputs_, table_);
  const auto start = Clock::now();
  case_.build(run);
  tape_->backward();
  return seconds_since(start) - run.preparing;
}

std::vector<std::vector<double>> CaseRunner::outputs() const {
  std::vector<std::vector<double>> result;
  for (const Var& v : outputs_) result.push_back(numbers(v.value));
  return result;
}

std::vector<std::vector<double>> CaseRunner::gradients() const {
  std::vector<std::vector<double>> result;
  for (const Var& v : leaves_) result.push_back(numbers(v.grad));
  if (table_) result.push_back(numbers((*gradients_)[table_]));
  return result;
}

const std::vector<OpCase>& op_cases() {
  static const std::vector<OpCase> cases = {
      {"linear", Op::linear,
       [](CaseRun& c) {
         const Var x = c.input(c.sizes.rows, c.sizes.columns), w = c.input(c.sizes.other, c.sizes.columns);
         c.output(linear(c.tape, x, w, c.input(1, c.sizes.other)));
         c.output(linear(c.tape, x, w));
       },
       kSizes},
      {"linear, its input as its weight", Op::linear,
       [](CaseRun& c) {
         const Var x = c.input(c.sizes.rows, c.sizes.columns);
         c.output(linear(c.tape, x, x));
       },
       kSizes},
      {"linear over column slices", Op::linear,
       [](CaseRun& c) {
         const Var x = c.input(c.sizes.rows, c.sizes.columns + 3), w = c.input(c.sizes.other, c.sizes.columns + 5);
         c.output(linear(c.tape, x.slice_columns(2, c.sizes.columns), w.slice_columns(5, c.sizes.columns)));
       },
       kSizes},
      {"step linear", Op::step_linear,
       [](CaseRun& c) {
         const Var w = c.input(c.sizes.columns, c.sizes.columns, 0.5);
         const Var out = broadcast(c.tape, c.input(1, c.sizes.columns), 3 * c.sizes.rows);
         autograd::StepLinear layer(c.tape, w, out);
         Var h = c.input(c.sizes.rows, c.sizes.columns);
         for (Index t = 0; t < 3; ++t) h = tanh(c.tape, layer.step(t * c.sizes.rows, h));
         c.output(h);
       },
       kSizes},
      {"step linear, enough rows to pack a slice of a weight", Op::step_linear,
       [](CaseRun& c) {
         const Var w = c.input(c.sizes.other + 1, c.sizes.columns + 5, 0.5).slice_columns(3, c.sizes.columns);
         const Var out = broadcast(c.tape, c.input(1, c.sizes.other + 1), 70);
         autograd::StepLinear layer(c.tape, w, out);
         const Var x = c.input(40, c.sizes.columns);
         c.output(tanh(c.tape, layer.step(0, x)));
         c.output(tanh(c.tape, layer.step(40, x.slice_rows(0, 30))));
       },
       kSizes},
      {"step linear, shrinking rows", Op::step_linear,
       [](CaseRun& c) {
         const Index rows = c.sizes.rows, fewer = (rows + 1) / 2;
         const Var out = linear(c.tape, c.input(rows + fewer, c.sizes.other), c.input(c.sizes.columns, c.sizes.other));
         autograd::StepLinear layer(c.tape, c.input(c.sizes.columns, c.sizes.columns), out);
         const Var h = tanh(c.tape, layer.step(0, c.input(rows, c.sizes.columns)));
         c.output(tanh(c.tape, layer.step(rows, h.slice_rows(0, fewer))));
         c.output(h);
       },
       kSizes},
      {"matmul", Op::matmul,
       [](CaseRun& c) {
         c.output(matmul(c.tape, c.input(c.sizes.rows, c.sizes.columns), c.input(c.sizes.columns, c.sizes.other)));
       },
       kSizes},
      {"embedding, repeated ids", Op::embedding,
       [](CaseRun& c) { c.output(embedding(c.tape, c.table, c.ids(2 * c.sizes.rows, 6))); }, kSizes, nullptr, 6, 9},
      {"embedding, tied to a linear layer", Op::embedding,
       [](CaseRun& c) {
         const Var x = embedding(c.tape, c.table, c.ids(2 * c.sizes.rows, 6));
         c.output(linear(c.tape, tanh(c.tape, x), c.tape.parameter(c.table)));
       },
       kSizes, nullptr, 6, 9, false},
      {"gather rows", Op::gather_rows,
       [](CaseRun& c) {
         c.output(gather_rows(c.tape, c.input(c.sizes.length, c.sizes.columns), c.ids(c.sizes.rows, c.sizes.length)));
       },
       kSizes, [](const Sizes& s) { return elementwise_cost(s, 5, 1); }},
      {"add", Op::add,
       [](CaseRun& c) {
         const Var a = c.input(c.sizes.rows, c.sizes.columns);
         const Var b = add(c.tape, a, c.input(c.sizes.rows, c.sizes.columns));
         c.output(add(c.tape, b, b));
       },
       kSizes},
      {"mul", Op::mul,
       [](CaseRun& c) {
         c.output(mul(c.tape, c.input(c.sizes.rows, c.sizes.columns), c.input(c.sizes.rows, c.sizes.columns)));
       },
       kSizes},
      {"mul, an input used twice", Op::mul,
       [](CaseRun& c) { c.output(twice(c.tape, c.input(c.sizes.rows, c.sizes.columns))); }, kSizes},
      {"concat and slices", Op::write,
       [](CaseRun& c) {
         const Var a = c.input(c.sizes.rows, c.sizes.columns), b = c.input(c.sizes.rows, c.sizes.other);
         const Var ab = concat(c.tape, {a, b, a});
         c.output(twice(c.tape, ab.slice_columns(c.sizes.columns, c.sizes.other)));
         c.output(twice(c.tape, ab.slice_rows(c.sizes.rows - 1, 1)));
         c.output(ab);
       },
       kSizes},
      {"broadcast", Op::broadcast,
       [](CaseRun& c) { c.output(broadcast(c.tape, c.input(1, c.sizes.columns), c.sizes.rows)); }, kSizes},
      {"tanh", Op::tanh, [](CaseRun& c) { c.output(tanh(c.tape, c.input(c.sizes.rows, c.sizes.columns, 3))); }, kSizes,
       [](const Sizes& s) { return elementwise_cost(s, 6, kTanh + 3); }},
      {"sigmoid", Op::sigmoid, [](CaseRun& c) { c.output(sigmoid(c.tape, c.input(c.sizes.rows, c.sizes.columns, 6))); },
       kSizes, [](const Sizes& s) { return elementwise_cost(s, 6, kSigmoid + 3); }},
      {"relu", Op::relu, [](CaseRun& c) { c.output(relu(c.tape, c.input(c.sizes.rows, c.sizes.columns))); }, kSizes},
      {"dropout", Op::dropout,
       [](CaseRun& c) {
         const autograd::Dropout half{.rate = 0.3, .random = Random(5, Stream::dropout)};
         c.output(dropout(c.tape, c.input(c.sizes.rows, c.sizes.columns), half,
                          kernels::RowKeys(kKeys).first(static_cast<std::size_t>(c.sizes.rows))));
       },
       kSizes, [](const Sizes& s) { return elementwise_cost(s, 6, 20); }},
      {"masked softmax", Op::softmax,
       [](CaseRun& c) { c.output(masked_softmax(c.tape, c.input(c.sizes.rows, c.sizes.length, 4), c.lengths())); },
       kSizes},
      {"masked softmax, a fully masked row", Op::softmax,
       [](CaseRun& c) { c.output(masked_softmax(c.tape, c.input(c.sizes.rows, c.sizes.length, 4), c.lengths(0))); },
       kSizes},
      {"gru step", Op::gru,
       [](CaseRun& c) {
         const Index b = c.sizes.rows, h = c.sizes.columns;
         c.output(gru_step(c.tape, c.input(b, 3 * h, 2), c.input(b, 3 * h, 2), c.input(b, h)));
       },
       kSizes, [](const Sizes& s) { return elementwise_cost(s, 30, 2 * kSigmoid + kTanh + 30); }},
      {"gru step, its state as both inputs", Op::gru,
       [](CaseRun& c) {
         const Var h = c.input(c.sizes.rows, c.sizes.columns), g = concat(c.tape, {h, h, h});
         c.output(gru_step(c.tape, g, g, h));
       },
       kSizes},
      {"lstm step", Op::lstm,
       [](CaseRun& c) {
         const Index b = c.sizes.rows, h = c.sizes.columns;
         const autograd::LstmState next = lstm_step(c.tape, c.input(b, 4 * h, 2), c.input(b, 4 * h, 2), c.input(b, h));
         c.output(next.h);
         c.output(next.c);
       },
       kSizes, [](const Sizes& s) { return elementwise_cost(s, 40, 3 * kSigmoid + 3 * kTanh + 40); }},
      {"lstm step, its cell state unused", Op::lstm,
       [](CaseRun& c) {
         const Index b = c.sizes.rows, h = c.sizes.columns;
         c.output(lstm_step(c.tape, c.input(b, 4 * h, 2), c.input(b, 4 * h, 2), c.input(b, h)).h);
       },
       kSizes},
      {"rnn step", Op::rnn,
       [](CaseRun& c) {
         const Index b = c.sizes.rows, h = c.sizes.columns;
         c.output(rnn_step(c.tape, c.input(b, h, 2), c.input(b, h, 2)));
       },
       kSizes, [](const Sizes& s) { return elementwise_cost(s, 10, kTanh + 6); }},
      {"additive attention", Op::additive_attention,
       [](CaseRun& c) {
         const Index n = c.packed_rows();
         const AttentionOutput a = additive_attention(
             c.tape, c.input(n, c.sizes.columns), c.input(n, c.sizes.other), c.input(c.sizes.rows, c.sizes.columns),
             c.input(1, c.sizes.columns), c.input(1, 1), c.row_ranges(), c.sizes.length);
         c.output(a.context);
         c.output(a.weights);
       },
       kSizes,
       [](const Sizes& s) {
         const double positions = static_cast<double>(s.rows * (s.length + 1)) / 2;
         const double a = static_cast<double>(s.columns), d = static_cast<double>(s.other);
         return Cost{4 * positions * (4 * a + 4 * d), positions * (a * (2 * kTanh + 14) + 6 * d)};
       }},
      {"additive attention, keys as values, an empty sentence, no bias", Op::additive_attention,
       [](CaseRun& c) {
         const Var keys = c.input(c.packed_rows(0), c.sizes.columns);
         const AttentionOutput a = additive_attention(c.tape, keys, keys, c.input(c.sizes.rows, c.sizes.columns),
                                                      c.input(1, c.sizes.columns), {}, c.row_ranges(0), c.sizes.length);
         c.output(a.context);
       },
       kSizes},
      {"dot attention", Op::dot_attention,
       [](CaseRun& c) {
         const Index n = c.packed_rows();
         const AttentionOutput a =
             dot_attention(c.tape, c.input(n, c.sizes.columns), c.input(n, c.sizes.other),
                           c.input(c.sizes.rows, c.sizes.columns), 0.7, c.row_ranges(), c.sizes.length);
         c.output(a.context);
         c.output(a.weights);
       },
       kSizes,
       [](const Sizes& s) {
         const double positions = static_cast<double>(s.rows * (s.length + 1)) / 2;
         const double a = static_cast<double>(s.columns), d = static_cast<double>(s.other);
         return Cost{4 * positions * (4 * a + 4 * d), positions * (6 * a + 6 * d)};
       }},
      {"dot attention, several rows over one sentence", Op::dot_attention,
       [](CaseRun& c) {
         const Index n = c.sizes.length;
         const auto begin = c.tape.arena().array<Id>(static_cast<std::size_t>(c.sizes.rows));
         const auto length = c.tape.arena().array<Id>(static_cast<std::size_t>(c.sizes.rows));
         std::ranges::fill(begin, 0);
         std::ranges::fill(length, static_cast<Id>(n));
         const Var keys = c.input(n, c.sizes.columns);
         c.output(
             dot_attention(c.tape, keys, keys, c.input(c.sizes.rows, c.sizes.columns), 1, {begin, length}, n).context);
       },
       kSizes},
      {"linear attention", Op::linear_attention,
       [](CaseRun& c) {
         const Index n = c.packed_rows();
         const AttentionOutput a = linear_attention(c.tape, c.input(n, 1), c.input(n, c.sizes.other),
                                                    c.input(c.sizes.rows, 1), c.row_ranges(), c.sizes.length);
         c.output(a.context);
         c.output(a.weights);
       },
       kSizes},
      {"location attention", Op::location_attention,
       [](CaseRun& c) {
         const AttentionOutput a = location_attention(c.tape, c.input(c.packed_rows(), c.sizes.other),
                                                      c.input(c.sizes.rows, c.sizes.length + 2, 2), c.row_ranges());
         c.output(a.context);
         c.output(a.weights);
       },
       kSizes},
      {"guided attention", Op::guide_attention,
       [](CaseRun& c) {
         const Var keys = c.input(c.packed_rows(), c.sizes.columns), query = c.input(c.sizes.rows, c.sizes.columns);
         const AttentionOutput a = dot_attention(c.tape, keys, keys, query, 0.5, c.row_ranges(), c.sizes.length);
         // The first row has no guides; the others have their last word and, except for the second, their first word.
         const Ids lengths = c.lengths();
         const auto guides = c.tape.arena().array<Guide>(2 * static_cast<std::size_t>(c.sizes.rows));
         std::size_t count = 0;
         for (Id b = c.sizes.rows > 1 ? 1 : 0; b < c.sizes.rows; ++b) {
           const Id last = lengths[static_cast<std::size_t>(b)] - 1;
           guides[count++] = {b, last, 0.75f};
           if (b != 1) guides[count++] = {b, 0, 0.25f};
         }
         c.loss(guide_attention(c.tape, a.weights, guides.first(count), 0.5), 0.5);
         c.output(a.context);
       },
       kSizes},
      {"layer norm", Op::layer_norm,
       [](CaseRun& c) {
         c.output(layer_norm(c.tape, c.input(c.sizes.rows, c.sizes.columns), c.input(1, c.sizes.columns),
                             c.input(1, c.sizes.columns)));
       },
       kSizes, [](const Sizes& s) { return elementwise_cost(s, 10, 24); }},
      {"output loss", Op::output_loss,
       [](CaseRun& c) {
         const Var x = c.input(c.sizes.rows, c.sizes.columns), w = c.input(c.sizes.other, c.sizes.columns);
         c.loss(output_loss(c.tape, x, w, c.input(1, c.sizes.other), c.ids(c.sizes.rows, c.sizes.other), {}), 1);
       },
       kSizes},
      {"output loss, smoothed, weighted, in chunks", Op::output_loss,
       [](CaseRun& c) {
         const Var x = tanh(c.tape, c.input(c.sizes.rows, c.sizes.columns));
         const autograd::LossOptions options{.smoothing = 0.1, .weight = 0.25, .chunk_rows = 2};
         c.loss(output_loss(c.tape, x, c.input(c.sizes.other, c.sizes.columns, 3), {},
                            c.ids(c.sizes.rows, c.sizes.other), options),
                0.25);
         c.output(x);
       },
       kSizes},
      {"output loss, every other pair of rows known", Op::output_loss,
       [](CaseRun& c) {
         const Var x = c.input(c.sizes.rows, c.sizes.columns), w = c.input(c.sizes.other, c.sizes.columns),
                   b = c.input(1, c.sizes.other);
         std::vector<std::uint8_t> known(static_cast<std::size_t>(c.sizes.rows));
         const autograd::KnownLogits logits{c.tape.arena().tensor(c.tape.type(), c.sizes.rows, c.sizes.other), known};
         for (Index row = 0; row < c.sizes.rows; row += 4)
           predict(c.tape, x.value.slice_rows(row, std::min<Index>(2, c.sizes.rows - row)), w, b, logits, row);
         c.loss(output_loss(c.tape, x, w, b, c.ids(c.sizes.rows, c.sizes.other), {.chunk_rows = 3, .known = logits}),
                1);
       },
       kSizes},
  };
  return cases;
}

}  // namespace heed::testing
