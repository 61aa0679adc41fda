// heed train: trains a model from parallel text.
#include "base/files.h"
#include "command.h"
#include "model/presets.h"
#include "train_screen.h"

namespace heed::cli {
namespace {

struct Values {
  RunConfig config;
  std::string config_file, preset = "heed", out = "run";
  std::string train_source, train_target, train_tsv, tsv_columns = "1,2", valid_source, valid_target, valid_tsv;
};

void declare(Options& o, Values& v) {
  o.positional("CONFIG", v.config_file, "settings as TOML; the preset's hold where it says nothing", false);
  o.group("Files");
  o.flag("preset", v.preset, "the system to begin from; `heed presets` lists them").value("NAME");
  o.flag("train-source", v.train_source, "source sentences, one a line, plain or gzip").value("FILE");
  o.flag("train-target", v.train_target, "their translations, line by line").value("FILE");
  o.flag("train-tsv", v.train_tsv, "both in one file, between tabs, instead").value("FILE");
  o.flag("tsv-columns", v.tsv_columns, "the source's column and the target's").value("S,T");
  o.flag("valid-source", v.valid_source, "text to validate with").value("FILE");
  o.flag("valid-target", v.valid_target, "its translations").value("FILE");
  o.flag("valid-tsv", v.valid_tsv, "both in one file instead").value("FILE");
  o.flag("out", v.out, "the run directory to write").value("DIR");
  heed::declare(o, v.config);
}

int run(Values& v, Options& options) {
  options.apply_toml(find_preset(v.preset).toml, fmt::format("preset {}", v.preset));
  if (!v.config_file.empty()) options.apply_toml_file(v.config_file);
  const TsvColumns columns = parse_columns(v.tsv_columns);
  RunFiles files{.train = {.source = v.train_source, .target = v.train_target, .tsv = v.train_tsv, .columns = columns},
                 .valid = {.source = v.valid_source, .target = v.valid_target, .tsv = v.valid_tsv, .columns = columns},
                 .out = v.out};
  TrainScreen screen;
  train_run(v.config, files, screen);
  fmt::print(stderr, "the best model is {0}/model.safetensors; try: heed translate {0}/model.safetensors < text\n",
             v.out);
  return 0;
}

}  // namespace

extern const Command kTrain;
const Command kTrain{.name = "train",
                     .group = "Models",
                     .summary = "train a model on parallel text",
                     .example =
                         "heed corpus pocket --pairs 200 --out pocket\n"
                         "heed train --train-source pocket.train.en --train-target pocket.train.de \\\n"
                         "  --set encoder.hidden=16 --set decoder.hidden=16 --epochs 1 --out run",
                     .make = action<Values, declare, run>};

}  // namespace heed::cli
