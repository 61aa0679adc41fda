// Names of tensors in files. heed's own names (encoder.rnn.weight_ih_l0, decoder.out.bias) are used in its model files.
// Two kinds of files have other names: PyTorch state dicts of the tutorials that the presets come from, and model files
// of heed 0.1, which kept the tutorials' names. The section [names] in the TOML of the preset, or of the old model
// file, maps heed's names to theirs.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed::model {

// A map from heed's names to those of a file. Names without an entry stay the same.
struct TensorNames {
  // A name, or a prefix that ends in a dot: {"decoder.rnn.", "decoder.gru."}.
  std::vector<std::pair<std::string, std::string>> entries;
  std::vector<std::string> unused;  // tensors of the file to ignore

  bool empty() const { return entries.empty() && unused.empty(); }
  std::string in_file(std::string_view name) const;
};

// The names in the section [names] of a TOML text; empty if it has none.
TensorNames names_in_config(std::string_view toml, std::string_view where);
// The names in the state dict of the tutorial that a preset comes from; empty for other models.
TensorNames tutorial_names(std::string_view system);

}  // namespace heed::model
