// heed docs options: the page docs/options.md, written from the option registry
#include <fmt/format.h>

#include "command.h"

namespace heed::cli {

namespace docs_command {

struct Values {};

void declare(Options&, Values&) {}

int run(Values&, Options&) {
  std::string page =
      "# Options\n\n"
      "Every command with every option, written by `heed docs options` from the declarations in the code. A setting "
      "with a\n"
      "key can also stand in a configuration file or behind `--set`.\n";
  for (const Command* command : commands()) {
    if (command->hidden) continue;
    Options options(command->name);
    const auto action = command->make();
    action->declare(options);
    const std::string tables = options.to_markdown();
    page += fmt::format("\n## heed {}\n\n{}: `{}`\n", command->name, command->summary, options.usage());
    if (!tables.empty()) page += "\n" + tables;
  }
  write_output(page);
  return 0;
}

}  // namespace docs_command

extern const Command kDocsOptions;
const Command kDocsOptions{.name = "docs options",
                           .group = "About",
                           .summary = "the page docs/options.md",
                           .example = "heed docs options",
                           .make = action<docs_command::Values, docs_command::declare, docs_command::run>,
                           .hidden = true};

}  // namespace heed::cli
