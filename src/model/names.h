// The names of tensors in files. heed has one name for each parameter (encoder.rnn.weight_ih_l0, decoder.out.bias) and
// writes model files with these. Others' files call the same tensor something else: PyTorch state dicts of the
// tutorials that the presets come from, and model files of heed 0.1, which kept the tutorials' names. A section [names]
// in TOML tells: in the preset, or in the configuration of the old model file.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed::model {

// From heed's names to those of a file; without entries they are the same.
struct TensorNames {
  // A name, or all names that begin with one if it ends in a dot: {"decoder.rnn.", "decoder.gru."}.
  std::vector<std::pair<std::string, std::string>> entries;
  std::vector<std::string> unused;  // tensors that the file may hold and nothing reads

  bool empty() const { return entries.empty() && unused.empty(); }
  std::string in_file(std::string_view name) const;
};

// The names in the section [names] of a TOML text; empty if it has none.
TensorNames names_in_config(std::string_view toml, std::string_view where);
// The names in a state dict of the tutorial that a preset comes from; heed's own for other systems.
TensorNames tutorial_names(std::string_view system);

}  // namespace heed::model
