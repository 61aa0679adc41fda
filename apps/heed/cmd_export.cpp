// heed export: writes a model's tensors with the names of the PyTorch module.
#include <filesystem>

#include "base/terminal.h"
#include "base/utf8.h"
#include "command.h"
#include "model/int8_model.h"
#include "model/model_path.h"

namespace heed::cli {
namespace export_command {

struct Values {
  std::string model, format = "pytorch", out;
};

void declare(Options& o, Values& v) {
  o.positional("MODEL", v.model, "a model file or run directory").reads(model::model_files);
  o.flag("format", v.format, "output format", choices({"pytorch"}));
  o.flag("out", v.out, "the file to write").required().value("FILE").writes();
}

// The file is safetensors, whatever its name: torch.load() could not read a file that is named as its own.
void check_name(const std::string& out) {
  const std::filesystem::path path(out);
  for (const std::string_view ending : {".pt", ".pth", ".bin", ".ckpt", ".pkl", ".npz", ".onnx"})
    check<UsageError>(path.extension() != ending,
                      "--out {}: heed export writes safetensors, not {} files; name it {}, and read it in Python with "
                      "safetensors.torch.load_file",
                      in_quotes(out), ending,
                      in_quotes(std::filesystem::path(path).replace_extension(".safetensors").string()));
}

int run(Values& v, Options& /*options*/) {
  check_name(v.out);
  const model::ModelFile file = model::load_f32_model(v.model);
  const model::TensorNames names = file.names.empty() ? model::tutorial_names(file.model->config().system) : file.names;
  write_safetensors(v.out, {{"format", "pt"}}, stored_parameters(file.model->parameters(), names), false);
  say("heed: wrote {} tensors to {}\n", file.model->parameters().size(), v.out);
  return 0;
}

}  // namespace export_command

const Command kExport{.name = "export",
                      .group = "Models",
                      .summary = "write a model's tensors with PyTorch's names",
                      .example = "heed export run/model.safetensors --format pytorch --out weights.safetensors",
                      .make = action<export_command::Values, export_command::declare, export_command::run>};

}  // namespace heed::cli
