#include "train/average.h"

#include "model/model_file.h"

namespace heed {

void save_parameters(const std::string& path, const Parameters& parameters) {
  write_safetensors(path, {}, stored_parameters(parameters));
}

void average_parameters(const Parameters& parameters, const std::vector<std::string>& files) {
  check<InternalError>(!files.empty(), "an average of nothing");
  const Tensor flat = parameters.flat();
  // In double: the mean of equal numbers is that number.
  std::vector<double> sums(static_cast<std::size_t>(flat.columns()));
  for (const std::string& path : files) {
    load_parameters(Safetensors(path, {.verify_checksum = true}), parameters, "");
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<double>(flat.data<float>()[i]);
  }
  for (std::size_t i = 0; i < sums.size(); ++i)
    flat.data<float>()[i] = static_cast<float>(sums[i] / static_cast<double>(files.size()));
}

}  // namespace heed
