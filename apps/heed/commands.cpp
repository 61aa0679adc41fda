// The table of commands.

#include "base/error.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "command.h"

namespace heed::cli {

namespace {
const Command* const kCommands[] = {
    &kDemo,
    &kCorpusPocket,
    &kData,
    &kTokenize,
    &kPresets,
    &kTrain,
    &kTranslate,
    &kGather,
    &kServe,
    &kEvaluate,
    &kScore,
    &kCompare,
    &kAlign,
    &kAttend,
    &kReport,
    &kRuns,
    &kInfo,
    &kVocab,
    &kShortlist,
    &kQuantize,
    &kExport,
    &kImport,
    &kParity,
    &kBenchTrain,
    &kBenchTranslate,
    &kHelp,
    &kVersion,
    &kDocsOptions,
    &kDocsSystems,
    &kDocsMan,
    &kDocsCompletions,
};
}  // namespace

std::span<const Command* const> commands() {
  return kCommands;
}

const Command& find_command(std::span<const std::string> words) {
  check<InternalError>(!words.empty(), "find_command() needs a word");
  const std::string two = words.size() > 1 ? words[0] + " " + words[1] : "";
  std::vector<std::string> names, parts;
  for (const Command* command : kCommands) {
    if (command->name == words[0] || command->name == two) return *command;
    const std::size_t space = command->name.find(' ');
    if (command->name.substr(0, space) == words[0]) parts.emplace_back(command->name.substr(space + 1));
    if (!command->hidden) names.emplace_back(command->name);
  }
  if (!parts.empty() && words.size() > 1)
    throw UsageError("{} has no subcommand {}{} (expected {})", words[0], in_quotes(words[1]),
                     did_you_mean(words[1], parts), alternatives(parts));
  if (!parts.empty()) throw UsageError("{} needs a subcommand: {}", words[0], alternatives(parts));
  throw UsageError("there is no command {}{} (heed help lists them)", in_quotes(words[0]),
                   did_you_mean(words[0], names));
}

}  // namespace heed::cli
