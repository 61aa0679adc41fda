#include "autograd/parameters.h"

#include <algorithm>

#include "kernels/elementwise.h"

namespace heed::autograd {
namespace {

// Parameters begin at multiples of 16 numbers: 64 bytes in f32, as the vector kernels like it.
constexpr Index kAlign = 16;

Index round_up(Index size, Index unit) {
  return checked_elements((size + unit - 1) / unit, unit);
}

Index padded(const Parameter& p) {
  return round_up(checked_elements(p.rows(), p.columns()), kAlign);
}

Index padded_total(const Parameters& parameters) {
  Index total = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) total += padded(parameters[i]);
  return total;
}

// The views of all parameters into one row of numbers.
std::vector<Tensor> views_into(const Tensor& flat, const Parameters& parameters) {
  std::vector<Tensor> views;
  Index offset = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    views.push_back(flat.slice_columns(offset, p.rows() * p.columns()).reshape(p.rows(), p.columns()));
    offset += padded(p);
  }
  return views;
}

}  // namespace

ParameterId Parameters::add(std::string name, std::vector<Index> shape, Init init, bool sparse) {
  check<InternalError>(!flat_ && !owner_, "parameter {} comes after allocate() or borrow()", name);
  check<UsageError>(!find(name), "two tensors would be called {}; the names of a model's tensors must differ", name);
  check(shape.size() == 1 || shape.size() == 2, "parameter {} has rank {}, expected 1 or 2", name, shape.size());
  for (const Index size : shape) check(size > 0, "parameter {} has size {}, expected at least 1", name, size);
  parameters_.push_back(
      {.name = std::move(name), .shape = std::move(shape), .init = init, .sparse = sparse, .value = {}});
  return {static_cast<int>(parameters_.size()) - 1};
}

void Parameters::allocate() {
  flat_ = memory_.zeros(type_, 1, padded_total(*this));
  const std::vector<Tensor> views = views_into(flat_, *this);
  for (std::size_t i = 0; i < views.size(); ++i) parameters_[i].value = views[i];
}

void Parameters::borrow(std::span<const Tensor> values, std::shared_ptr<const void> owner) {
  check<InternalError>(!flat_ && values.size() == size() && owner, "borrow() of {} values for {} parameters",
                       values.size(), size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    check_shape("borrow", parameters_[i].name.c_str(), values[i], parameters_[i].rows(), parameters_[i].columns());
    parameters_[i].value = values[i];
  }
  owner_ = std::move(owner);
}

Tensor Parameters::flat() const {
  check<InternalError>(!owner_, "parameters that are borrowed are not one row");
  return flat_;
}

ParameterId Parameters::find(std::string_view name) const {
  const auto found = std::ranges::find(parameters_, name, &Parameter::name);
  return found == parameters_.end() ? ParameterId{} : ParameterId{static_cast<int>(found - parameters_.begin())};
}

Index Parameters::count() const {
  Index total = 0;
  for (const Parameter& p : parameters_) total += p.rows() * p.columns();
  return total;
}

Index Parameters::offset(ParameterId id) const {
  Index offset = 0;
  for (int i = 0; i < id.index; ++i) offset += padded(parameters_[static_cast<std::size_t>(i)]);
  return offset;
}

void TouchedRows::add(Ids ids) {
  for (const Id id : ids) {
    if (std::exchange(seen_[static_cast<std::size_t>(id)], 1) == 0) rows_.push_back(id);
  }
}

void TouchedRows::clear() {
  for (const Id id : rows_) seen_[static_cast<std::size_t>(id)] = 0;
  rows_.clear();
}

Gradients::Gradients(const Parameters& parameters) : parameters_(parameters) {
  flat_ = memory_.zeros(parameters.type(), 1, padded_total(parameters));
  views_ = views_into(flat_, parameters);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    touched_index_.push_back(parameters[i].sparse ? static_cast<int>(touched_.size()) : -1);
    if (parameters[i].sparse) touched_.emplace_back(parameters[i].rows());
  }
}

TouchedRows* Gradients::touched(ParameterId id) {
  const int index = touched_index_[static_cast<std::size_t>(id.index)];
  return index < 0 ? nullptr : &touched_[static_cast<std::size_t>(index)];
}

void Gradients::clear() {
  for (std::size_t i = 0; i < views_.size(); ++i) {
    if (touched_index_[i] < 0) {
      kernels::fill(views_[i], 0);
      continue;
    }
    TouchedRows& touched = touched_[static_cast<std::size_t>(touched_index_[i])];
    for (const Id row : touched.rows()) kernels::fill(views_[i].slice_rows(row, 1), 0);
    touched.clear();
  }
}

void Gradients::add(const Gradients& other, int part, int parts) {
  for (std::size_t i = 0; i < views_.size(); ++i) {
    if (touched_index_[i] >= 0) {
      const Ids rows = other.touched_[static_cast<std::size_t>(touched_index_[i])].rows();
      // Parted by row, so that a row which several workers touched is always added by the same thread.
      for (const Id row : rows)
        if (row % parts == part) kernels::add_to(views_[i].slice_rows(row, 1), other.views_[i].slice_rows(row, 1));
      continue;
    }
    const Index rows = views_[i].rows(), columns = views_[i].columns();
    if (rows == 1) {
      const Index from = columns * part / parts, to = columns * (part + 1) / parts;
      kernels::add_to(views_[i].slice_columns(from, to - from), other.views_[i].slice_columns(from, to - from));
    } else {
      const Index from = rows * part / parts, to = rows * (part + 1) / parts;
      kernels::add_to(views_[i].slice_rows(from, to - from), other.views_[i].slice_rows(from, to - from));
    }
  }
}

void Gradients::finish_add(const Gradients& other) {
  for (std::size_t i = 0; i < touched_.size(); ++i) touched_[i].add(other.touched_[i].rows());
}

double Gradients::sum_of_squares() const {
  double total = 0;
  for (std::size_t i = 0; i < views_.size(); ++i) {
    if (touched_index_[i] < 0) {
      total += kernels::sum_of_squares(views_[i]);
      continue;
    }
    for (const Id row : touched_[static_cast<std::size_t>(touched_index_[i])].rows())
      total += kernels::sum_of_squares(views_[i].slice_rows(row, 1));
  }
  return total;
}

}  // namespace heed::autograd
