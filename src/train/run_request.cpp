#include "train/run_request.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/nearest.h"
#include "data/directions.h"
#include "model/presets.h"
#include "text/words.h"
#include "train/parent_model.h"
#include "train/run_directory.h"
#include "train/seeds.h"

namespace heed::train {
namespace {

bool has_preset(std::string_view name) {
  return std::ranges::find(model::presets(), name, &model::Preset::name) != model::presets().end();
}

// UsageError for an argument KEY=VALUE that is neither a setting nor a file.
void refuse_unknown_setting(const std::string& argument, const Options& options) {
  const std::size_t equals = argument.find('=');
  std::error_code ignored;
  if (equals == argument.npos || std::filesystem::exists(argument, ignored)) return;
  const std::string key = argument.substr(0, equals);
  throw UsageError("there is no setting {} and no file {}{} (heed train --help-all lists all settings)", in_quotes(key),
                   in_quotes(argument), did_you_mean(key, options.key_names()));
}

}  // namespace

void declare(Options& o, RunRequest& v) {
  o.positional(
       "CONFIG|FILE", v.arguments,
       "a training file (as with --train), or a TOML file of settings, which overrides the preset; a later TOML file "
       "overrides an earlier one",
       0)
      .reads(data::weighted_file);
  o.group("Run");
  o.flag("preset", v.preset, "model and settings to start from; `heed presets` lists them")
      .value("NAME")
      .early()
      .common();
  o.flag("out", v.files.out, "run directory: model, logs, checkpoints")
      .value("DIR")
      .writes([](const std::string& path) {
        std::vector<std::string> files = RunDirectory(path).files();
        std::ranges::move(seed_files(path), std::back_inserter(files));
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
      range(0, kMaxSeeds));
  o.flag("no-holdout", v.no_holdout, "do not hold out validation pairs (data.holdout=false)");
  declare(o, v.files);
  declare(o, v.config);
}

void RunRequest::apply_preset(Options& options) const {
  options.apply_preset(model::find_preset(preset).toml, fmt::format("preset {}", preset));
}

// Text among the arguments is training text, as if it had been given with --train.
void RunRequest::take_arguments(Options& options) {
  Json texts = Json::array();
  for (const std::string& path : arguments) {
    const std::string file = data::without_weight(path);
    refuse_unknown_setting(file, options);
    const auto is_text = [&] { return arguments.size() > 1 || file == "-" || data::looks_like_corpus(file); };
    const bool is_config = path.ends_with(".toml") || !is_text();
    if (is_config)
      config_files.push_back(path);
    else
      texts.push_back(path);
  }
  if (texts.empty()) return;
  options.apply_setting("data.train=" + dump_json(texts));
  // They are now files of --train; standard input must not be read twice.
  arguments = config_files;
}

void RunRequest::apply_file(const std::string& path, Options& options) {
  const std::string text = read_file(path);
  try {
    apply_run_config(options, files, text, path, std::filesystem::path(path).parent_path().string());
  } catch (const InputError& error) {
    if (path.ends_with(".toml")) throw;
    throw UsageError(
        "{} is neither parallel text nor a TOML configuration; to train on plain text, give two files: heed train "
        "SOURCE TARGET",
        in_quotes(path));
  }
}

// The configuration that the run in `directory` was started with, as saved by it.
struct RunRequest::SavedConfig {
  std::string directory, text, where;
  bool old = false;  // may have keys that no longer exist
};

// The configuration of the run to be resumed, if there is one.
std::optional<RunRequest::SavedConfig> RunRequest::find_saved_config(const Note& note) const {
  const std::string path = seeds > 0 ? seed_directory(files.out, 1) : files.out;
  const RunDirectory directory(path);
  const std::string file = directory.file("config.toml");
  if (std::filesystem::exists(file)) return SavedConfig{path, read_file(file), file};
  const auto checkpoint = directory.newest().checkpoint;
  if (!checkpoint) return {};
  note(fmt::format("'{}' is missing; using the configuration in the checkpoint", file));
  return SavedConfig{path, checkpoint->identity().config,
                     fmt::format("the configuration in the checkpoint of '{}'", path), true};
}

// The same on all ranks: only rank 0 uses the run directory.
std::optional<RunRequest::SavedConfig> RunRequest::saved_config(const Note& note, Communicator& communicator) const {
  if (!resume) return {};
  const std::optional<SavedConfig> own = communicator.is_main() ? find_saved_config(note) : std::nullopt;
  std::string text = own ? dump_json({own->directory, own->text, own->where, own->old}) : "null";
  broadcast(communicator, text);
  const Json saved = parse_json(text, "the configuration of rank 0");
  if (saved.is_null()) return {};
  return SavedConfig{saved[0], saved[1], saved[2], saved[3]};
}

void RunRequest::apply_settings(Options& options, const std::optional<SavedConfig>& saved) {
  // The settings of a resumed run need not be repeated.
  if (saved && config_files.empty() && !options.is_set(&preset))
    return apply_run_config(options, files, saved->text, saved->where, saved->directory, saved->old);
  // The preset must be known before it is applied, so the files come first; their values and those of the command line
  // keep precedence.
  for (const std::string& path : config_files) apply_file(path, options);
  const std::string& system = config.model.system;
  if (options.is_set(&system)) {
    check<UsageError>(!options.is_set(&preset) || system == preset,
                      "the setting system is {}, but --preset is {}; give only one of them, or the same for both",
                      in_quotes(system), in_quotes(preset));
    preset = system;
  }
  if (files.from.empty()) return apply_preset(options);
  const ParentModel parent(files.from);
  check<UsageError>(!options.is_set(&preset) || preset == parent.system(),
                    "--preset is {}, but the model of --from has the preset {}, which it keeps; leave --preset out",
                    in_quotes(preset), in_quotes(parent.system()));
  preset = has_preset(parent.system()) ? parent.system() : "heed";
  apply_preset(options);
  parent.apply_defaults(options, config);
}

// Decides whether to hold out validation text.
void RunRequest::settle_holdout(const Options& options, const std::optional<SavedConfig>& saved) {
  bool& holdout = config.data.holdout;
  const auto says_so = [](const TomlEntry& entry) {
    return entry.key == "data.holdout" && entry.value == TomlValue(true);
  };
  if (no_holdout) {
    holdout = false;
  } else if (!options.is_set(&holdout)) {
    // A resumed run keeps its choice.
    if (saved) holdout = std::ranges::any_of(parse_toml(saved->text, saved->where), says_so);
    // A file with vocabulary sizes is the config.toml of a run. If it lacks data.holdout, it predates that setting:
    // nothing was held out then, so nothing is now.
    if (options.is_set(&config.model.vocabulary.source)) holdout = false;
  }
}

// Rejects vocabulary sizes and ids on the command line. Files may contain them, because a run's config.toml does.
void RunRequest::refuse_vocabulary(const Options& options) const {
  const model::VocabularyConfig& c = config.model.vocabulary;
  for (const auto& [key, field] : {std::pair{"source", &c.source}, std::pair{"target", &c.target},
                                   std::pair{"sos", &c.sos}, std::pair{"eos", &c.eos}, std::pair{"unk", &c.unk}})
    check<UsageError>(!options.is_set(field),
                      "vocabulary.{} follows from the training text; remove it (data.max_words, data.min_frequency and "
                      "data.subwords limit the vocabulary)",
                      key);
}

// Rejects settings that would have no effect.
void RunRequest::refuse_without_effect(bool subwords_set, bool max_words_set) const {
  const RunConfig& c = config;
  const auto refuse = [](bool asked, const char* setting, const char* why) {
    check<UsageError>(!asked, "{} has no effect {}", setting, why);
  };
  if (!files.has_valid() && !c.data.holdout) {
    const char* why = no_holdout
                          ? "without validation text; give some with --valid, or leave out --no-holdout"
                          : "without validation text; give some with --valid, or hold some out of the training text "
                            "with --set data.holdout=true";
    refuse(c.validation.patience > 0, "validation.patience", why);
    refuse(c.training.schedule.kind == ScheduleKind::plateau, "training.schedule=plateau", why);
  }
  if (files.train_tsv.empty() && files.valid_tsv.empty()) {
    std::vector<std::string> texts = files.train_files;
    std::ranges::copy(files.valid_files, std::back_inserter(texts));
    data::refuse_columns_without_table(files.columns, texts);
  }
  if (files.guided_alignment.empty())
    refuse(c.training.guided_shift, "training.guided_shift", "without --guided-alignment");
  if (!files.from.empty())
    refuse(max_words_set, "data.max_words",
           "with --from, because the vocabulary is that of the model; limit new words with --extend-vocabulary");
  if (!c.text.has_subwords()) refuse(subwords_set, "data.subwords", "unless data.tokenizer is bpe or unigram");
}

void RunRequest::note_languages(const Note& note) const {
  const text::TextConfig& c = config.text;
  for (const auto& [key, language] :
       {std::pair{"data.source_language", c.source_language}, std::pair{"data.target_language", c.target_language}})
    if (const std::string missing = text::missing_word_rules(language); !missing.empty())
      note(fmt::format("{}: {}", key, missing));
}

// UsageError if the run's config.toml would replace the configuration file that the user gave.
void RunRequest::check_config_is_kept() const {
  const std::string foreign = RunDirectory(files.out).find_foreign_file();
  std::error_code ignored;
  for (const std::string& path : config_files)
    check<UsageError>(foreign.empty() || !std::filesystem::equivalent(path, foreign, ignored),
                      "'{}' is in the run directory, where the run would replace it with its own configuration; choose "
                      "another --out",
                      path);
}

// Without --seeds, --resume continues as many seeds as were started.
void RunRequest::find_seeds(Communicator& communicator) {
  int before = seeds == 0 && communicator.is_main() ? seed_count(files.out) : 0;
  communicator.broadcast(0, std::as_writable_bytes(std::span(&before, 1)));
  check<UsageError>(
      before == 0 || resume,
      "'{}' contains runs with several seeds; give --seeds, continue them with --resume, or choose another "
      "--out",
      files.out);
  seeds = std::max(seeds, before);
  if (seeds > 0 && communicator.is_main()) check_no_single_run(files.out);
}

// Skipped for pipes, because detecting a file's format would consume input.
void RunRequest::check_text_directions() const {
  const auto is_regular = [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(data::without_weight(path), ignored);
  };
  if (!resume && files.has_train() && std::ranges::all_of(files.train_files, is_regular))
    data::check_directions(files.train(config.languages()));
}

void RunRequest::settle(Options& options, const Note& note, Communicator& communicator) {
  resume |= resume_with_other_workers;
  check<UsageError>(!resume || !overwrite, "--resume and --overwrite contradict each other; give only one");
  take_arguments(options);
  refuse_vocabulary(options);
  find_seeds(communicator);
  // On the command line:
  const bool subwords_set = options.is_set(&config.text.subwords);
  const bool max_words_set = options.is_set(&config.data.max_words);
  const std::optional<SavedConfig> saved = saved_config(note, communicator);
  apply_settings(options, saved);
  check<UsageError>(!resume || files.has_train(),
                    "'{}' contains no run to resume; check --out, or give training text to start a new run", files.out);
  settle_holdout(options, saved);
  options.check_files();
  if (seeds == 0 && communicator.is_main()) check_config_is_kept();
  if (!resume) refuse_without_effect(subwords_set, max_words_set);
  if (communicator.is_main()) note_languages(note);
  check_text_directions();
}

Start RunRequest::start() const {
  return resume_with_other_workers ? Start::resume_with_other_workers
         : resume                  ? Start::resume
         : overwrite               ? Start::overwrite
                                   : Start::fresh;
}

}  // namespace heed::train
