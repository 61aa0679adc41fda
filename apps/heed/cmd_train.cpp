// heed train: trains a model from parallel text.
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>

#include "base/files.h"
#include "base/utf8.h"
#include "command.h"
#include "data/directions.h"
#include "interrupt.h"
#include "job.h"
#include "model/presets.h"
#include "text/words.h"
#include "text_arguments.h"
#include "train/parent_model.h"
#include "train/run_directory.h"
#include "train/seeds.h"
#include "train_screen.h"

namespace heed::cli {
namespace train_command {

struct Values {
  train::RunConfig config;
  train::RunFiles files;
  std::vector<std::string> arguments;
  std::vector<std::string> config_files;
  std::string preset = "heed";
  bool resume = false, resume_with_other_workers = false, overwrite = false, no_holdout = false;
  int seeds = 0;
};

void declare(Options& o, Values& v) {
  o.positional(
       "CONFIG|FILE", v.arguments,
       "text to train on, as with --train; or TOML files with settings, which override the preset and earlier files", 0)
      .reads(data::weighted_file);
  o.group("Run");
  o.flag("preset", v.preset, "model and settings to start from; `heed presets` lists them")
      .value("NAME")
      .early()
      .common();
  o.flag("out", v.files.out, "run directory: model, logs, checkpoints")
      .value("DIR")
      .writes([](const std::string& path) {
        std::vector<std::string> files = train::RunDirectory(path).files();
        std::ranges::move(train::seed_files(path), std::back_inserter(files));
        return files;
      })
      .common();
  o.flag("resume", v.resume, "continue the run in that directory; start a new one if there is none").common();
  o.flag("resume-with-other-workers", v.resume_with_other_workers,
         "like --resume, but allows a different number of threads or processes; the result is then no longer "
         "bit-identical");
  o.flag("overwrite", v.overwrite, "start over; a run that is already in that directory is deleted").common();
  o.flag(
      "seeds", v.seeds,
      "train N runs in DIR/seed-1, DIR/seed-2, …, with the seeds training.seed, training.seed + 1, …, and report mean "
      "and standard deviation; 0: one run in DIR",
      range(0, train::kMaxSeeds));
  o.flag("no-holdout", v.no_holdout, "do not hold out validation pairs (data.holdout=false)");
  heed::train::declare(o, v.files);
  heed::train::declare(o, v.config);
}

void apply_preset(const Values& v, Options& options) {
  options.apply_preset(model::find_preset(v.preset).toml, fmt::format("preset {}", v.preset));
}

// Text among the arguments is training text, as if it had been given with --train.
void take_arguments(Values& v, Options& options) {
  Json texts = Json::array();
  for (const std::string& path : v.arguments) {
    const std::string file = data::without_weight(path);
    const auto is_text = [&] { return v.arguments.size() > 1 || file == "-" || data::looks_like_corpus(file); };
    const bool is_config = path.ends_with(".toml") || !is_text();
    if (is_config)
      v.config_files.push_back(path);
    else
      texts.push_back(path);
  }
  if (texts.empty()) return;
  options.apply_setting("data.train=" + dump_json(texts));
  // They are now files of --train; standard input must not be read twice.
  v.arguments = v.config_files;
}

void apply_file(const std::string& path, Values& v, Options& options) {
  const std::string text = read_file(path);
  try {
    apply_run_config(options, v.files, text, path, std::filesystem::path(path).parent_path().string());
  } catch (const InputError& error) {
    if (path.ends_with(".toml")) throw;
    throw InputError(
        "{} is neither parallel text nor a TOML configuration; to train on plain text, give two files: heed train "
        "SOURCE TARGET",
        in_quotes(path));
  }
}

// The configuration that the run in `directory` was started with, as saved by it.
struct SavedConfig {
  std::string directory, text, where;
  bool old = false;  // may have keys that no longer exist
};

// The configuration of the run to be resumed, if there is one.
std::optional<SavedConfig> find_saved_config(const Values& v) {
  const std::string path = v.seeds > 0 ? train::seed_directory(v.files.out, 1) : v.files.out;
  const train::RunDirectory directory(path);
  const std::string file = directory.file("config.toml");
  if (std::filesystem::exists(file)) return SavedConfig{path, read_file(file), file};
  const auto checkpoint = directory.newest().checkpoint;
  if (!checkpoint) return {};
  print_note("'{}' is missing; using the configuration in the checkpoint", file);
  return SavedConfig{path, checkpoint->identity().config,
                     fmt::format("the configuration in the checkpoint of '{}'", path), true};
}

// The same on all ranks: only rank 0 uses the run directory.
std::optional<SavedConfig> saved_config(const Values& v) {
  if (!v.resume) return {};
  const std::optional<SavedConfig> own = job().is_main() ? find_saved_config(v) : std::nullopt;
  std::string text = own ? dump_json({own->directory, own->text, own->where, own->old}) : "null";
  broadcast(job(), text);
  const Json saved = parse_json(text, "the configuration of rank 0");
  if (saved.is_null()) return {};
  return SavedConfig{saved[0], saved[1], saved[2], saved[3]};
}

bool has_preset(std::string_view name) {
  return std::ranges::find(model::presets(), name, &model::Preset::name) != model::presets().end();
}

void apply_settings(Values& v, Options& options, const std::optional<SavedConfig>& saved) {
  // The settings of a resumed run need not be repeated.
  if (saved && v.config_files.empty() && !options.is_set(&v.preset))
    return apply_run_config(options, v.files, saved->text, saved->where, saved->directory, saved->old);
  // The preset must be known before it is applied, so the files come first; their values and those of the command line
  // keep precedence.
  for (const std::string& path : v.config_files) apply_file(path, v, options);
  const std::string& system = v.config.model.system;
  if (options.is_set(&system)) {
    check<UsageError>(!options.is_set(&v.preset) || system == v.preset,
                      "the setting system is {}, but --preset is {}; give only one of them, or the same for both",
                      in_quotes(system), in_quotes(v.preset));
    v.preset = system;
  }
  if (v.files.from.empty()) return apply_preset(v, options);
  const train::ParentModel parent(v.files.from);
  check<UsageError>(!options.is_set(&v.preset) || v.preset == parent.system(),
                    "--preset is {}, but the model of --from has the preset {}, which it keeps; leave --preset out",
                    in_quotes(v.preset), in_quotes(parent.system()));
  v.preset = has_preset(parent.system()) ? parent.system() : "heed";
  apply_preset(v, options);
  parent.apply_defaults(options, v.config);
}

// Decides whether to hold out validation text.
void settle_holdout(Values& v, const Options& options, const std::optional<SavedConfig>& saved) {
  bool& holdout = v.config.data.holdout;
  const auto says_so = [](const TomlEntry& entry) {
    return entry.key == "data.holdout" && entry.value == TomlValue(true);
  };
  if (v.no_holdout) {
    holdout = false;
  } else if (!options.is_set(&holdout)) {
    // A resumed run keeps its choice.
    if (saved) holdout = std::ranges::any_of(parse_toml(saved->text, saved->where), says_so);
    // A file with vocabulary sizes is the config.toml of a run. If it lacks data.holdout, it predates that setting:
    // nothing was held out then, so nothing is now.
    if (options.is_set(&v.config.model.vocabulary.source)) holdout = false;
  }
}

// Rejects vocabulary sizes and ids on the command line. Files may contain them, because a run's config.toml does.
void refuse_vocabulary(const Values& v, const Options& options) {
  const model::VocabularyConfig& c = v.config.model.vocabulary;
  for (const auto& [key, field] : {std::pair{"source", &c.source}, std::pair{"target", &c.target},
                                   std::pair{"sos", &c.sos}, std::pair{"eos", &c.eos}, std::pair{"unk", &c.unk}})
    check<UsageError>(!options.is_set(field),
                      "vocabulary.{} follows from the training text; remove it (data.max_words, data.min_frequency and "
                      "data.subwords limit the vocabulary)",
                      key);
}

// Rejects settings that would have no effect.
void refuse_without_effect(const Values& v, bool subwords_set, bool max_words_set) {
  const train::RunConfig& c = v.config;
  const auto refuse = [](bool asked, const char* setting, const char* why) {
    check<UsageError>(!asked, "{} has no effect {}", setting, why);
  };
  if (!v.files.has_valid() && !c.data.holdout) {
    const char* why = v.no_holdout
                          ? "without validation text; give some with --valid, or leave out --no-holdout"
                          : "without validation text; give some with --valid, or hold some out of the training text "
                            "with --set data.holdout=true";
    refuse(c.validation.patience > 0, "validation.patience", why);
    refuse(c.training.schedule.kind == train::ScheduleKind::plateau, "training.schedule=plateau", why);
  }
  if (v.files.guided_alignment.empty())
    refuse(c.training.guided_shift, "training.guided_shift", "without --guided-alignment");
  if (!v.files.from.empty())
    refuse(max_words_set, "data.max_words",
           "with --from, because the vocabulary is that of the model; limit new words with --extend-vocabulary");
  if (!c.text.has_subwords()) refuse(subwords_set, "data.subwords", "unless data.tokenizer is bpe or unigram");
}

void print_language_notes(const text::TextConfig& c) {
  for (const auto& [key, language] :
       {std::pair{"data.source_language", c.source_language}, std::pair{"data.target_language", c.target_language}})
    if (const std::string missing = text::missing_word_rules(language); !missing.empty())
      print_note("{}: {}", key, missing);
}

// UsageError if the run's config.toml would replace the configuration file that the user gave.
void check_config_is_kept(const Values& v) {
  const std::string foreign = train::RunDirectory(v.files.out).find_foreign_file();
  std::error_code ignored;
  for (const std::string& path : v.config_files)
    check<UsageError>(foreign.empty() || !std::filesystem::equivalent(path, foreign, ignored),
                      "'{}' is in the run directory, where the run would replace it with its own configuration; choose "
                      "another --out",
                      path);
}

// Without --seeds, --resume continues as many seeds as were started.
void find_seeds(Values& v) {
  int before = v.seeds == 0 && job().is_main() ? train::seed_count(v.files.out) : 0;
  job().broadcast(0, std::as_writable_bytes(std::span(&before, 1)));
  check<UsageError>(
      before == 0 || v.resume,
      "'{}' contains runs with several seeds; give --seeds, continue them with --resume, or choose another "
      "--out",
      v.files.out);
  v.seeds = std::max(v.seeds, before);
  if (v.seeds > 0 && job().is_main()) train::check_no_single_run(v.files.out);
}

struct Shown {
  train::RunResult result;
  int code;  // exit code
};
// Trains with the other ranks; rank 0 shows the run.
template <class Train>
Shown show_run(TrainScreen& screen, Train train) {
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
    TrainScreen screen(runs.directory(number), 2, label, v.files.out);
    const Shown run = show_run(screen, [&](train::RunObserver& observer) { return runs.train(number, observer); });
    if (run.result.end == train::RunResult::End::stopped) return run.code;
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

// Skipped for pipes, because detecting a file's format would consume input.
void check_directions(const Values& v) {
  const auto is_regular = [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(data::without_weight(path), ignored);
  };
  if (!v.resume && v.files.has_train() && std::ranges::all_of(v.files.train_files, is_regular))
    data::check_directions(v.files.train(v.config.languages()));
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
  v.resume |= v.resume_with_other_workers;
  check<UsageError>(!v.resume || !v.overwrite, "--resume and --overwrite contradict each other; give only one");
  refuse_directories_and_models(v);
  take_arguments(v, options);
  refuse_vocabulary(v, options);
  find_seeds(v);
  // On the command line:
  const bool subwords_set = options.is_set(&v.config.text.subwords);
  const bool max_words_set = options.is_set(&v.config.data.max_words);
  const std::optional<SavedConfig> saved = saved_config(v);
  apply_settings(v, options, saved);
  check<UsageError>(!v.resume || v.files.has_train(),
                    "'{}' contains no run to resume; check --out, or give training text to start a new run",
                    v.files.out);
  settle_holdout(v, options, saved);
  options.check_files();
  if (v.seeds == 0 && job().is_main()) check_config_is_kept(v);
  if (!v.resume) refuse_without_effect(v, subwords_set, max_words_set);
  if (job().is_main()) print_language_notes(v.config.text);
  check_directions(v);
  const train::Start start = v.resume_with_other_workers ? train::Start::resume_with_other_workers
                             : v.resume                  ? train::Start::resume
                             : v.overwrite               ? train::Start::overwrite
                                                         : train::Start::fresh;
  if (v.seeds > 0) return train_seeds(v, start);
  TrainScreen screen(v.files.out, 2);
  const auto train = [&](train::RunObserver& observer) { return train_run(v.config, v.files, start, observer, job()); };
  return show_run(screen, train).code;
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
    .make = action<train_command::Values, train_command::declare, train_command::run, train_command::apply_preset>};

}  // namespace heed::cli
