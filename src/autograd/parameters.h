// A model's parameters, and gradients of the same layout. Both are one block of memory with named views into it, so
// that optimizers, reductions and checkpoints can also see them as one long row; parameters that are only read may lie
// elsewhere (in a mapped file). They are constant while anything is computed with them; every worker has gradients of
// its own.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tensor/arena.h"
#include "tensor/ids.h"

namespace heed::autograd {

struct ParameterId {
  int index = -1;
  explicit operator bool() const { return index >= 0; }
};

// How a parameter starts, as PyTorch's modules have it: normal, or uniform within 1 / sqrt(fan_in).
struct Init {
  Index fan_in = 0;  // 0: the columns of the parameter
  bool normal = false;
};

struct Parameter {
  std::string name;
  std::vector<Index> shape;  // one or two sizes, as PyTorch has them
  Init init = {};
  bool sparse = false;  // only ever read by row (embeddings): its gradient touches few rows
  Tensor value;         // [1,n] for a shape of one size

  Index rows() const { return shape.size() == 1 ? 1 : shape[0]; }
  Index columns() const { return shape.back(); }
};

class Parameters {
 public:
  explicit Parameters(DType type = DType::f32) : type_(type) {}
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  // Declares a parameter; UsageError if the name is taken, InternalError after allocate() or borrow().
  ParameterId add(std::string name, std::vector<Index> shape, Init init = {}, bool sparse = false);
  // Gets the memory for all that was declared, cleared.
  void allocate();
  // Uses values that lie elsewhere and are read-only; `owner` keeps them alive.
  void borrow(std::span<const Tensor> values, std::shared_ptr<const void> owner);

  DType type() const { return type_; }
  std::size_t size() const { return parameters_.size(); }
  const Parameter& operator[](ParameterId id) const { return parameters_[static_cast<std::size_t>(id.index)]; }
  const Parameter& operator[](std::size_t i) const { return parameters_[i]; }
  // An absent id if there is no such name.
  ParameterId find(std::string_view name) const;

  // All numbers as one row (gaps for alignment included, always zero). Not of values that are borrowed.
  Tensor flat() const;
  // How many numbers the parameters hold.
  Index count() const;
  // Where in flat() a parameter begins.
  Index offset(ParameterId id) const;

 private:
  DType type_;
  std::vector<Parameter> parameters_;
  Arena memory_;
  Tensor flat_;
  std::shared_ptr<const void> owner_;  // of borrowed values
};

// The rows of an embedding that got a gradient, each once, in the order they were first met.
class TouchedRows {
 public:
  explicit TouchedRows(Index rows) : seen_(static_cast<std::size_t>(rows), 0) { rows_.reserve(seen_.size()); }
  void add(Ids ids);
  void clear();
  Ids rows() const { return rows_; }

 private:
  std::vector<std::uint8_t> seen_;
  std::vector<Id> rows_;  // reserved for all rows: adding never allocates
};

class Gradients {
 public:
  explicit Gradients(const Parameters& parameters);
  Gradients(const Gradients&) = delete;
  Gradients& operator=(const Gradients&) = delete;

  Tensor operator[](ParameterId id) const { return views_[static_cast<std::size_t>(id.index)]; }
  std::size_t size() const { return views_.size(); }
  Tensor flat() const { return flat_; }
  // Absent for dense parameters.
  TouchedRows* touched(ParameterId id);
  // Sets everything to zero; of sparse parameters only the rows that were touched.
  void clear();
  // Adds another worker's gradients: part `part` of `parts` of the work, so that threads can share it. Every number is
  // touched by one part only, and finish_add() must follow once all parts are done.
  void add(const Gradients& other, int part, int parts);
  void finish_add(const Gradients& other);
  // The sum of the squares of all numbers, in a fixed order.
  double sum_of_squares() const;

 private:
  const Parameters& parameters_;
  Arena memory_;
  Tensor flat_;
  std::vector<Tensor> views_;
  std::vector<TouchedRows> touched_;
  std::vector<int> touched_index_;  // into touched_, -1 for dense parameters
};

}  // namespace heed::autograd
