// A subcommand. Each is defined in its own file cmd_NAME.cpp; commands.cpp holds the table.
//
//   struct Values { int beam = 1; };
//   void declare(Options& o, Values& v) { o.flag("beam", v.beam, "hypotheses kept", range(1, 100)); }
//   int run(Values& v, Options&) { write_output(fmt::format("{}\n", v.beam)); return 0; }
//   …
//   const Command kBeam{.name = "beam", .group = "Models", .summary = "…", .example = "heed beam --beam 2",
//                       .make = action<Values, declare, run>};
#pragma once

#include <fmt/format.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/options.h"
#include "base/terminal.h"

namespace heed::cli {

// A command with the values of its options. run() is called after parsing and returns the exit code.
class Action {
 public:
  virtual ~Action() = default;
  virtual void declare(Options& options) = 0;
  // Called before help and docs are printed, which show the preset's values as defaults. run() applies it itself.
  virtual void apply_preset(Options& options) = 0;
  virtual int run(Options& options) = 0;
};

template <class Values, void (*Declare)(Options&, Values&), int (*Run)(Values&, Options&),
          void (*ApplyPreset)(const Values&, Options&) = nullptr>
std::unique_ptr<Action> action() {
  struct Bound final : Action {
    Values values;
    void declare(Options& options) override { Declare(options, values); }
    void apply_preset(Options& options) override {
      if constexpr (ApplyPreset != nullptr) ApplyPreset(values, options);
    }
    int run(Options& options) override { return Run(values, options); }
  };
  return std::make_unique<Bound>();
}

struct Command {
  std::string_view name;     // as typed after heed; may have two words: "bench train"
  std::string_view group;    // the heading in the overview
  std::string_view summary;  // one line, no full stop
  std::string_view example;  // may have several lines; runs after the examples of the previous commands
  std::unique_ptr<Action> (*make)();
  bool hidden = false;  // not in the overview or the docs
};

// Each is defined in its own file.
extern const Command kDemo, kCorpusPocket, kData, kTokenize, kPresets, kTrain, kTranslate, kGather, kServe, kEvaluate,
    kScore, kCompare, kAlign, kAttend, kReport, kRuns, kInfo, kVocab, kShortlist, kQuantize, kExport, kImport, kParity,
    kBenchTrain, kBenchTranslate, kHelp, kVersion, kDocsOptions, kDocsSystems, kDocsMan, kDocsCompletions;

// All commands, in the order of the overview.
std::span<const Command* const> commands();

// The command named by the first one or two words. UsageError with the nearest name if there is none.
const Command& find_command(std::span<const std::string> words);

// heed in one sentence.
inline constexpr std::string_view kAbout =
    "heed trains translation models with attention, translates with them and shows what they attend to.";

// The text of `heed help`, restricted to commands whose name starts with `name_prefix`; empty if there is none.
std::string overview(std::string_view name_prefix = "");
// The text of `heed COMMAND --help`; of `arguments`, only those that change the defaults (--preset) matter.
std::string help_of(const Command& command, std::span<const std::string> arguments = {});

// How the user called heed, for commands that can be pasted into a shell: "heed", "build/heed".
std::string program_name();

// "heed 0.1.0 (Release, AVX2)"
std::string version();

// Writes to standard output; InputError if that fails. Flushed when the command ends.
void write_output(std::string_view text);
// For reports: text arguments, which may be untrusted, are made printable.
template <class First, class... Rest>
void write_output(fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest) {
  write_output(fmt::format(fmt::runtime(text), printable_argument(first), printable_argument(rest)...));
}
void print_json(const Json& json);  // on one line, with \u escapes for what a terminal might not show
void flush_output();

// One line on standard error, with printable arguments.
template <class... Args>
void print_note(fmt::format_string<Args...> text, Args&&... args) {
  say("heed: note: {}\n", fmt::format(fmt::runtime(text), printable_argument(args)...));
}

}  // namespace heed::cli
