// A tape records operations for reverse-mode differentiation. Its variables live in its arena until clear(); once the
// arena is large enough, no memory is allocated. Not thread-safe: one tape per thread.
//
// The contract of an operation (autograd/ops/):
//   - it checks shapes and ids before any work and throws ShapeError with the values;
//   - its output is allocated but not cleared; gradients of outputs start at zero;
//   - its backward adds to the gradients of its inputs and skips inputs without gradient (constants);
//   - scratch memory comes from the arena; only what the backward needs is kept;
//   - arrays of ids and row ranges are not copied: the caller must keep them until clear().
#pragma once

#include <new>
#include <type_traits>

#include "autograd/op.h"
#include "autograd/parameters.h"
#include "tensor/arena.h"

namespace heed::autograd {

// A value and its gradient: two views of the same shape. The gradient is absent for constants and if the tape does not
// record. A slice is a view of both, so slicing is not an operation.
struct Var {
  Tensor value;
  Tensor grad;

  Index rows() const { return value.rows(); }
  Index columns() const { return value.columns(); }
  explicit operator bool() const { return static_cast<bool>(value); }
  Var slice_rows(Index from, Index count) const {
    return {value.slice_rows(from, count), grad ? grad.slice_rows(from, count) : Tensor{}};
  }
  Var slice_columns(Index from, Index count) const {
    return {value.slice_columns(from, count), grad ? grad.slice_columns(from, count) : Tensor{}};
  }
};

// Learns during backward() which gradients are complete.
class GradientListener {
 public:
  // No operation of this backward() will add to the parameter's gradient any more.
  virtual void on_complete(ParameterId id) = 0;

 protected:
  ~GradientListener() = default;
};

class Tape {
 public:
  enum class Mode { record, forward_only };

  // backward() adds to `gradients`, which may be null for a tape that never records. Both must outlive the tape.
  Tape(const Parameters& parameters, Gradients* gradients);

  // Discards all variables and recorded operations; the memory is kept for the next step.
  void clear(Mode mode);
  bool recording() const { return mode_ == Mode::record; }
  DType type() const { return parameters_.type(); }
  Arena& arena() { return arena_; }
  // From now on, backward() tells the listener of every parameter that the operations used. Must outlive the tape.
  void set_listener(GradientListener& listener);

  Var parameter(ParameterId id);
  // The touched rows of an embedding's gradient; null for dense parameters and if the tape does not record.
  TouchedRows* touched(ParameterId id) const;

  // A new variable: its value is not cleared, its gradient is zero (absent if the tape does not record).
  Var variable(Index rows, Index columns);
  Var zeros(Index rows, Index columns);
  // A value that needs no gradient.
  static Var constant(Tensor value) { return {value, {}}; }

  // Records the backward of an operation. The closure is kept in the arena and never destroyed.
  template <class Backward>
  void record(Op op, Backward backward) {
    static_assert(std::is_trivially_destructible_v<Backward>);
    if (!recording()) return;
    struct Entry : Node {
      explicit Entry(Backward b) : body(b) {}
      Backward body;
    };
    auto* entry = new (arena_.allocate(sizeof(Entry))) Entry(backward);
    entry->previous = last_;
    entry->op = op;
    entry->run = [](Node* node) { static_cast<Entry*>(node)->body(); };
    last_ = entry;
  }

  // Runs the backward of every recorded operation, last first, and discards them. The gradients of the outputs must be
  // set beforehand, by a loss or by writing to a variable's grad.
  void backward();

  // Calls visit(op) for every recorded operation, last first.
  template <class Visit>
  void for_each_recorded(Visit visit) const {
    for (const Node* node = last_; node != nullptr; node = node->previous) visit(node->op);
  }

 private:
  struct Node {
    Node* previous = nullptr;
    void (*run)(Node*) = nullptr;
    Op op = Op::linear;
  };

  // Of a parameter since clear(): only operations after `before` use it.
  struct FirstUse {
    ParameterId id;
    Node* before;
  };

  const Parameters& parameters_;
  Gradients* gradients_;
  Arena arena_;
  Node* last_ = nullptr;
  Mode mode_ = Mode::forward_only;
  GradientListener* listener_ = nullptr;
  std::vector<bool> used_;            // per parameter; empty without a listener
  std::vector<FirstUse> first_uses_;  // in the order of recording
};

}  // namespace heed::autograd
