// heed docs: pages generated from the option registry, for the repository and for packages
#include "base/error.h"
#include "base/files.h"
#include "docs_pages.h"

namespace heed::cli {

namespace docs_command {

struct Values {
  std::string shell, page;
};

void declare(Options&, Values&) {}

void declare_completions(Options& o, Values& v) {
  o.positional("SHELL", v.shell, "the shell: bash");
}

void declare_systems(Options& o, Values& v) {
  o.positional("FILE", v.page, "docs/systems.md").reads();
}

int run_systems(Values& v, Options&) {
  write_output(systems_page(read_file(v.page), v.page));
  return 0;
}

int run_options(Values&, Options&) {
  write_output(options_page(commands()));
  return 0;
}

int run_man(Values&, Options&) {
  const std::string full = version();
  write_output(man_page(commands(), full.substr(0, full.find(" ("))));
  return 0;
}

int run_completions(Values& v, Options&) {
  check<UsageError>(v.shell == "bash", "there are no completions for the shell '{}'; expected bash", v.shell);
  write_output(bash_completions(commands()));
  return 0;
}

}  // namespace docs_command

const Command kDocsOptions{.name = "docs options",
                           .group = "About",
                           .summary = "print docs/options.md",
                           .example = "heed docs options",
                           .make = action<docs_command::Values, docs_command::declare, docs_command::run_options>,
                           .hidden = true};
const Command kDocsSystems{
    .name = "docs systems",
    .group = "About",
    .summary = "print docs/systems.md with the tables of the presets",
    .example = "heed docs systems $HEED/docs/systems.md > systems.md",
    .make = action<docs_command::Values, docs_command::declare_systems, docs_command::run_systems>,
    .hidden = true};
const Command kDocsMan{.name = "docs man",
                       .group = "About",
                       .summary = "print the manual page heed.1",
                       .example = "heed docs man > heed.1",
                       .make = action<docs_command::Values, docs_command::declare, docs_command::run_man>,
                       .hidden = true};
const Command kDocsCompletions{
    .name = "docs completions",
    .group = "About",
    .summary = "print a shell's completions",
    .example = "heed docs completions bash > heed.bash",
    .make = action<docs_command::Values, docs_command::declare_completions, docs_command::run_completions>,
    .hidden = true};

}  // namespace heed::cli
