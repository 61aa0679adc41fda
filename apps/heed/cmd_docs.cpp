// heed docs: prints pages generated from the option registry, for the repository and for packages.
#include "base/error.h"
#include "base/files.h"
#include "docs_pages.h"

namespace heed::cli {

namespace docs_command {

struct Values {
  std::string shell, file;
};

void declare_none(Options&, Values&) {}

void declare_systems(Options& o, Values& v) {
  o.positional("FILE", v.file, "docs/systems.md").reads();
}

void declare_completions(Options& o, Values& v) {
  o.positional("SHELL", v.shell, "the shell: bash, zsh or fish");
}

std::string options_text(const Values&) {
  return options_page(commands());
}

std::string systems_text(const Values& v) {
  return systems_page(read_file(v.file), v.file);
}

std::string man_text(const Values&) {
  const std::string full = version();
  return man_page(commands(), full.substr(0, full.find(" (")));
}

std::string completions_text(const Values& v) {
  if (v.shell == "zsh") return zsh_completions(commands());
  if (v.shell == "fish") return fish_completions(commands());
  check<UsageError>(v.shell == "bash", "there are no completions for the shell '{}'; expected bash, zsh or fish",
                    v.shell);
  return bash_completions(commands());
}

template <std::string (*Text)(const Values&)>
int print(Values& v, Options&) {
  write_output(Text(v));
  return 0;
}

template <std::string (*Text)(const Values&), void (*Declare)(Options&, Values&) = declare_none>
constexpr Command page(std::string_view name, std::string_view summary, std::string_view example) {
  return {.name = name,
          .group = "About",
          .summary = summary,
          .example = example,
          .make = action<Values, Declare, print<Text>>,
          .hidden = true};
}

}  // namespace docs_command

const Command kDocsOptions =
    docs_command::page<docs_command::options_text>("docs options", "print docs/options.md", "heed docs options");
const Command kDocsSystems = docs_command::page<docs_command::systems_text, docs_command::declare_systems>(
    "docs systems", "print docs/systems.md with the tables of the presets", "heed docs systems docs/systems.md");
const Command kDocsMan =
    docs_command::page<docs_command::man_text>("docs man", "print the manual page heed.1", "heed docs man > heed.1");
const Command kDocsCompletions = docs_command::page<docs_command::completions_text, docs_command::declare_completions>(
    "docs completions", "print completions for a shell", "heed docs completions bash > heed.bash");

}  // namespace heed::cli
