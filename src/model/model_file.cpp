#include "model/model_file.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <future>

#include "base/nearest.h"
#include "base/pieces.h"
#include "kernels/panels.h"
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

ModelFile read_model(const Safetensors& file, Layout layout) {
  ModelFile result;
  try {
    const ModelConfig config = model_config_from_toml(need_metadata(file, kConfigKey), file.name() + ": heed.config");
    result.model = std::make_unique<Model>(
        config, DType::f32, [&](const Parameters& p) { check_parameters(file, p, ""); }, layout);
  } catch (const UsageError& error) {
    throw InputError("{}: {}", file.name(), error.what());
  } catch (const ShapeError& error) {
    throw InputError("{}: {}", file.name(), error.what());
  }
  load_parameters(file, result.model->parameters(), "");
  for (const auto& [key, value] : file.metadata())
    if (key != kFormatKey && key != kConfigKey && key != kChecksumKey) result.metadata.emplace_back(key, value);
  return result;
}

// The checksum takes as long as all the rest, so a large file's is computed meanwhile. A foreign file should be told so
// before anything speaks of checksums; after that, damage explains whatever else seems wrong.
ModelFile load(const Safetensors& file, Layout layout) {
  constexpr std::size_t kLarge = std::size_t{4} << 20;
  check_format(file);
  auto damage = std::async(file.size() >= kLarge ? std::launch::async : std::launch::deferred,
                           [&] { return file.find_damage(); });
  const auto check_damage = [&] {
    if (const auto sentence = damage.get()) throw InputError("{}", *sentence);
  };
  ModelFile result;
  try {
    result = read_model(file, layout);
  } catch (const InputError&) {
    check_damage();
    throw;
  }
  check_damage();
  return result;
}

}  // namespace

ModelFile load_model(const std::string& path, Layout layout) {
  return load(Safetensors(path), layout);
}

ModelFile load_model(std::span<const std::byte> bytes, const std::string& name) {
  return load(Safetensors(bytes, name), Layout::rows);
}

void check_parameters(const Safetensors& file, const Parameters& parameters, std::string_view prefix,
                      const std::vector<std::string>& unused) {
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

void load_parameters(const Safetensors& file, const Parameters& parameters, std::string_view prefix) {
  // By several threads, and looked at and laid out while it is in the cache: a large model is ready sooner.
  constexpr Index kPiece = Index{1} << 20;
  struct Piece {
    StoredTensor from;
    Tensor to;
  };
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    StoredTensor tensor = file.tensor(std::string(prefix) + parameters[i].name);
    tensor.expect_shape(parameters[i].shape);
    const Tensor& to = parameters[i].value;
    const auto all = tensor.data;
    const auto row_size = all.size() / static_cast<std::size_t>(to.rows());
    const Index rows = std::max<Index>(1, kPiece / static_cast<Index>(row_size) / kPanelRows) * kPanelRows;
    for (Index row = 0; row < to.rows(); row += rows) {
      const Index count = std::min(rows, to.rows() - row);
      tensor.data = all.subspan(static_cast<std::size_t>(row) * row_size, static_cast<std::size_t>(count) * row_size);
      pieces.push_back({tensor, to.slice_rows(row, count)});
    }
  }
  std::atomic<bool> finite = true;
  const auto bytes = static_cast<std::size_t>(parameters.count() * size_of(parameters.type()));
  for_each_piece(pieces.size(), bytes, [&](std::size_t i) {
    auto [step, to] = pieces[i];
    const std::span<const std::byte> piece = step.data;
    request_pages({static_cast<std::byte*>(const_cast<void*>(to.address())), piece.size()});
    const std::size_t row_size = piece.size() / static_cast<std::size_t>(to.rows());
    std::vector<float> aside;
    for (Index row = 0; row < to.rows(); row += kPanelRows) {
      const Tensor part = to.slice_rows(row, std::min(kPanelRows, to.rows() - row));
      step.data =
          piece.subspan(static_cast<std::size_t>(row) * row_size, static_cast<std::size_t>(part.rows()) * row_size);
      if (part.type() == DType::panels) {
        aside.resize(static_cast<std::size_t>(part.elements()));
        std::memcpy(aside.data(), step.data.data(), step.data.size());
        kernels::copy_to_panels(part, {aside.data(), DType::f32, part.rows(), part.columns()});
      } else {
        std::memcpy(part.data<float>(), step.data.data(), step.data.size());
      }
      if (find_non_finite(step)) finite = false;
    }
    file.forget(piece);
  });
  for (std::size_t i = 0; !finite && i < parameters.size(); ++i)
    if (const auto bad = find_non_finite(file.tensor(std::string(prefix) + parameters[i].name)))
      throw InputError("{}: {} holds {} at element {}", file.name(), bad->tensor, bad->value, bad->index);
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
