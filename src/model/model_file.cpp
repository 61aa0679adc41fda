#include "model/model_file.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <future>

#include "base/nearest.h"
#include "base/parallel.h"
#include "model/cell.h"
#include "model/presets.h"

namespace heed {
namespace {

constexpr const char* kFormatKey = "heed.format";
constexpr const char* kConfigKey = "heed.config";

const std::string& need_metadata(const Safetensors& file, const char* key) {
  const std::string* value = file.find_metadata(key);
  check<InputError>(
      value != nullptr,
      "{}: the metadata has no {}, so it is no heed model; `heed import` makes one of a PyTorch state dict",
      file.name(), key);
  return *value;
}

void check_format(const Safetensors& file) {
  const std::string& format = need_metadata(file, kFormatKey);
  if (format == std::to_string(kModelFormat)) return;
  throw InputError("{}: its format is version {}, and this heed reads up to version {}: a newer heed is needed",
                   file.name(), format, kModelFormat);
}

// The shape of a tensor that must be a matrix.
std::pair<Index, Index> matrix_shape(const Safetensors& file, const std::string& name) {
  const StoredTensor& tensor = file.tensor(name);
  check<InputError>(tensor.shape.size() == 2, "{}: {} has shape {}, expected a matrix", file.name(), name,
                    tensor.shape_string());
  return {tensor.shape[0], tensor.shape[1]};
}

int to_size(const Safetensors& file, const std::string& name, Index size) {
  check<InputError>(size > 0 && size <= (1 << 30), "{}: {} has a size of {}", file.name(), name, size);
  return static_cast<int>(size);
}

}  // namespace

std::vector<StoredTensor> stored_parameters(const Parameters& parameters) {
  check<InternalError>(parameters.type() == DType::f32, "only f32 models are stored");
  std::vector<StoredTensor> tensors;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    tensors.push_back(
        {.name = p.name,
         .type = StoredType::f32,
         .shape = p.shape,
         .data = std::as_bytes(std::span(p.value.data<float>(), static_cast<std::size_t>(p.value.elements())))});
  }
  return tensors;
}

std::string config_to_toml(const ModelConfig& config) {
  ModelConfig copy = config;
  Options options;
  declare(options, copy);
  return options.to_toml();
}

void save_model(const std::string& path, const Model& model, const Metadata& metadata) {
  Metadata all = {{kFormatKey, std::to_string(kModelFormat)}, {kConfigKey, config_to_toml(model.config())}};
  all.insert(all.end(), metadata.begin(), metadata.end());
  write_safetensors(path, all, stored_parameters(model.parameters()));
}

namespace {

void check_parameters(const Safetensors& file, const Parameters& parameters, std::string_view prefix,
                      const std::vector<std::string>& unused = {}) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < parameters.size(); ++i) names.push_back(parameters[i].name);
  for (const StoredTensor& tensor : file.tensors()) {
    if (!tensor.name.starts_with(prefix)) continue;
    const std::string name = tensor.name.substr(prefix.size());
    if (!parameters.find(name) && std::ranges::find(unused, name) == unused.end())
      throw InputError("{}: the system has no tensor called {}{}", file.name(), name, did_you_mean(name, names));
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const StoredTensor& tensor = file.tensor(std::string(prefix) + parameters[i].name);
    tensor.expect_shape(parameters[i].shape);
    check<InputError>(tensor.type == StoredType::f32, "{}: {} is {}, expected F32", file.name(), tensor.name,
                      name_of(tensor.type));
  }
}

// A large file is gone through by several threads.
void check_finite(const Safetensors& file, const Parameters& parameters, std::string_view prefix) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::vector<StoredTensor> pieces;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    StoredTensor tensor = file.tensor(std::string(prefix) + parameters[i].name);
    bytes += tensor.data.size();
    for (auto left = tensor.data; !left.empty(); left = left.subspan(std::min(kPiece, left.size()))) {
      tensor.data = left.first(std::min(kPiece, left.size()));
      pieces.push_back(tensor);
    }
  }
  std::atomic<bool> finite = true;
  ThreadPool pool(workers_for(bytes));
  parallel_for(pool, pieces.size(), [&](int /*worker*/, std::size_t i) {
    if (find_non_finite(pieces[i])) finite = false;
  });
  for (std::size_t i = 0; !finite && i < parameters.size(); ++i)
    if (const auto bad = find_non_finite(file.tensor(std::string(prefix) + parameters[i].name)))
      throw InputError("{}: {} holds {} at element {}", file.name(), bad->tensor, bad->value, bad->index);
}

// The parameters where they lie in the file; none where they do not lie as numbers must.
std::vector<Tensor> views_into(const Safetensors& file, const Parameters& parameters) {
  std::vector<Tensor> views;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    auto* const data = const_cast<std::byte*>(file.tensor(parameters[i].name).data.data());  // read alone
    if (reinterpret_cast<std::uintptr_t>(data) % alignof(float) != 0) return {};
    views.emplace_back(data, DType::f32, parameters[i].rows(), parameters[i].columns());
  }
  return views;
}

ModelFile read_model(const Safetensors& file, const std::shared_ptr<const Safetensors>& owner) {
  ModelFile result;
  const auto borrow = [&](Parameters& parameters) {
    check_parameters(file, parameters, "");
    const std::vector<Tensor> views = views_into(file, parameters);
    if (views.empty()) {
      parameters.allocate();
      return load_parameters(file, parameters, "");
    }
    check_finite(file, parameters, "");
    parameters.borrow(views, owner);
    result.file = owner;
  };
  try {
    const ModelConfig config = model_config_from_toml(need_metadata(file, kConfigKey), file.name() + ": heed.config");
    result.model = std::make_unique<Model>(config, DType::f32, owner ? Model::Place(borrow) : copied_from(file, ""));
  } catch (const UsageError& error) {
    throw InputError("{}: {}", file.name(), error.what());
  } catch (const ShapeError& error) {
    throw InputError("{}: {}", file.name(), error.what());
  }
  for (const auto& [key, value] : file.metadata())
    if (key != kFormatKey && key != kConfigKey && key != kChecksumKey) result.metadata.emplace_back(key, value);
  return result;
}

// The checksum takes as long as all the rest, so a large file's is computed meanwhile. A foreign file should be told so
// before anything speaks of checksums; after that, damage explains whatever else seems wrong.
ModelFile load(const Safetensors& file, const std::shared_ptr<const Safetensors>& owner) {
  constexpr std::size_t kLarge = std::size_t{4} << 20;
  check_format(file);
  auto damage = std::async(file.size() >= kLarge ? std::launch::async : std::launch::deferred,
                           [&] { return file.find_damage(); });
  const auto check_damage = [&] {
    if (const auto sentence = damage.get()) throw InputError("{}", *sentence);
  };
  ModelFile result;
  try {
    result = read_model(file, owner);
  } catch (const InputError&) {
    check_damage();
    throw;
  }
  check_damage();
  return result;
}

}  // namespace

ModelFile load_model(const std::string& path) {
  const auto file = std::make_shared<const Safetensors>(path);
  return load(*file, file);
}

ModelFile load_model(std::span<const std::byte> bytes, const std::string& name) {
  return load(Safetensors(bytes, name), nullptr);
}

Model::Place copied_from(const Safetensors& file, const std::string& prefix, const std::vector<std::string>& unused) {
  return [&file, prefix, unused](Parameters& parameters) {
    check_parameters(file, parameters, prefix, unused);
    parameters.allocate();
    load_parameters(file, parameters, prefix);
  };
}

void load_parameters(const Safetensors& file, const Parameters& parameters, std::string_view prefix) {
  check_finite(file, parameters, prefix);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const StoredTensor& tensor = file.tensor(std::string(prefix) + parameters[i].name);
    tensor.expect_shape(parameters[i].shape);
    tensor.copy_to(std::span(parameters[i].value.data<float>(), static_cast<std::size_t>(tensor.elements())));
    file.forget(tensor.data);
  }
}

void infer_sizes(const Safetensors& file, ModelConfig& config) {
  const NamesConfig& names = config.names;
  const auto size = [&](const std::string& name, bool rows) {
    const auto [r, c] = matrix_shape(file, name);
    return to_size(file, name, rows ? r : c);
  };
  config.vocabulary.source = size(names.source_embedding, true);
  config.encoder.embedding = size(names.source_embedding, false);
  config.encoder.hidden = size(names.encoder + ".weight_hh_l0", false);
  const std::string& target = config.tied == "all" ? names.source_embedding : names.target_embedding;
  config.vocabulary.target = size(target, true);
  config.decoder.embedding = size(target, false);
  config.decoder.hidden = size(names.decoder + ".weight_hh_l0", false);
  if (config.attention.score == "location") config.attention.max_length = size(names.attention_combine, true);
  if (config.attention.score == "additive") config.attention.size = size(names.attention_query, true);
  if (config.attention.score == "concat") config.attention.size = size(names.attention_combine, true);
  if (config.readout.tanh) config.readout.size = size(names.readout, true);
}

}  // namespace heed
