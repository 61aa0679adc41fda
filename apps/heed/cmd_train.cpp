// heed train: trains a model from parallel text.
#include <filesystem>

#include "base/files.h"
#include "command.h"
#include "model/presets.h"
#include "train/run_directory.h"
#include "train_screen.h"

namespace heed::cli {
namespace train_command {

struct Values {
  train::RunConfig config;
  train::RunFiles files;
  std::string config_file, preset = "heed";
  bool resume = false, overwrite = false;
};

void declare(Options& o, Values& v) {
  o.positional("CONFIG", v.config_file, "TOML file with settings; they override the preset", false).reads();
  o.group("Run");
  o.flag("preset", v.preset, "model and settings to start from; `heed presets` lists them").value("NAME").early();
  o.flag("out", v.files.out, "run directory").value("DIR").writes([](const std::string& path) {
    return train::RunDirectory(path).files();
  });
  o.flag("resume", v.resume, "resume the run in the directory; start a new one if there is none");
  o.flag("overwrite", v.overwrite, "start again even if the directory contains a run");
  heed::train::declare(o, v.files);
  heed::train::declare(o, v.config);
}

void apply_preset(const Values& v, Options& options) {
  options.apply_preset(model::find_preset(v.preset).toml, fmt::format("preset {}", v.preset));
}

// A resumed run takes its settings from its directory, so that they need not be repeated.
void apply_settings(Values& v, Options& options) {
  const std::string kept = (std::filesystem::path(v.files.out) / "config.toml").string();
  if (v.resume && v.config_file.empty() && !options.is_set(&v.preset) && std::filesystem::exists(kept))
    return options.apply_toml(read_file(kept), kept);
  apply_preset(v, options);
  if (!v.config_file.empty()) options.apply_toml(read_file(v.config_file), v.config_file);
}

int run(Values& v, Options& options) {
  check<UsageError>(!v.resume || !v.overwrite, "--resume and --overwrite contradict each other; give only one");
  apply_settings(v, options);
  options.check_files();
  TrainScreen screen(v.files.out, 2);
  const train::Start start = v.resume      ? train::Start::resume
                             : v.overwrite ? train::Start::overwrite
                                           : train::Start::fresh;
  return screen.finish(train_run(v.config, v.files, start, screen));
}

}  // namespace train_command

const Command kTrain{
    .name = "train",
    .group = "Models",
    .summary = "train a model on parallel text",
    .example =
        "heed corpus pocket --pairs 200 --out pocket\n"
        "heed train --train-source pocket.train.en --train-target pocket.train.de \\\n"
        "  --set encoder.hidden=16 --set decoder.hidden=16 --epochs 1 --out run",
    .make = action<train_command::Values, train_command::declare, train_command::run, train_command::apply_preset>};

}  // namespace heed::cli
