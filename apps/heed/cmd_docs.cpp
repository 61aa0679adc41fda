// heed docs: pages generated from the option registry, for the repository and for packages
#include "base/error.h"
#include "docs_pages.h"

namespace heed::cli {

namespace docs_command {

struct Values {
  std::string shell;
};

void declare(Options&, Values&) {}

void declare_completions(Options& o, Values& v) {
  o.positional("SHELL", v.shell, "the shell: bash");
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
