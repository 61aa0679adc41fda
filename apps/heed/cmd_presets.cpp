// heed presets: lists the presets, or prints one of them.
#include "base/json.h"
#include "base/shared_options.h"
#include "command.h"
#include "model/presets.h"

namespace heed::cli {
namespace presets_command {

struct Values {
  std::string name;
  bool json = false;
};

void declare(Options& o, Values& v) {
  o.positional("NAME", v.name, "print this preset's TOML file", false);
  declare_json(o, v.json);
}

int run(Values& v, Options& /*options*/) {
  if (!v.name.empty()) {
    const model::Preset& preset = model::find_preset(v.name);
    write_output(v.json
                     ? dump_json({{"name", preset.name}, {"document", preset.document}, {"toml", preset.toml}}) + "\n"
                     : std::string(preset.toml));
    return 0;
  }
  Json list = Json::array();
  if (!v.json) write_output("{:<18} {:<8} {}\n", "preset", "tutorial", "model");
  for (const model::Preset& preset : model::presets()) {
    if (v.json)
      list.push_back({{"name", preset.name}, {"document", preset.document}, {"summary", preset.summary}});
    else
      write_output("{:<18} {:<8} {}\n", preset.name, preset.document, preset.summary);
  }
  if (!v.json) write_output("\n`heed presets NAME` prints a preset; docs/systems.md names the tutorials.\n");
  if (v.json) print_json({{"presets", list}});
  return 0;
}

}  // namespace presets_command

const Command kPresets{.name = "presets",
                       .group = "Models",
                       .summary = "list the built-in presets, or print one as TOML",
                       .example = "heed presets\nheed presets luong-dot",
                       .make = action<presets_command::Values, presets_command::declare, presets_command::run>};

}  // namespace heed::cli
