// heed export: writes a model's tensors with the names of the PyTorch module.
#include "base/terminal.h"
#include "command.h"
#include "model/model_file.h"
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

int run(Values& v, Options& /*options*/) {
  const model::ModelFile file = model::load_model(v.model);
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
