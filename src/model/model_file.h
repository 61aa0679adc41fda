// Model files: one safetensors file, readable as it is by Python's safetensors. Tensors have heed's names
// (model/names.h) and PyTorch's layout. Metadata, all strings:
//   heed.format      the version of this format, 1
//   heed.config      the configuration as TOML (model/config.h)
//   heed.checksum    over the whole file (see safetensors.h)
//   heed.vocabulary.source, heed.vocabulary.target    one word per line; opaque here
//   heed.*           whatever else belongs to the model: provenance, a subword model; opaque here
// Nothing in it depends on when, where or by whom it was written. Files of heed 0.1 may have other names for the
// tensors; then the section [names] of their configuration says which.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/safetensors.h"
#include "model/autograd.h"
#include "model/model.h"
#include "model/names.h"

namespace heed::model {

inline constexpr int kModelFormat = 1;
inline constexpr const char* kSourceVocabularyKey = "heed.vocabulary.source";
inline constexpr const char* kTargetVocabularyKey = "heed.vocabulary.target";

struct ModelFile {
  std::unique_ptr<Model> model;
  Metadata metadata;                        // what is not the format, the configuration or the checksum, in file order
  std::shared_ptr<const Safetensors> file;  // where the parameters are; null if they were copied
  TensorNames names;                        // of the tensors in the file; empty if they are heed's own

  // The value of a metadata key, or null.
  const std::string* find_metadata(std::string_view key) const { return find_value(metadata, key); }
  // InputError if another program has written into the file while the parameters were used.
  void check_unchanged() const {
    if (file) file->check_unchanged();
  }
};

// Written whole or not at all.
void save_model(const std::string& path, const Model& model, const Metadata& metadata);
// InputError if the file is damaged, of a newer format, or its tensors do not fit its configuration. The parameters
// stay in the mapped file: nothing is copied, several programs share them, and they are read-only.
ModelFile load_model(const std::string& path);
// The same from bytes in memory, copied; `name` stands for the path in messages.
ModelFile load_model(std::span<const std::byte> bytes, const std::string& name);

// For a new model: its parameters as a copy of those in the file, F16 and BF16 converted. InputError, before any memory
// is allocated, unless each is there as PREFIX + its name in the file, F32, F16 or BF16 and of its shape; and if a
// tensor that begins with the prefix belongs to no parameter and is not among the unused names. The file must outlive
// the model's constructor.
ParameterSource copied_from(const Safetensors& file, const std::string& prefix = "", const TensorNames& names = {});
// Fills the parameters from a file of such a model. InputError if a number is NaN or infinite.
void load_parameters(const Safetensors& file, const Parameters& parameters, std::string_view prefix = "",
                     const TensorNames& names = {});

// The sizes that a state dict's tensors tell: vocabularies, embedding and hidden sizes, what the score's row says.
// Layers and kinds come from `config`. InputError if a tensor that is needed for that is missing.
void infer_sizes(const Safetensors& file, const TensorNames& names, ModelConfig& config);

// The parameters as tensors of a file; the views stay valid as long as the parameters.
std::vector<StoredTensor> stored_parameters(const Parameters& parameters, const TensorNames& names = {});

// The model's configuration as TOML.
std::string config_to_toml(const ModelConfig& config);

}  // namespace heed::model
