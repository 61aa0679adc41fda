// heed help [COMMAND] [OPTION]
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "command.h"
#include "explain.h"

namespace heed::cli {

std::string overview(std::string_view name_prefix) {
  std::size_t width = 0;
  std::vector<std::string_view> groups;
  std::vector<const Command*> shown;
  for (const Command* command : commands()) {
    if (command->hidden || !command->name.starts_with(name_prefix)) continue;
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
  return out +
         "\nheed help COMMAND shows a command's options and an example, heed help OPTION explains one option or "
         "setting.\n";
}

std::string help_of(const Command& command, std::span<const std::string> arguments) {
  Options options(command.name);
  const auto action = command.make();
  action->declare(options);
  if (!arguments.empty()) options.parse(arguments);
  action->apply_preset(options);
  const bool all = std::ranges::find(arguments, "--help-all") != arguments.end();
  std::string out = fmt::format("heed {}: {}\n\n{}\nExample\n", command.name, command.summary,
                                all ? options.help() : options.short_help());
  for (std::string_view rest = command.example; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    out += fmt::format("  {}\n", line);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return out;
}

namespace help_command {

struct Values {
  std::vector<std::string> words;
};

void declare(Options& o, Values& v) {
  o.positional("WORD", v.words,
               "a command (train), one of its options (translate --beam), or an option or setting of any command "
               "(attention.score)",
               0);
}

// The text of `heed help COMMAND REST…`. The rest is empty, an option to explain, or options such as --preset NAME that
// change the defaults shown.
std::string text_about(const Command& command, std::span<const std::string> rest) {
  std::vector<std::string> arguments(rest.begin(), rest.end());
  if (rest.empty() || rest[0] == "--help-all") return help_of(command, arguments);
  if (rest.size() > 1) {
    check<UsageError>(rest[0].starts_with('-'), "the argument {} is not expected; usage: heed help COMMAND [OPTION]",
                      in_quotes(rest[1]));
    arguments.emplace_back("--help");
    return help_of(command, arguments);
  }
  const Command* const only[] = {&command};
  const std::string text = explain_option(only, rest[0]);
  check<UsageError>(!text.empty(), "heed {} has no option {}{}", command.name, in_quotes(rest[0]),
                    did_you_mean(rest[0], option_names(only)));
  return text;
}

std::string text_about(std::span<const std::string> words) {
  if (words.empty()) return overview();
  std::vector<const Command*> shown;
  std::vector<std::string> names;
  for (const Command* command : commands()) {
    const bool two = words.size() > 1 && command->name == words[0] + " " + words[1];
    if (two || command->name == words[0]) return text_about(*command, words.subspan(two ? 2 : 1));
    if (command->hidden) continue;
    shown.push_back(command);
    names.emplace_back(command->name);
  }
  if (words.size() > 1) return help_of(find_command(words));
  // The first word of a two-word command, as in `heed help bench`, lists its subcommands.
  std::string text = overview(words[0] + " ");
  if (text.empty()) text = explain_section(kTrain, words[0]);
  if (text.empty()) text = explain_option(shown, words[0]);
  if (!text.empty()) return text;
  for (std::string& name : option_names(shown)) names.push_back(std::move(name));
  throw UsageError("there is no command, option or setting {}{} (heed help lists the commands)", in_quotes(words[0]),
                   did_you_mean(words[0], names));
}

int run(Values& v, Options&) {
  write_output(text_about(std::span<const std::string>(v.words)));
  return 0;
}

}  // namespace help_command

const Command kHelp{.name = "help",
                    .group = "About",
                    .summary = "show the commands and their options, or explain one option or setting",
                    .example = "heed help translate\nheed help translate --beam\nheed help attention.score",
                    .make = action<help_command::Values, help_command::declare, help_command::run>};

}  // namespace heed::cli
