#include "model/int8_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/json.h"
#include "base/utf8.h"
#include "kernels/elementwise.h"
#include "kernels/int8.h"

namespace heed::model {
namespace {

using autograd::Parameter;

// Scales within these bounds cannot make a product overflow.
constexpr float kSmallestScale = 1e-12f, kLargestScale = 1e12f;

std::string scale_name(const std::string& name) {
  return name + ".scale";
}
std::string factor_name(const std::string& name) {
  return name + ".input_factor";
}

std::size_t range_count(const Parameter& p) {
  return static_cast<std::size_t>((p.columns() + InputRanges::kRangeColumns - 1) / InputRanges::kRangeColumns);
}

// The factors of a weight's inputs: the largest input becomes 127. A column range whose inputs are small gets a larger
// factor, but only by the square root, because the weights lose what the inputs gain: they are divided by the factor.
std::vector<float> input_factors(const Parameter& p, const std::vector<float>& largest) {
  float most = *std::ranges::max_element(largest);
  if (most == 0) most = 1;  // the inputs were always zero
  std::vector<float> factors;
  for (Index k = 0; k < p.columns(); ++k) {
    const float range = largest[static_cast<std::size_t>(k / InputRanges::kRangeColumns)];
    const float limit = range == 0 ? most : std::sqrt(range * most);
    factors.push_back(std::clamp(127 / limit, kSmallestScale, kLargestScale));
  }
  return factors;
}

// Tensors whose size is a multiple of a cache line come first, then f32, so that numbers in the file are aligned.
void sort_by_alignment(std::vector<StoredTensor>& tensors) {
  std::ranges::stable_sort(tensors, {}, [](const StoredTensor& t) {
    return t.data.size() % 64 == 0 ? 0 : t.type != StoredType::i8 ? 1 : 2;
  });
}

void check_scales(const Safetensors& file, const StoredTensor& tensor, std::span<const float> scales) {
  for (std::size_t i = 0; i < scales.size(); ++i)
    if (!(scales[i] >= kSmallestScale && scales[i] <= kLargestScale))  // also NaN; no text is made for good ones
      throw InputError("{}: {} holds {} at element {}, expected a number from {} to {}", file.name(),
                       in_quotes(tensor.name), scales[i], i, kSmallestScale, kLargestScale);
}

const StoredTensor& typed_tensor(const Safetensors& file, const std::string& name, StoredType type,
                                 std::span<const Index> shape) {
  const StoredTensor& tensor = file.tensor(name);
  tensor.expect_shape(shape);
  check<InputError>(tensor.type == type, "{}: {} is {}, expected {}", file.name(), in_quotes(name),
                    name_of(tensor.type), name_of(type));
  return tensor;
}

// InputError if the file has a tensor that belongs to no parameter and is not among the unused names.
void check_names(const Safetensors& file, const TensorNames& names, const Parameters& parameters) {
  std::vector<std::string> known = names.unused;
  known.insert(known.end(), kShortlistTensors.begin(), kShortlistTensors.end());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    const std::string name = known.emplace_back(names.in_file(p.name));
    if (becomes_int8(p)) known.push_back(scale_name(name));
    if (has_input(p)) known.push_back(factor_name(name));
  }
  for (const StoredTensor& tensor : file.tensors())
    if (std::ranges::find(known, tensor.name) == known.end())
      throw InputError("{}: the file has the tensor {}, which the model does not have", file.name(),
                       in_quotes(tensor.name));
}

// The numbers of an F32 tensor in the file.
std::span<const float> floats_in(const Safetensors& file, const std::string& name, std::span<const Index> shape) {
  const StoredTensor& tensor = typed_tensor(file, name, StoredType::f32, shape);
  check<InputError>(reinterpret_cast<std::uintptr_t>(tensor.data.data()) % alignof(float) == 0,
                    "{}: {} does not begin at a multiple of 4 bytes", file.name(), in_quotes(name));
  const auto bad = find_non_finite(tensor);
  check<InputError>(!bad, "{}: {} holds {} at element {}", file.name(), in_quotes(name), bad ? bad->value : 0,
                    bad ? bad->index : 0);
  return {reinterpret_cast<const float*>(tensor.data.data()), static_cast<std::size_t>(tensor.elements())};
}

}  // namespace

std::string InputRanges::to_json() const {
  Json json = Json::object();
  for (const auto& [name, values] : largest) json[name] = values;
  return dump_json(json);
}

InputRanges InputRanges::from_json(std::string_view text, const Model& model, std::string_view where) {
  InputRanges ranges;
  const Json json = parse_json(text, where);
  for (std::size_t i = 0; i < model.parameters().size(); ++i) {
    const Parameter& p = model.parameters()[i];
    if (!has_input(p)) continue;
    const auto found = json.find(p.name);
    const bool valid = found != json.end() && found->is_array() && found->size() == range_count(p) &&
                       std::ranges::all_of(*found, [](const Json& value) {
                         return value.is_number() && value.get<float>() >= 0 && value.get<float>() <= kLargestScale;
                       });
    check<InputError>(valid, "{}: expected {} numbers from 0 to {} for {}", where, range_count(p), kLargestScale,
                      in_quotes(p.name));
    ranges.largest[p.name] = found->get<std::vector<float>>();
  }
  return ranges;
}

RangeRecorder::RangeRecorder(const Model& model)
    : parameters_(model.parameters()), observer_([this](const Tensor& x, const Tensor& w) { add(x, w); }) {
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (has_input(parameters_[i])) ranges_.largest[parameters_[i].name].resize(range_count(parameters_[i]));
  kernels::observe_projections(&observer_);
}

RangeRecorder::~RangeRecorder() {
  kernels::observe_projections(nullptr);
}

void RangeRecorder::add(const Tensor& x, const Tensor& w) {
  const auto* const data = static_cast<const float*>(w.address());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& p = parameters_[i];
    const auto* const begin = static_cast<const float*>(p.value.address());
    if (!has_input(p) || data < begin || data >= begin + p.value.elements()) continue;
    std::vector<float>& largest = ranges_.largest[p.name];
    const Index first = (data - begin) % p.columns();  // w may be a slice
    for (Index row = 0; row < x.rows(); ++row)
      for (Index k = 0; k < x.columns(); ++k) {
        float& most = largest[static_cast<std::size_t>((first + k) / InputRanges::kRangeColumns)];
        most = std::max(most, std::abs(x.row<float>(row)[k]));
      }
    return;
  }
}

bool becomes_int8(const Parameter& parameter) {
  return parameter.shape.size() == 2 && parameter.rows() > 1;
}

bool has_input(const Parameter& parameter) {
  return becomes_int8(parameter) && !parameter.sparse;
}

bool is_int8(const Model& model) {
  for (std::size_t i = 0; i < model.parameters().size(); ++i)
    if (model.parameters()[i].value.type() == DType::int8) return true;
  return false;
}

void save_int8_model(const std::string& path, const Model& model, const InputRanges& ranges, const Metadata& metadata) {
  const Parameters& parameters = model.parameters();
  std::vector<std::vector<std::int8_t>> integers(parameters.size());
  std::vector<std::vector<float>> scales(parameters.size()), factors(parameters.size());
  std::vector<StoredTensor> tensors;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    if (!becomes_int8(p)) {
      tensors.push_back({p.name, StoredType::f32, p.shape, std::as_bytes(p.value.span<float>())});
      continue;
    }
    if (has_input(p)) {
      const auto found = ranges.largest.find(p.name);
      check<InternalError>(found != ranges.largest.end() && found->second.size() == range_count(p),
                           "no input ranges for {}", p.name);
      factors[i] = input_factors(p, found->second);
      tensors.push_back(
          {factor_name(p.name), StoredType::f32, {p.columns()}, std::as_bytes(std::span<const float>(factors[i]))});
    }
    integers[i].resize(static_cast<std::size_t>(p.value.elements()));
    scales[i].resize(static_cast<std::size_t>(p.rows()));
    kernels::quantize_weights(integers[i], scales[i], p.value, factors[i].empty() ? nullptr : factors[i].data());
    tensors.push_back({p.name, StoredType::i8, p.shape, std::as_bytes(std::span<const std::int8_t>(integers[i]))});
    tensors.push_back(
        {scale_name(p.name), StoredType::f32, {p.rows()}, std::as_bytes(std::span<const float>(scales[i]))});
  }
  if (const Shortlist* shortlist = model.shortlist())
    std::ranges::move(shortlist->stored(), std::back_inserter(tensors));
  sort_by_alignment(tensors);
  write_model(path, model.config(), metadata, tensors, kInt8Format);
}

void borrow_int8_parameters(const std::shared_ptr<const Safetensors>& file, const TensorNames& names,
                            Parameters& parameters) {
  struct Owner {
    std::shared_ptr<const Safetensors> file;
    std::vector<Quantization> quantizations;  // reserved: the tensors refer to them
  };
  const auto owner = std::make_shared<Owner>();
  owner->file = file;
  owner->quantizations.reserve(parameters.size());
  check_names(*file, names, parameters);
  std::vector<Tensor> values;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    const std::string name = names.in_file(p.name);
    if (!becomes_int8(p)) {
      const std::span<const float> numbers = floats_in(*file, name, p.shape);
      values.emplace_back(const_cast<float*>(numbers.data()), DType::f32, p.rows(), p.columns());  // read-only
      continue;
    }
    check<InputError>(p.columns() <= kernels::kMaxInt8Columns, "{}: {} has {} columns, expected at most {} in int8",
                      file->name(), in_quotes(name), p.columns(), kernels::kMaxInt8Columns);
    Quantization& q = owner->quantizations.emplace_back();
    q.integers = reinterpret_cast<const std::int8_t*>(typed_tensor(*file, name, StoredType::i8, p.shape).data.data());
    const auto scales_in = [&](const std::string& tensor, Index size) {
      const std::span<const float> scales = floats_in(*file, tensor, std::vector<Index>{size});
      check_scales(*file, file->tensor(tensor), scales);
      return scales.data();
    };
    q.scales = scales_in(scale_name(name), p.rows());
    if (has_input(p)) q.input_factors = scales_in(factor_name(name), p.columns());
    values.emplace_back(q, p.rows(), p.columns());
  }
  parameters.borrow(values, owner);
}

std::unique_ptr<Model> to_f32(const Model& model) {
  auto result = std::make_unique<Model>(model.config(), DType::f32, [&](Parameters& to) {
    to.allocate();
    for (std::size_t i = 0; i < to.size(); ++i) {
      const Tensor from = model.parameters()[i].value;
      if (from.type() != DType::int8) {
        kernels::copy(to[i].value, from);
        continue;
      }
      std::vector<Id> rows(static_cast<std::size_t>(from.rows()));
      std::iota(rows.begin(), rows.end(), 0);
      kernels::gather_int8_rows(to[i].value, from, rows);
    }
  });
  if (model.shortlist() != nullptr) result->set_shortlist(*model.shortlist());
  return result;
}

ModelFile load_f32_model(const std::string& path) {
  ModelFile file = load_model(path);
  if (is_int8(*file.model)) file.model = to_f32(*file.model);
  return file;
}

}  // namespace heed::model
