// What a subcommand is. Each lives in one file cmd_NAME.cpp, which defines its Command; commands.cpp holds the table.
//
//   struct Values { int beam = 1; };
//   void declare(Options& o, Values& v) { o.flag("beam", v.beam, "hypotheses kept", range(1, 100)); }
//   int run(Values& v, Options&) { write_output(fmt::format("{}\n", v.beam)); return 0; }
//   …
//   const Command kBeam{.name = "beam", .group = "Models", .summary = "…", .example = "heed beam --beam 2",
//                       .make = action<Values, declare, run>};
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/options.h"

namespace heed::cli {

// A command with the values of its options. run() gets them parsed and checked; what it returns is the exit code.
class Action {
 public:
  virtual ~Action() = default;
  virtual void declare(Options& options) = 0;
  // Before help and docs are printed: they show the preset's values as defaults. run() applies it itself.
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
  std::string_view name;     // as typed after heed; two words for a part of a larger command: "bench train"
  std::string_view group;    // the heading in the overview
  std::string_view summary;  // one line, no full stop
  std::string_view example;  // works as it stands after the examples of the commands before it; may have several lines
  std::unique_ptr<Action> (*make)();
  bool hidden = false;  // not in the overview or the docs
};

// Each is defined in its own file.
extern const Command kDemo, kCorpusPocket, kData, kTokenize, kPresets, kTrain, kTranslate, kEvaluate, kScore, kCompare,
    kAlign, kAttend, kReport, kInfo, kExport, kImport, kParity, kBenchTrain, kBenchTranslate, kHelp, kVersion,
    kDocsOptions, kDocsMan, kDocsCompletions;

// The table, in the order of the overview.
std::span<const Command* const> commands();

// The command that the first words name. UsageError with the nearest name otherwise.
const Command& find_command(std::span<const std::string> words);

// heed in one sentence.
inline constexpr std::string_view kAbout =
    "heed trains translation models with attention, translates with them and shows what they attend to.";

// The texts of `heed help` (of the commands whose name begins so; empty if none does) and `heed COMMAND --help`: of its
// arguments, only those count on which the defaults depend.
std::string overview(std::string_view first_words = "");
std::string help_of(const Command& command, std::span<const std::string> arguments = {});

// "heed 0.1.0 (Release, AVX2)"
std::string version();

// Writes to standard output; InputError if it is full or closed. Flushed when the command ends.
void write_output(std::string_view text);
void flush_output();

}  // namespace heed::cli
