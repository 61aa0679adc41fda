// Model files: one safetensors file, which Python's safetensors can read. Tensors have heed's names (model/names.h) and
// PyTorch's layout. Metadata, all strings:
//   heed.format      the version of this format: 1, or 2 for int8 models (model/int8_model.h)
//   heed.config      the configuration as TOML (model/config.h)
//   heed.checksum    over the whole file (see safetensors.h)
//   heed.vocabulary.source, heed.vocabulary.target    one word per line; opaque here
//   heed.*           other data of the model: provenance, a subword model, word frequencies; opaque here
// A shortlist is stored in tensors of its own (model/shortlist.h).
// The content does not depend on time, host or user. In files of heed 0.1 the tensors may have other names, which the
// section [names] of the configuration lists.
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
inline constexpr int kInt8Format = 2;
inline constexpr const char* kSourceVocabularyKey = "heed.vocabulary.source";
inline constexpr const char* kTargetVocabularyKey = "heed.vocabulary.target";
// {"source":"de","target":"en"}: the languages that the training files name, if the text settings do not.
inline constexpr const char* kLanguagesKey = "heed.languages";

struct RecordedLanguages {
  std::string source, target;
};

struct ModelFile {
  std::unique_ptr<Model> model;
  Metadata metadata;                        // without format, configuration and checksum; in file order
  std::shared_ptr<const Safetensors> file;  // holds the parameters; null if they were copied
  TensorNames names;                        // of the tensors in the file; empty if they are heed's own

  // The value of a metadata key, or null.
  const std::string* find_metadata(std::string_view key) const { return find_value(metadata, key); }
  // The languages under kLanguagesKey; both are empty if the key is missing or malformed.
  RecordedLanguages recorded_languages() const;
  // InputError if another program has written to the file since it was opened.
  void check_unchanged() const {
    if (file) file->check_unchanged();
  }
};

// Writes the whole file or nothing. With another shortlist than the model's own if it is not null.
void save_model(const std::string& path, const Model& model, const Metadata& metadata,
                const Shortlist* shortlist = nullptr);
// The same for any tensors.
void write_model(const std::string& path, const ModelConfig& config, const Metadata& metadata,
                 std::span<const StoredTensor> tensors, int format = kModelFormat);
// InputError if the file is damaged, of a newer format, or its tensors do not match its configuration. The parameters
// stay in the mapped file: they are read-only, not copied, and shared between processes. `path` as in model_path().
// With ModelMemory::copied, the whole file is first copied to memory, for programs that run for long: whatever happens
// to the file later, the model stays as it is.
enum class ModelMemory { mapped, copied };
ModelFile load_model(const std::string& path, ModelMemory memory = ModelMemory::mapped);
// The same from bytes in memory, which are copied; `name` replaces the path in messages.
ModelFile load_model(std::span<const std::byte> bytes, const std::string& name);

// For a new model: copies the parameters from a file, where they are named PREFIX + their name in the file. F16 and
// BF16 are converted. InputError, before any memory is allocated, if a tensor is missing, has the wrong shape or type,
// or begins with the prefix but belongs to no parameter and is not among the unused names; InputError also if a number
// is NaN or infinite. The file must outlive the model's constructor.
ParameterSource copied_from(const Safetensors& file, const std::string& prefix = "", const TensorNames& names = {});

// Sets the sizes in `config` that follow from a state dict's tensors: of vocabularies, embeddings, hidden layers,
// attention and readout. The numbers of layers and the kinds of all parts must be set already. InputError if a tensor
// that this needs is missing.
void infer_sizes(const Safetensors& file, const TensorNames& names, ModelConfig& config);

// The parameters as tensors to be written; views that are valid as long as the parameters.
std::vector<StoredTensor> stored_parameters(const Parameters& parameters, const TensorNames& names = {});

// The model's configuration as TOML.
std::string config_to_toml(const ModelConfig& config);

}  // namespace heed::model
