#include "model/model_file.h"

#include <sys/mman.h>
#include <sys/sendfile.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <future>
#include <tuple>
#include <unordered_set>

#include "base/json.h"
#include "base/parallel.h"
#include "base/system.h"
#include "base/utf8.h"
#include "model/int8_model.h"
#include "model/model_path.h"
#include "model/presets.h"

namespace heed::model {
namespace {

constexpr const char* kFormatKey = "heed.format";
constexpr const char* kConfigKey = "heed.config";

const std::string& need_metadata(const Safetensors& file, const char* key) {
  const std::string* value = file.find_metadata(key);
  check<InputError>(
      value != nullptr,
      "{}: the metadata has no {}, so it is not a heed model; `heed import` converts a PyTorch state dict", file.name(),
      key);
  return *value;
}

void check_format(const Safetensors& file) {
  const std::string& format = need_metadata(file, kFormatKey);
  if (format == std::to_string(kModelFormat) || format == std::to_string(kInt8Format)) return;
  throw InputError("{}: its format is version {}, but this heed reads only up to version {}: a newer heed is needed",
                   file.name(), in_quotes(format), kInt8Format);
}

bool has_int8_format(const Safetensors& file) {
  return *file.find_metadata(kFormatKey) == std::to_string(kInt8Format);
}

}  // namespace

std::vector<StoredTensor> stored_parameters(const Parameters& parameters, const TensorNames& names) {
  check<InternalError>(parameters.type() == DType::f32, "only f32 models can be stored");
  std::vector<StoredTensor> tensors;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const autograd::Parameter& p = parameters[i];
    tensors.push_back({names.in_file(p.name), StoredType::f32, p.shape, std::as_bytes(p.value.span<float>())});
  }
  return tensors;
}

std::string config_to_toml(const ModelConfig& config) {
  ModelConfig copy = config;
  Options options;
  declare(options, copy);
  return options.to_toml();
}

RecordedLanguages ModelFile::recorded_languages() const try {
  const std::string* text = find_metadata(kLanguagesKey);
  if (text == nullptr) return {};
  const Json json = parse_json(*text, kLanguagesKey);
  return {json.at("source").get<std::string>(), json.at("target").get<std::string>()};
} catch (const Error&) {
  return {};
} catch (const Json::exception&) {
  return {};
}

void write_model(const std::string& path, const ModelConfig& config, const Metadata& metadata,
                 std::span<const StoredTensor> tensors, int format) {
  Metadata all = {{kFormatKey, std::to_string(format)}, {kConfigKey, config_to_toml(config)}};
  all.insert(all.end(), metadata.begin(), metadata.end());
  write_safetensors(path, all, tensors);
}

void save_model(const std::string& path, const Model& model, const Metadata& metadata, const Shortlist* shortlist) {
  std::vector<StoredTensor> tensors = stored_parameters(model.parameters());
  if (shortlist == nullptr) shortlist = model.shortlist();
  if (shortlist != nullptr) std::ranges::move(shortlist->stored(), std::back_inserter(tensors));
  write_model(path, model.config(), metadata, tensors);
}

namespace {

// The tensors of all parameters, in their order. InputError unless the file has exactly these, of the right shapes, and
// perhaps a shortlist.
std::vector<StoredTensor> find_tensors(const Safetensors& file, const Parameters& parameters, std::string_view prefix,
                                       const TensorNames& names) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    known.push_back(names.in_file(parameters[i].name));
    check<InputError>(std::ranges::find(known, known.back()) == known.end() - 1,
                      "{}: two tensors would be called {}; the names of a model's tensors must differ", file.name(),
                      in_quotes(known.back()));
  }
  std::unordered_set<std::string_view> expected(known.begin(), known.end());
  expected.insert(names.unused.begin(), names.unused.end());
  expected.insert(kShortlistTensors.begin(), kShortlistTensors.end());
  for (const StoredTensor& tensor : file.tensors()) {
    if (!tensor.name.starts_with(prefix)) continue;
    const std::string name = tensor.name.substr(prefix.size());
    if (!expected.contains(name))
      throw InputError("{}: the file has the tensor {}, which the model does not have", file.name(), in_quotes(name));
  }
  std::vector<StoredTensor> tensors;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const StoredTensor& tensor = tensors.emplace_back(file.tensor(std::string(prefix) + known[i]));
    tensor.expect_shape(parameters[i].shape);
    check<InputError>(
        tensor.type == StoredType::f32 || tensor.type == StoredType::f16 || tensor.type == StoredType::bf16,
        "{}: {} is {}, expected F32, F16 or BF16", file.name(), in_quotes(tensor.name), name_of(tensor.type));
  }
  return tensors;
}

// Checks a large file with several threads.
void check_finite(const Safetensors& file, std::span<const StoredTensor> tensors) {
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  std::vector<StoredTensor> chunks;
  std::size_t bytes = 0;
  for (StoredTensor tensor : tensors) {
    bytes += tensor.data.size();
    for (auto left = tensor.data; !left.empty(); left = left.subspan(std::min(kChunk, left.size()))) {
      tensor.data = left.first(std::min(kChunk, left.size()));
      chunks.push_back(tensor);
    }
  }
  std::atomic<bool> finite = true;
  ThreadPool pool(workers_for(bytes));
  parallel_for(pool, chunks.size(), [&](int /*worker*/, std::size_t i) {
    if (find_non_finite(chunks[i])) finite = false;
  });
  if (finite) return;
  if (const auto bad = find_non_finite(tensors))
    throw InputError("{}: {} holds {} at element {}", file.name(), in_quotes(bad->tensor), bad->value, bad->index);
}

void copy_parameters(const Safetensors& file, std::span<const StoredTensor> tensors, Parameters& parameters) {
  parameters.allocate();
  check_finite(file, tensors);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].convert_to(parameters[i].value.span<float>());
    file.release(tensors[i].data);
  }
}

// The parameters as views of the file; empty if a tensor is not F32 or not aligned.
std::vector<Tensor> views_into(std::span<const StoredTensor> tensors, const Parameters& parameters) {
  std::vector<Tensor> views;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    auto* const data = const_cast<std::byte*>(tensors[i].data.data());  // read-only
    if (tensors[i].type != StoredType::f32 || reinterpret_cast<std::uintptr_t>(data) % alignof(float) != 0) return {};
    views.emplace_back(data, DType::f32, parameters[i].rows(), parameters[i].columns());
  }
  return views;
}

// Without an owner of the file, the parameters are copied.
ModelFile read_model(const Safetensors& file, const std::shared_ptr<const Safetensors>& owner) {
  ModelFile result;
  const auto source = [&](Parameters& parameters) {
    if (has_int8_format(file)) {
      borrow_int8_parameters(owner, result.names, parameters);
      result.file = owner;
      return;
    }
    const std::vector<StoredTensor> tensors = find_tensors(file, parameters, "", result.names);
    const std::vector<Tensor> views = owner ? views_into(tensors, parameters) : std::vector<Tensor>{};
    if (views.empty()) return copy_parameters(file, tensors, parameters);
    check_finite(file, tensors);
    parameters.borrow(views, owner);
    result.file = owner;
  };
  try {
    const std::string& toml = need_metadata(file, kConfigKey);
    const std::string where = file.name() + ": heed.config";
    result.names = names_in_config(toml, where);
    result.model = std::make_unique<Model>(model_config_from_toml(toml, where), DType::f32, source);
    const VocabularyConfig& words = result.model->config().vocabulary;
    result.model->set_shortlist(Shortlist::read(file, words.source, words.target, owner));
  } catch (const UsageError& error) {
    throw InputError("{}: {}", file.name(), error.what());
  } catch (const ShapeError& error) {
    throw InputError("{}: {}", file.name(), error.what());
  }
  for (const auto& [key, value] : file.metadata())
    if (key != kFormatKey && key != kConfigKey && key != kChecksumKey) result.metadata.emplace_back(key, value);
  return result;
}

// The checksum takes as long as everything else, so for a large file another thread computes it. A file that is not a
// heed model is reported as such, not as damaged; after that, damage explains any other error.
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

// A file without a name, only in memory, with the bytes of another one.
Descriptor memory_file(const std::string& path) {
  const Descriptor file = open_for_reading(path);
  Descriptor copy(::memfd_create("model", MFD_CLOEXEC));
  ssize_t bytes = copy.get() < 0 ? -1 : 1;
  while (bytes > 0) bytes = ::sendfile(copy.get(), file.get(), nullptr, std::size_t{1} << 30);
  check<InputError>(bytes == 0, "cannot copy '{}' to memory: {}", path, system_message(errno));
  return copy;
}

struct FileCopy {
  explicit FileCopy(const std::string& path)
      : memory(descriptor_path(memory_file(path).get())), file(memory.bytes(), path) {}

  const MappedFile memory;
  const Safetensors file;
};

// The parameters of an int8 model stay where they are, so the bytes are copied to memory that the model owns.
struct BytesCopy {
  BytesCopy(std::span<const std::byte> from, const std::string& name)
      : bytes(from.begin(), from.end()), file(bytes, name) {}

  const std::vector<std::byte> bytes;
  const Safetensors file;
};

}  // namespace

ModelFile load_model(const std::string& path, ModelMemory memory) {
  if (memory == ModelMemory::copied) {
    const auto copy = std::make_shared<const FileCopy>(model_path(path));
    return load(copy->file, {copy, &copy->file});
  }
  const auto file = std::make_shared<const Safetensors>(model_path(path));
  return load(*file, file);
}

ModelFile load_model(std::span<const std::byte> bytes, const std::string& name) {
  const Safetensors file(bytes, name);
  check_format(file);
  if (!has_int8_format(file)) return load(file, nullptr);
  const auto copy = std::make_shared<const BytesCopy>(bytes, name);
  return load(copy->file, {copy, &copy->file});
}

ParameterSource copied_from(const Safetensors& file, const std::string& prefix, const TensorNames& names) {
  return [&file, prefix, names](Parameters& parameters) {
    copy_parameters(file, find_tensors(file, parameters, prefix, names), parameters);
  };
}

void infer_sizes(const Safetensors& file, const TensorNames& names, ModelConfig& config) {
  const auto shape = [&](const char* parameter) {
    const StoredTensor& tensor = file.tensor(names.in_file(parameter));
    check<InputError>(tensor.shape.size() == 2, "{}: {} has shape {}, expected a matrix", file.name(),
                      in_quotes(tensor.name), tensor.shape_string());
    for (const Index size : tensor.shape)
      check<InputError>(size > 0 && size <= (1 << 30), "{}: {} has a size of {}", file.name(), in_quotes(tensor.name),
                        size);
    return std::pair{static_cast<int>(tensor.shape[0]), static_cast<int>(tensor.shape[1])};
  };
  std::tie(config.vocabulary.source, config.encoder.embedding) = shape("encoder.embedding.weight");
  config.encoder.hidden = shape("encoder.rnn.weight_hh_l0").second;
  std::tie(config.vocabulary.target, config.decoder.embedding) =
      shape(config.tied == Tying::all ? "encoder.embedding.weight" : "decoder.embedding.weight");
  config.decoder.hidden = shape("decoder.rnn.weight_hh_l0").second;
  const ScoreKind& score = score_kind(config.attention.score);
  if (score.sized_tensor != nullptr) config.attention.*score.sized_setting = shape(score.sized_tensor).first;
  if (config.readout.tanh) config.readout.size = shape("decoder.readout.weight").first;
}

}  // namespace heed::model
