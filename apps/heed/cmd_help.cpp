// heed help [COMMAND]
#include <fmt/format.h>

#include <algorithm>

#include "command.h"

namespace heed::cli {

std::string overview(std::string_view first_words) {
  std::size_t width = 0;
  std::vector<std::string_view> groups;
  std::vector<const Command*> shown;
  for (const Command* command : commands()) {
    if (command->hidden || !command->name.starts_with(first_words)) continue;
    shown.push_back(command);
    width = std::max(width, command->name.size());
    if (std::ranges::find(groups, command->group) == groups.end()) groups.push_back(command->group);
  }
  if (shown.empty()) return "";
  std::string out = fmt::format("{}\n\nUsage: heed COMMAND [arguments]\n", kAbout);
  for (const std::string_view group : groups) {
    out += fmt::format("\n{}\n", group);
    for (const Command* command : shown)
      if (command->group == group) out += fmt::format("  {:{}}  {}\n", command->name, width, command->summary);
  }
  return out + "\nheed help COMMAND shows a command's options and an example.\n";
}

std::string help_of(const Command& command, std::span<const std::string> arguments) {
  Options options(command.name);
  const auto action = command.make();
  action->declare(options);
  if (!arguments.empty()) options.parse(arguments);
  action->apply_preset(options);
  std::string out = fmt::format("heed {}: {}\n\n{}\nExample\n", command.name, command.summary, options.help());
  for (std::string_view rest = command.example; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    out += fmt::format("  {}\n", line);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return out;
}

namespace help_command {

struct Values {
  std::vector<std::string> command;
};

void declare(Options& o, Values& v) {
  o.positional("COMMAND", v.command, "the command to explain", 0, 2);
}

int run(Values& v, Options&) {
  // The first word of a two-word command, as in `heed help bench`, lists its subcommands.
  const std::string parts = v.command.size() == 1 ? overview(v.command[0] + " ") : "";
  if (v.command.empty())
    write_output(overview());
  else
    write_output(parts.empty() ? help_of(find_command(v.command)) : parts);
  return 0;
}

}  // namespace help_command

const Command kHelp{.name = "help",
                    .group = "About",
                    .summary = "show the commands and their options",
                    .example = "heed help version",
                    .make = action<help_command::Values, help_command::declare, help_command::run>};

}  // namespace heed::cli
