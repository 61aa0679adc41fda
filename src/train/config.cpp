#include "train/config.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/shared_options.h"
#include "base/utf8.h"
#include "model/model_path.h"
#include "model/presets.h"

namespace heed::train {

namespace fs = std::filesystem;

std::vector<std::string> enum_names(LossReduction) {
  return {"sum", "mean"};
}

std::vector<std::string> enum_names(TeacherForcingUnit) {
  return {"step", "sentence"};
}

std::vector<std::string> enum_names(AverageOf) {
  return {"best", "last"};
}

double TrainingConfig::teacher_forcing_at(std::int64_t update) const {
  if (teacher_forcing_updates == 0) return teacher_forcing;
  const double done = std::min(1.0, static_cast<double>(update) / teacher_forcing_updates);
  return teacher_forcing + done * (teacher_forcing_to - teacher_forcing);
}

namespace {

void declare_data(Options& o, DataConfig& c) {
  o.group("Data");
  o.key("data.min_frequency", c.min_frequency,
        "minimum frequency of a word in the vocabulary; rarer words become <unk>", at_least(1));
  o.key("data.max_words", c.max_words, "keep only the N most frequent words in each vocabulary; 0: no limit",
        at_least(0));
  o.key("data.extend_vocabulary", c.extend_vocabulary,
        "with --from: add to each vocabulary the N most frequent words of the new text that the model does not know; "
        "with subwords: unknown characters instead",
        range(0, 1e8))
      .flag();
  o.key("data.shared_vocabulary", c.shared_vocabulary,
        "one vocabulary for both sides, for tokenizers without subwords (bpe and unigram: see data.subword_joint)");
  o.key("data.max_length", c.max_length,
        "skip pairs with more than N tokens (as split by data.tokenizer) on either side; 0: no limit", at_least(0));
  o.key("data.pairs", c.pairs, "use only the first N pairs; 0: all", at_least(0));
  o.key("data.source_prefixes", c.source_prefixes, "use only pairs whose source begins with one of these");
  o.key("data.target_prefixes", c.target_prefixes, "use only pairs whose target begins with one of these");
  o.key("data.filters", c.filters,
        "skip pairs with these problems, as `heed data` reports them; duplicates: all but the first; near-duplicates: "
        "also those that differ only in case, punctuation or the values of numbers");
  o.key(
      "data.augment", c.augment,
      "add noise to randomly chosen training pairs, different ones in each epoch, so that the model copes with text in "
      "capitals, title case, with typos or without punctuation");
  o.key("data.augment_rate", c.augment_rate,
        "fraction of the training pairs that data.augment changes, each in one of its ways", range(0, 1));
  o.key("data.unknown_rate", c.unknown_rate,
        "teach the model to write <unk> for unknown names: in this fraction of the pairs, chosen anew in each epoch, "
        "replace words that occur only once in the training text (if there are none, the pair's rarest word) by <unk>; "
        "only for word tokenizers; 0: off",
        range(0, 1));
  o.key("data.holdout", c.holdout,
        fmt::format("without validation text: hold out 2,000 pairs or 5% of the corpus, whichever is less, chosen by "
                    "their content; nothing if there are fewer than {} pairs",
                    kMinHoldoutPairs));
}

void declare_rate(Options& o, TrainingConfig& t) {
  o.key("training.learning_rate", t.learning_rate, "peak learning rate", above(0)).flag().short_form("--lr").common();
  ScheduleConfig& s = t.schedule;
  o.key("training.schedule", s.kind, "learning-rate schedule after the warm-up");
  o.key("training.schedule_warmup", s.warmup, "updates over which the rate rises linearly from zero", range(0, 1e9));
  o.key("training.schedule_from", s.from, "linear: fraction of the run before the decay starts", range(0, 1).below(1));
  o.key("training.schedule_floor", s.floor, "lower bound of the rate, as a fraction of the peak", range(0, 1));
  o.key("training.schedule_factor", s.factor, "step, plateau: multiply the rate by this at each decay", range(0, 1));
  o.key("training.schedule_updates", s.updates, "step: updates between two decays", range(1, 1e9));
  o.key("training.schedule_patience", s.patience, "plateau: validations without improvement before a decay",
        range(1, 1e6));
}

void declare_optimizer(Options& o, OptimizerConfig& c) {
  o.key("training.optimizer", c.kind, "optimizer").flag().common();
  o.key("training.momentum", c.momentum, "sgd: momentum", range(0, 1).below(1));
  o.key("training.beta1", c.beta1, "adam, adamw: decay rate of the first moment", range(0, 1).below(1));
  o.key("training.beta2", c.beta2, "adam, adamw: decay rate of the second moment", range(0, 1).below(1));
  o.key("training.weight_decay", c.weight_decay, "adamw: weight decay", at_least(0));
  o.key("training.clip", c.clip, "clip the gradient norm to this value; 0 disables clipping", at_least(0));
}

void declare_training(Options& o, TrainingConfig& t) {
  o.group("Training");
  declare_optimizer(o, t.optimizer);
  declare_rate(o, t);
  o.key("training.label_smoothing", t.label_smoothing, "probability mass spread evenly over the target vocabulary",
        range(0, 1).below(1));
  o.key("training.guided_weight", t.guided_weight, "weight of the attention loss of --guided-alignment", at_least(0));
  o.key("training.guided_pretokenized", t.guided_pretokenized,
        "positions in --guided-alignment refer to space-separated words, not to those of the tokenizer");
  o.key("training.guided_shift", t.guided_shift,
        "guide the attention of the step after each word, as `heed align --shift` reads it");
  o.key("training.batch", t.batch, "sentences per batch; with training.batch_unit=tokens, at most N tokens per side",
        range(1, 1 << 20))
      .flag()
      .common();
  o.key("training.batch_unit", t.batch_unit, "what training.batch counts");
  o.key("training.accumulate", t.accumulate, "batches accumulated per update", range(1, 10000));
  o.key("training.gradient_exchange", t.gradient_exchange,
        "number format in which the processes of a run exchange gradients");
  o.key("training.epochs", t.epochs, "passes over the training data", range(1, 1e6)).flag().may_change().common();
  o.key("training.updates", t.updates, "train for N updates instead of a number of epochs; 0: train for --epochs",
        at_least(0))
      .flag()
      .may_change()
      .common();
  o.key("training.teacher_forcing", t.teacher_forcing,
        "probability that the decoder reads the reference token instead of its own prediction", range(0, 1));
  o.key("training.teacher_forcing_to", t.teacher_forcing_to,
        "probability of teacher forcing after training.teacher_forcing_updates", range(0, 1));
  o.key("training.teacher_forcing_updates", t.teacher_forcing_updates,
        "updates over which the probability changes linearly; 0: it is constant", range(0, 1e9));
  o.key("training.teacher_forcing_unit", t.teacher_forcing_unit, "draw teacher forcing per step or per sentence");
  o.key("training.loss", t.loss, "sum: summed over each sentence, averaged over sentences; mean: averaged over tokens");
  o.key("training.ema", t.ema,
        "decay rate of a moving average of the parameters; the average is what is validated and saved; 0: off",
        range(0, 1).below(1));
  o.key("training.average", t.average,
        "checkpoint averaging: at the end, average the parameters of N validations; 0: off", range(0, 100))
      .may_change();
  o.key("training.average_of", t.average_of,
        "checkpoint averaging: average the parameters of the best or of the last validations");
  o.key("training.checkpoint_updates", t.checkpoint_updates,
        "updates between checkpoints; 0: only at validations and every ten minutes", range(0, 1e9))
      .flag()
      .may_change();
  o.key("training.threads", t.threads, kThreadsHelp, thread_counts()).flag().may_change().common();
  o.key("training.seed", t.seed, "random seed", at_least(0)).flag().common();
  o.key(
       "training.shortlist", t.shortlist,
       "learn which target tokens may translate each source token and store them in the model, for faster translation; "
       "with --from, extends the list of that model, if it has one")
      .may_change();
  o.key("training.tensorboard", t.tensorboard, "also write the measurements as an event file for TensorBoard")
      .flag()
      .may_change();
}

void declare_validation(Options& o, ValidationConfig& c) {
  o.group("Validation");
  o.key("validation.updates", c.updates, "updates between validations; 0: validate after each epoch", range(0, 1e9));
  o.key("validation.metric", c.metric,
        "metric that selects the best model; accuracy: of next-token prediction; exact: fraction of translations equal "
        "to the reference");
  o.key("validation.patience", c.patience,
        fmt::format("stop after N validations without a better score or perplexity; 0: no early stopping; -1 "
                    "(automatic): {} if heed held out the validation pairs itself, otherwise no early stopping",
                    kHoldoutPatience),
        range(kAutomaticPatience, 1e6))
      .flag()
      .may_change()
      .common();
  o.key("validation.sentences", c.sentences,
        "compute BLEU, chrF and exact on the first N validation sentences (of held-out pairs: N evenly spaced ones); "
        "0: all",
        at_least(0));
  o.key("validation.samples", c.samples,
        "number of sample translations to log with their attention; the first two are also shown", range(0, 1000))
      .may_change();
}

}  // namespace

void declare(Options& o, RunConfig& c) {
  declare(o, c.model);
  declare(o, c.text);
  declare_data(o, c.data);
  declare_training(o, c.training);
  declare_validation(o, c.validation);
}

void declare(Options& o, RunFiles& f) {
  o.skip_section("run");  // apply_run_config() reads it
  o.group("Files");
  const auto files = [&o](std::string_view key, std::vector<std::string>& list, std::string_view help) -> Option& {
    return o.key(key, list, help).flag().value("FILE").reads(data::weighted_file);
  };
  files(
      "data.train", f.train_files,
      "training text in any mix of formats: plain files in pairs (source first), TSV, CSV, TMX, XLIFF, PO, JSON Lines; "
      "also gzip, zstd, xz; FILE:3 weights a file by 3; - reads standard input")
      .several()
      .common();
  files("data.train_source", f.train_source, "source sentences, one per line");
  files("data.train_target", f.train_target, "their translations, one per line");
  files("data.train_tsv", f.train_tsv, "training pairs in a tab-separated file");
  o.key("data.guided_alignment", f.guided_alignment,
        "word alignment of each training pair (0-0 1-2), to guide the attention")
      .flag()
      .value("FILE")
      .reads();
  o.key("data.columns", f.columns, data::kColumnsHelp)
      .flag()
      .value("S,T")
      .alias("data.tsv_columns")
      .alias("--tsv-columns");
  o.key("data.encoding", f.encoding, kEncodingHelp).flag();
  files("data.valid", f.valid_files, "validation text, in any mix of formats").several().common();
  files("data.valid_source", f.valid_source, "source sentences of the validation text");
  files("data.valid_target", f.valid_target, "translations of the validation text, one per line");
  files("data.valid_tsv", f.valid_tsv, "validation pairs in a tab-separated file");
  o.key("training.from", f.from,
        "fine-tune: start from this model (or run directory), with its parameters, architecture, vocabularies and text "
        "settings, and without warm-up unless one is set")
      .flag()
      .value("MODEL")
      .reads(model::model_files)
      .common();
}

namespace {

data::CorpusFlags flags_of(const RunFiles& f, bool train, const data::Languages& languages) {
  if (train)
    return {f.train_files, f.train_source, f.train_target, f.train_tsv, "train", languages, f.columns, f.encoding};
  return {f.valid_files, f.valid_source, f.valid_target, f.valid_tsv, "valid", languages, f.columns, f.encoding};
}

}  // namespace

data::CorpusFiles RunFiles::train(const data::Languages& languages) const {
  return list_corpus(flags_of(*this, true, languages));
}

data::CorpusFiles RunFiles::valid(const data::Languages& languages) const {
  return list_corpus(flags_of(*this, false, languages));
}

bool RunFiles::has_train() const {
  return !flags_of(*this, true, {}).empty();
}

bool RunFiles::has_valid() const {
  return !flags_of(*this, false, {}).empty();
}

namespace {

constexpr const char* kDirectoryKey = "run.directory";

struct PathKey {
  std::string_view key;
  std::vector<std::string> RunFiles::*paths;
};
constexpr PathKey kPaths[] = {
    {"data.train", &RunFiles::train_files},         {"data.train_source", &RunFiles::train_source},
    {"data.train_target", &RunFiles::train_target}, {"data.train_tsv", &RunFiles::train_tsv},
    {"data.valid", &RunFiles::valid_files},         {"data.valid_source", &RunFiles::valid_source},
    {"data.valid_target", &RunFiles::valid_target}, {"data.valid_tsv", &RunFiles::valid_tsv}};
constexpr std::pair<std::string_view, std::string RunFiles::*> kSinglePaths[] = {
    {"data.guided_alignment", &RunFiles::guided_alignment}, {"training.from", &RunFiles::from}};

// Calls visit(key, path) for every path.
template <class Visit>
void visit_paths(RunFiles& files, const Visit& visit) {
  for (const auto& [key, paths] : kPaths)
    for (std::string& path : files.*paths) visit(key, path);
  for (const auto& [key, path] : kSinglePaths) visit(key, files.*path);
}

}  // namespace

bool is_text_file_key(std::string_view key) {
  return std::ranges::find(kPaths, key, &PathKey::key) != std::end(kPaths);
}

namespace {

bool is_path_key(std::string_view key) {
  const auto has_key = [&](const auto& path) { return path.first == key; };
  return std::ranges::any_of(kSinglePaths, has_key) || is_text_file_key(key);
}

bool is_relative(const std::string& path) {
  return !path.empty() && path != "-" && fs::path(path).is_relative();
}

// Absolute and without symbolic links; parts that do not exist are kept. Empty if that fails.
fs::path real_path(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path.empty() ? "." : path, error);
  fs::path result = error ? fs::path() : fs::weakly_canonical(absolute, error);
  if (error) return {};
  return result.has_filename() ? result : result.parent_path();
}

}  // namespace

void check_paths(const RunFiles& files) {
  RunFiles copy = files;
  visit_paths(copy, [](std::string_view key, const std::string& path) {
    std::string flag(key.substr(key.find('.') + 1));
    std::ranges::replace(flag, '_', '-');
    check<UsageError>(is_valid_utf8(path),
                      "--{}: the file name {} is not UTF-8, so config.toml cannot contain it; rename the file", flag,
                      in_quotes(path));
  });
}

void apply_run_config(Options& options, RunFiles& files, std::string_view text, const std::string& where,
                      const std::string& file_directory, bool old) {
  std::vector<TomlEntry> entries = parse_toml(text, where);
  const auto found = std::ranges::find(entries, kDirectoryKey, &TomlEntry::key);
  const fs::path working = real_path("");
  fs::path base;
  if (found != entries.end()) {
    const auto* directory = std::get_if<std::string>(&found->value);
    check<InputError>(directory != nullptr, "{}:{}: {} is not text in quotes; expected a directory", where, found->line,
                      kDirectoryKey);
    base = real_path(real_path(file_directory) / *directory);
  }
  bool all_found = true;
  const auto relocate = [&](std::string& path) {
    if (!is_relative(path) || base.empty() || base == working) return;
    const fs::path there = (base / path).lexically_normal();
    std::error_code ignored;
    if (fs::exists(data::without_weight(there.string()), ignored))
      path = there.lexically_relative(working).string();
    else
      all_found = false;
  };
  for (TomlEntry& entry : entries) {
    if (is_path_key(entry.key)) {
      if (auto* path = std::get_if<std::string>(&entry.value)) relocate(*path);
      if (auto* paths = std::get_if<std::vector<std::string>>(&entry.value)) std::ranges::for_each(*paths, relocate);
    }
    if (!old || options.has_key(entry.key)) options.apply_entry(entry, where);
  }
  if (!base.empty() && all_found) files.directory = base.string();
}

bool is_own_config(std::string_view text, const std::string& out) try {
  RunConfig config;
  RunFiles files;
  Options options;
  declare(options, files);
  declare(options, config);
  apply_run_config(options, files, text, "config.toml", out);
  files.out = out;
  return run_config_to_toml(config, files) == text;
} catch (const Error&) {
  return false;
}

std::string run_config_to_toml(const RunConfig& config, const RunFiles& files) {
  RunConfig c;
  RunFiles f;
  Options options;
  declare(options, f);
  declare(options, c);
  const auto preset = std::ranges::find(model::presets(), config.model.system, &model::Preset::name);
  if (preset != model::presets().end())
    options.compare_with_preset(preset->toml, fmt::format("preset {}", preset->name));
  c = config;  // after compare_with_preset(), which notes the defaults
  f = files;
  const fs::path working = real_path(""), base = files.directory.empty() ? working : fs::path(files.directory);
  const fs::path directory = base.lexically_relative(real_path(files.out));
  if (directory.empty()) return options.to_toml();
  visit_paths(f, [&](std::string_view /*key*/, std::string& path) {
    if (base != working && is_relative(path))
      path = (working / path).lexically_normal().lexically_relative(base).string();
  });
  return fmt::format("{}\n[run]\n# the directory that relative paths refer to, relative to this file\ndirectory = {}\n",
                     options.to_toml(), to_toml(TomlValue(directory.string())));
}

}  // namespace heed::train
