// A model's parameters, and gradients with the same layout. Both are one block of memory with named views into it, so
// that optimizers, reductions and checkpoints can treat them as one long row. Read-only parameters may lie elsewhere
// (in a mapped file). Parameters must not change while anything is computed with them; every worker has its own
// gradients.
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

// Initialization as in PyTorch's modules: normal, or uniform within 1 / sqrt(fan_in).
struct Init {
  Index fan_in = 0;  // 0: the columns of the parameter
  bool normal = false;
};

struct Parameter {
  std::string name;
  std::vector<Index> shape;  // one or two dimensions, as in PyTorch
  Init init = {};
  bool sparse = false;  // only read by row (embeddings), so its gradient touches few rows
  Tensor value;         // [1,n] for a shape of one dimension

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
  // Allocates all declared parameters and sets them to zero.
  void allocate();
  // Uses read-only values from elsewhere; `owner` keeps them alive.
  void borrow(std::span<const Tensor> values, std::shared_ptr<const void> owner);

  DType type() const { return type_; }
  std::size_t size() const { return parameters_.size(); }
  const Parameter& operator[](ParameterId id) const { return parameters_[static_cast<std::size_t>(id.index)]; }
  const Parameter& operator[](std::size_t i) const { return parameters_[i]; }
  // An absent id if there is no such name.
  ParameterId find(std::string_view name) const;

  // All numbers as one row, with gaps of zeros for alignment. InternalError if the values are borrowed.
  Tensor flat() const;
  // How many numbers the parameters hold.
  Index count() const;
  // The column of flat() at which a parameter begins; for {size()}, the end of the last one.
  Index offset(ParameterId id) const;

 private:
  DType type_;
  std::vector<Parameter> parameters_;
  Arena memory_;
  Tensor flat_;
  std::shared_ptr<const void> owner_;  // of borrowed values
};

// The rows of an embedding that have a gradient, each once, in the order of their first use.
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
  Tensor flat() const { return flat_; }
  // Null for dense parameters.
  TouchedRows* touched(ParameterId id) { return touched_[static_cast<std::size_t>(id.index)].get(); }
  // Sets everything to zero; in sparse parameters, only the rows that were touched.
  void clear();
  // Adds part `part` of `parts` of another worker's gradients, so that threads can divide the work. Parts write to
  // different numbers. After all parts, call finish_add() once.
  void add(const Gradients& other, int part, int parts);
  void finish_add(const Gradients& other);
  // The sum of the squares of all numbers, in a fixed order.
  double sum_of_squares() const;

 private:
  // Calls function(part) for each part of gradient i that can be nonzero: all of it, or each touched row.
  template <class Function>
  void for_each_part(std::size_t i, Function function) const;

  Arena memory_;
  Tensor flat_;
  std::vector<Tensor> views_;
  std::vector<std::unique_ptr<TouchedRows>> touched_;  // one per parameter; null for dense ones
};

}  // namespace heed::autograd
