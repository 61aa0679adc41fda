// heed train: trains a model on parallel text.
#include <fmt/ranges.h>

#include <filesystem>

#include "base/utf8.h"
#include "command.h"
#include "interrupt.h"
#include "job.h"
#include "text_arguments.h"
#include "train/run_request.h"
#include "train/seeds.h"
#include "train_screen.h"

namespace heed::cli {
namespace train_command {

using Values = train::RunRequest;

void apply_preset(const Values& v, Options& options) {
  v.apply_preset(options);
}

constexpr std::size_t kSamples = 2;  // translations shown after each validation

struct RunOutcome {
  train::RunResult result;
  int exit_code;
};
// Trains with the other ranks; only rank 0 shows the run.
template <class Train>
RunOutcome run_with_screen(TrainScreen& screen, Train train) {
  if (job().is_main()) {
    const train::RunResult result = train(screen);
    return {result, screen.finish(result)};
  }
  watch_interrupts();  // rank 0 decides what a signal means
  train::RunObserver silent;
  return {train(silent), 0};
}

int train_seeds(const Values& v, train::Start start) {
  const train::SeedRuns runs(v.config, v.files, v.seeds, start, job());
  for (int number = 1; number <= runs.count(); ++number) {
    const std::string label = fmt::format("seed {} of {}", number, runs.count());
    if (job().is_main())
      say("{}: training.seed {} in {}\n", label, v.config.training.seed + number - 1, runs.directory(number));
    TrainScreen screen(runs.directory(number), kSamples, label, v.files.out);
    const RunOutcome run =
        run_with_screen(screen, [&](train::RunObserver& observer) { return runs.train(number, observer); });
    if (run.result.end == train::RunResult::End::stopped) return run.exit_code;
  }
  if (!job().is_main()) return 0;
  std::vector<std::string> figures;
  for (const auto& [name, value] : runs.finish())
    figures.push_back(fmt::format("{} {}", train::metric_label(name), metric_text(name, value)));
  say("best validations of {} seeds (mean{}): {}\nsummary: {}/seeds.json; compare: {} runs {}\n", runs.count(),
      runs.count() > 1 ? " ± standard deviation" : "", fmt::format("{}", fmt::join(figures, ", ")), v.files.out,
      program_name(), quote_word(v.files.out));
  return 0;
}

void refuse_directories_and_models(const Values& v) {
  for (const std::string& path : v.arguments)
    check<UsageError>(!std::filesystem::is_directory(path),
                      "{} is a directory; give the files to train on, or resume the run in it: {} train --resume --out "
                      "{}",
                      in_quotes(path), program_name(), quote_word(path));
  for (const auto& files : {v.arguments, v.files.train_files})
    for (const std::string& path : files)
      refuse_model(path, "to fine-tune it, give it with --from, and text to train on with --train");
}

int run(Values& v, Options& options) {
  refuse_directories_and_models(v);
  v.settle(
      options, [](const std::string& sentence) { print_note("{}", sentence); }, job());
  if (v.seeds > 0) return train_seeds(v, v.start());
  TrainScreen screen(v.files.out, kSamples);
  const auto train = [&](train::RunObserver& observer) {
    return train_run(v.config, v.files, v.start(), observer, job());
  };
  return run_with_screen(screen, train).exit_code;
}

}  // namespace train_command

const Command kTrain{
    .name = "train",
    .group = "Models",
    .summary = "train a model on parallel text",
    .example =
        "heed corpus pocket --pairs 200 --out few\n"
        "heed train --train few.train.en few.train.de \\\n"
        "  --set encoder.hidden=16 --set decoder.hidden=16 --epochs 1 --out run",
    .make = action<train_command::Values, train::declare, train_command::run, train_command::apply_preset>};

}  // namespace heed::cli
