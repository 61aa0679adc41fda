#include "autograd/parameters.h"

#include <algorithm>

#include "kernels/elementwise.h"

namespace heed::autograd {
namespace {

// Parameters begin at multiples of 16 numbers, 64 bytes in f32: the alignment that vector kernels prefer.
constexpr Index kAlign = 16;

Index padded(const Parameter& p) {
  return checked_elements((checked_elements(p.rows(), p.columns()) + kAlign - 1) / kAlign, kAlign);
}

Tensor view_into(const Tensor& flat, const Parameters& parameters, ParameterId id) {
  const Parameter& p = parameters[id];
  return flat.slice_columns(parameters.offset(id), p.rows() * p.columns()).reshape(p.rows(), p.columns());
}

}  // namespace

ParameterId Parameters::add(std::string name, std::vector<Index> shape, Init init, bool sparse) {
  check<InternalError>(!flat_ && !owner_, "parameter {} is declared after allocate() or borrow()", name);
  check<UsageError>(!find(name), "two tensors would be called {}; the names of a model's tensors must differ", name);
  check(shape.size() == 1 || shape.size() == 2, "parameter {} has rank {}, expected 1 or 2", name, shape.size());
  for (const Index size : shape) check(size > 0, "parameter {} has size {}, expected at least 1", name, size);
  parameters_.push_back(
      {.name = std::move(name), .shape = std::move(shape), .init = init, .sparse = sparse, .value = {}});
  return {static_cast<int>(parameters_.size()) - 1};
}

void Parameters::allocate() {
  flat_ = memory_.zeros(type_, 1, offset({static_cast<int>(size())}));
  for (int i = 0; i < static_cast<int>(size()); ++i)
    parameters_[static_cast<std::size_t>(i)].value = view_into(flat_, *this, {i});
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
  check<InternalError>(!owner_, "borrowed parameters are not contiguous");
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
  for (const Id id : ids)
    if (std::exchange(seen_[static_cast<std::size_t>(id)], 1) == 0) rows_.push_back(id);
}

void TouchedRows::clear() {
  for (const Id id : rows_) seen_[static_cast<std::size_t>(id)] = 0;
  rows_.clear();
}

Gradients::Gradients(const Parameters& parameters) {
  const int count = static_cast<int>(parameters.size());
  flat_ = memory_.zeros(parameters.type(), 1, parameters.offset({count}));
  for (int i = 0; i < count; ++i) {
    views_.push_back(view_into(flat_, parameters, {i}));
    const Parameter& p = parameters[ParameterId{i}];
    touched_.push_back(p.sparse ? std::make_unique<TouchedRows>(p.rows()) : nullptr);
  }
}

template <class Function>
void Gradients::for_each_part(std::size_t i, Function function) const {
  if (!touched_[i]) return function(views_[i]);
  for (const Id row : touched_[i]->rows()) function(views_[i].slice_rows(row, 1));
}

void Gradients::clear() {
  for (std::size_t i = 0; i < views_.size(); ++i) {
    for_each_part(i, [](const Tensor& part) { kernels::fill(part, 0); });
    if (touched_[i]) touched_[i]->clear();
  }
}

void Gradients::add(const Gradients& other, int part, int parts) {
  for (std::size_t i = 0; i < views_.size(); ++i) {
    if (touched_[i]) {
      // Divided by row number, so that a row that several workers touched is always added by the same thread.
      for (const Id row : other.touched_[i]->rows())
        if (row % parts == part) kernels::add_to(views_[i].slice_rows(row, 1), other.views_[i].slice_rows(row, 1));
      continue;
    }
    const bool by_columns = views_[i].rows() == 1;
    const Index size = by_columns ? views_[i].columns() : views_[i].rows();
    const Index from = size * part / parts, count = size * (part + 1) / parts - from;
    const auto slice = [&](const Tensor& x) {
      return by_columns ? x.slice_columns(from, count) : x.slice_rows(from, count);
    };
    kernels::add_to(slice(views_[i]), slice(other.views_[i]));
  }
}

void Gradients::finish_add(const Gradients& other) {
  for (std::size_t i = 0; i < touched_.size(); ++i)
    if (touched_[i]) touched_[i]->add(other.touched_[i]->rows());
}

double Gradients::sum_of_squares() const {
  double total = 0;
  for (std::size_t i = 0; i < views_.size(); ++i)
    for_each_part(i, [&](const Tensor& part) { total += kernels::sum_of_squares(part); });
  return total;
}

}  // namespace heed::autograd
