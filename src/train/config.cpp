#include "train/config.h"

#include <algorithm>

#include "base/shared_options.h"
#include "base/thread_pool.h"
#include "model/presets.h"

namespace heed::train {

std::vector<std::string> enum_names(LossReduction) {
  return {"sum", "mean"};
}

std::vector<std::string> enum_names(TeacherForcingUnit) {
  return {"step", "sentence"};
}

std::vector<std::string> enum_names(AverageOf) {
  return {"best", "last"};
}

int TrainingConfig::thread_count() const {
  return worker_count(threads);
}

double TrainingConfig::teacher_forcing_at(std::int64_t update) const {
  if (teacher_forcing_updates == 0) return teacher_forcing;
  const double done = std::min(1.0, static_cast<double>(update) / teacher_forcing_updates);
  return teacher_forcing + done * (teacher_forcing_to - teacher_forcing);
}

namespace {

void declare_data(Options& o, DataConfig& c) {
  o.group("Data");
  o.key("data.min_frequency", c.min_frequency, "rarer words are unknown", at_least(1));
  o.key("data.max_words", c.max_words, "most words of a vocabulary; 0: all", at_least(0));
  o.key("data.shared_vocabulary", c.shared_vocabulary, "one vocabulary for both sides");
  o.key("data.max_length", c.max_length, "pairs with more words on a side are left out; 0: none", at_least(0));
  o.key("data.pairs", c.pairs, "only the first so many pairs; 0: all", at_least(0));
  o.key("data.source_prefixes", c.source_prefixes, "only pairs whose source begins with one of these");
  o.key("data.target_prefixes", c.target_prefixes, "only pairs whose target begins with one of these");
}

void declare_rate(Options& o, TrainingConfig& t) {
  o.key("training.learning_rate", t.learning_rate, "size of an update", above(0));
  ScheduleConfig& s = t.schedule;
  o.key("training.schedule", s.kind, "how the rate falls: over the run, with the root of time, in steps, when stuck");
  o.key("training.schedule_warmup", s.warmup, "updates over which the rate rises first", range(0, 1e9));
  o.key("training.schedule_from", s.from, "linear: share of the run after which the rate falls", range(0, 1).below(1));
  o.key("training.schedule_floor", s.floor, "the share of the rate that it never falls below", range(0, 1));
  o.key("training.schedule_factor", s.factor, "step, plateau: the rate is multiplied by this", range(0, 1));
  o.key("training.schedule_updates", s.updates, "step: updates between two falls", range(1, 1e9));
  o.key("training.schedule_patience", s.patience, "plateau: validations without a better one before a fall",
        range(1, 1e6));
}

void declare_optimizer(Options& o, OptimizerConfig& c) {
  o.key("training.optimizer", c.kind, "how gradients become updates");
  o.key("training.momentum", c.momentum, "of sgd", range(0, 1).below(1));
  o.key("training.beta1", c.beta1, "of adam: how long the mean remembers", range(0, 1).below(1));
  o.key("training.beta2", c.beta2, "of adam: how long the square remembers", range(0, 1).below(1));
  o.key("training.weight_decay", c.weight_decay, "of adamw", at_least(0));
  o.key("training.clip", c.clip, "most the gradient's norm may be; 0: any", at_least(0));
}

void declare_training(Options& o, TrainingConfig& t) {
  o.group("Training");
  declare_optimizer(o, t.optimizer);
  declare_rate(o, t);
  o.key("training.label_smoothing", t.label_smoothing, "probability spread over all words", range(0, 1).below(1));
  o.key("training.guided_weight", t.guided_weight, "what the links of --guided-alignment count against the words",
        at_least(0));
  o.key("training.guided_pretokenized", t.guided_pretokenized,
        "those links count what stands between white space, not the words of a tokenizer");
  o.key("training.guided_shift", t.guided_shift,
        "they guide the step after each word, which `heed align --shift` reads");
  o.key("training.batch", t.batch, "sentences or tokens a batch", range(1, 1 << 20)).flag();
  o.key("training.batch_unit", t.batch_unit, "what a batch counts");
  o.key("training.accumulate", t.accumulate, "batches an update", range(1, 10000));
  o.key("training.epochs", t.epochs, "times through the data", range(1, 1e6)).flag().may_change();
  o.key("training.updates", t.updates, "stop after so many updates; 0: after the epochs", at_least(0))
      .flag()
      .may_change();
  o.key("training.teacher_forcing", t.teacher_forcing,
        "chance that a step reads the reference's word, not the model's own", range(0, 1));
  o.key("training.teacher_forcing_to", t.teacher_forcing_to, "what the chance changes to", range(0, 1));
  o.key("training.teacher_forcing_updates", t.teacher_forcing_updates, "updates that this takes; 0: it stays",
        range(0, 1e9));
  o.key("training.teacher_forcing_unit", t.teacher_forcing_unit, "one coin for what");
  o.key("training.loss", t.loss, "summed over a sentence's words, or the mean of a batch's words");
  o.key("training.ema", t.ema, "decay of the parameters' moving average, which is validated and kept; 0: none",
        range(0, 1).below(1));
  o.key("training.average", t.average, "in the end, average the parameters of so many validations; 0: none",
        range(0, 100));
  o.key("training.average_of", t.average_of, "which validations those are");
  o.key("training.checkpoint_updates", t.checkpoint_updates,
        "updates between two checkpoints; 0: one at each validation", range(0, 1e9))
      .flag()
      .may_change();
  o.key("training.threads", t.threads, kThreadsHelp, thread_counts()).flag().may_change();
  o.key("training.seed", t.seed, "of everything random", at_least(0)).flag();
}

void declare_validation(Options& o, ValidationConfig& c) {
  o.group("Validation");
  o.key("validation.updates", c.updates, "updates between two validations; 0: an epoch", range(0, 1e9));
  o.key("validation.metric", c.metric, "what makes a model the best one");
  o.key("validation.patience", c.patience, "stop after so many validations without a better one; 0: never",
        range(0, 1e6))
      .may_change();
  o.key("validation.sentences", c.sentences, "translate the first so many; 0: all", at_least(0));
  o.key("validation.samples", c.samples, "of these, show and keep so many with their attention", range(0, 1000))
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
  o.group("Files");
  o.key("data.train_source", f.train_source, "source sentences, one a line, plain or gzip").flag().value("FILE");
  o.key("data.train_target", f.train_target, "their translations, line by line").flag().value("FILE");
  o.key("data.train_tsv", f.train_tsv, "both in one file, between tabs, instead").flag().value("FILE");
  o.key("data.guided_alignment", f.guided_alignment,
        "word links of each training pair, to train attention towards: 0-0 1-2")
      .flag()
      .value("FILE");
  o.key("data.tsv_columns", f.tsv_columns, "the source's column and the target's").flag().value("S,T");
  o.key("data.valid_source", f.valid_source, "text to validate with").flag().value("FILE");
  o.key("data.valid_target", f.valid_target, "its translations").flag().value("FILE");
  o.key("data.valid_tsv", f.valid_tsv, "both in one file instead").flag().value("FILE");
}

data::CorpusFiles RunFiles::train() const {
  return {
      .source = train_source, .target = train_target, .tsv = train_tsv, .columns = data::parse_columns(tsv_columns)};
}

data::CorpusFiles RunFiles::valid() const {
  return {
      .source = valid_source, .target = valid_target, .tsv = valid_tsv, .columns = data::parse_columns(tsv_columns)};
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
  c = config;  // after the defaults were noted
  f = files;
  return options.to_toml();
}

}  // namespace heed::train
