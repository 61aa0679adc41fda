#include "train/average.h"

#include <algorithm>

#include "model/model_file.h"

namespace heed::train {

void save_parameters(const std::string& path, const autograd::Parameters& parameters) {
  write_safetensors(path, {}, model::stored_parameters(parameters));
}

namespace {

// By position: the names may be those of an older version, with which the run was begun.
void load_in_order(const Safetensors& file, const autograd::Parameters& parameters) {
  const auto tensors = file.tensors();
  check<InputError>(tensors.size() == parameters.size(), "{}: {} tensors, expected {}", file.name(), tensors.size(),
                    parameters.size());
  if (const auto bad = find_non_finite(tensors))
    throw InputError("{}: {} holds {} at element {}", file.name(), bad->tensor, bad->value, bad->index);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].expect_shape(parameters[i].shape);
    tensors[i].copy_to(parameters[i].value.span<float>());
  }
}

}  // namespace

void average_parameters(const autograd::Parameters& parameters, const std::vector<std::string>& files) {
  check<InternalError>(!files.empty(), "an average of nothing");
  const std::span<float> flat = parameters.flat().span<float>();
  // In double: the mean of equal numbers is that number.
  std::vector<double> sums(flat.size());
  for (const std::string& path : files) {
    load_in_order(Safetensors(path, {.verify_checksum = true}), parameters);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<double>(flat[i]);
  }
  const auto count = static_cast<double>(files.size());
  std::ranges::transform(sums, flat.begin(), [&](double sum) { return static_cast<float>(sum / count); });
}

}  // namespace heed::train
