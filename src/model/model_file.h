// Model files: one safetensors file, readable as it is by Python's safetensors. Tensors carry PyTorch's names and
// layout. Metadata, all strings:
//   heed.format      the version of this format, 1
//   heed.config      the configuration as TOML (model/config.h)
//   heed.checksum    over the whole file (see safetensors.h)
//   heed.vocabulary.source, heed.vocabulary.target    one word a line; opaque here
//   heed.*           whatever else belongs to the model: provenance, a subword model; opaque here
// Nothing in it depends on when, where or by whom it was written.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/safetensors.h"
#include "model/model.h"

namespace heed {

inline constexpr int kModelFormat = 1;
inline constexpr const char* kSourceVocabularyKey = "heed.vocabulary.source";
inline constexpr const char* kTargetVocabularyKey = "heed.vocabulary.target";

struct ModelFile {
  std::unique_ptr<Model> model;
  Metadata metadata;                        // what is not the format, the configuration or the checksum, in file order
  std::shared_ptr<const Safetensors> file;  // where the parameters are; null where they were copied

  // The value of a metadata key, or null.
  const std::string* find_metadata(std::string_view key) const { return find_value(metadata, key); }
  // InputError where another program has written into the file while the parameters were used.
  void check_unchanged() const {
    if (file) file->check_unchanged();
  }
};

// Written whole or not at all.
void save_model(const std::string& path, const Model& model, const Metadata& metadata);
// InputError where the file is damaged, of a newer format, or its tensors do not fit its configuration. The parameters
// stay in the mapped file: nothing is copied, several programs share them, and they can be read alone.
ModelFile load_model(const std::string& path);
// The same from bytes in memory, copied; `name` stands for the path in messages.
ModelFile load_model(std::span<const std::byte> bytes, const std::string& name);

// For a new model: its parameters as a copy of those in the file. InputError, before any memory is asked for, unless
// each is there as PREFIX + name, F32 and of its shape; and where a tensor belongs to no parameter, unless it is among
// `unused` or does not begin with the prefix. The file must outlive the model's constructor.
Model::Place copied_from(const Safetensors& file, const std::string& prefix,
                         const std::vector<std::string>& unused = {});
// Fills the parameters from a file of such a model. InputError where a number is not finite.
void load_parameters(const Safetensors& file, const Parameters& parameters, std::string_view prefix);

// The sizes that a state dict's tensors tell: vocabularies, embedding and hidden sizes, location's length. Layers and
// kinds come from `config`. InputError where a tensor that is needed for that is missing.
void infer_sizes(const Safetensors& file, ModelConfig& config);

// The parameters as tensors of a file; the views stay valid as long as the parameters.
std::vector<StoredTensor> stored_parameters(const Parameters& parameters);

// The model's configuration as TOML.
std::string config_to_toml(const ModelConfig& config);

}  // namespace heed
