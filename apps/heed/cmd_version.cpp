// heed version, the same as heed --version and -V
#include <fmt/format.h>

#include "base/shared_options.h"
#include "base/version.h"
#include "command.h"
#include "kernels/cpu.h"

namespace heed::cli {

std::string version() {
  return fmt::format("heed {} ({}, {})", heed::kVersion, HEED_BUILD, kernels::instruction_set());
}

namespace version_command {

struct Values {
  bool json = false;
};

void declare(Options& o, Values& v) {
  declare_json(o, v.json);
}

int run(Values& v, Options&) {
  if (v.json)
    print_json({{"version", heed::kVersion}, {"build", HEED_BUILD}, {"instruction_set", kernels::instruction_set()}});
  else
    write_output(version() + "\n");
  return 0;
}

}  // namespace version_command

const Command kVersion{.name = "version",
                       .group = "About",
                       .summary = "print version, build type and instruction set",
                       .example = "heed version",
                       .make = action<version_command::Values, version_command::declare, version_command::run>};

}  // namespace heed::cli
