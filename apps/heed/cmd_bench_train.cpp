// heed bench train: training speed on this machine, and how the time is spent.
#include <fmt/format.h>

#include "base/json.h"
#include "base/numbers.h"
#include "base/shared_options.h"
#include "base/stopwatch.h"
#include "bench.h"
#include "command.h"
#include "data/prepare.h"
#include "job.h"
#include "kernels/profile.h"
#include "model/presets.h"
#include "train/run_text.h"

namespace heed::cli {
namespace bench_train_command {

struct TrainValues {
  train::RunConfig config;
  std::string preset = "bigru-deep-output", source, target;
  bool json = false;
  TrainValues() { config.training.updates = 20; }
};

// For speeds comparable with other toolkits: tokens as they are in the files, and full teacher forcing, so that no step
// waits for the prediction of the previous one.
constexpr std::string_view kTrainSettings = R"(
data.tokenizer = "whitespace"
data.normalize = []
data.min_frequency = 2
data.source_prefixes = []
data.target_prefixes = []
training.teacher_forcing = 1.0
)";
constexpr int kWarmUp = 3;

void declare_train(Options& o, TrainValues& v) {
  o.flag("preset", v.preset, "the model to train; `heed presets` lists them").value("NAME").early().common();
  o.flag("train-source", v.source, "source sentences, tokens separated by spaces").value("FILE").required().reads();
  o.flag("train-target", v.target, "their translations, one per line").value("FILE").required().reads();
  declare_json(o, v.json, "print JSON instead of the table").common();
  heed::train::declare(o, v.config);
}

void apply_preset(const TrainValues& v, Options& options) {
  options.apply_preset(model::find_preset(v.preset).toml, fmt::format("preset {}", v.preset));
  options.apply_preset(kTrainSettings, "bench train");
}

// Fills in the vocabulary sizes. The vocabularies include a padding symbol, so that the number of parameters is the
// same as in other toolkits.
data::Prepared prepare(const TrainValues& v, model::ModelConfig& model) {
  const train::RunConfig& c = v.config;
  const auto tokenizer = make_tokenizer(c.text.source());
  text::SpecialNames special = text::kSpecialNames;
  special.pad = "<pad>";
  const text::VocabularyOptions words{
      .minimum_frequency = c.data.min_frequency, .maximum_size = c.data.max_words, .special = special};
  data::Prepared data = data::prepare_corpus({.parts = {{.source = v.source, .target = v.target}}}, *tokenizer,
                                             *tokenizer, words, words, c.data.shared_vocabulary,
                                             {.selection = {.max_words = c.data.max_length, .pairs = c.data.pairs}});
  model.vocabulary = train::vocabulary_config(data);
  return data;
}

struct TrainingSpeed {
  double seconds = 0, compute_seconds = 0, loss = 0;
  std::int64_t tokens = 0, sentences = 0;
};

TrainingSpeed measure(train::Trainer& trainer, int updates) {
  for (int i = 0; i < kWarmUp; ++i) trainer.update();
  TrainingSpeed speed;
  kernels::Profile::start();
  const Stopwatch watch;
  for (int i = 0; i < updates; ++i) {
    const train::UpdateReport report = trainer.update();
    speed.tokens += report.target_tokens;
    speed.sentences += report.sentences;
    speed.loss = report.loss;
    speed.compute_seconds += trainer.compute_seconds();
  }
  speed.seconds = watch.seconds();
  kernels::Profile::stop();
  return speed;
}

constexpr std::pair<const char*, kernels::Profile::Part> kPhases[] = {{"encoder", kernels::Profile::encoder},
                                                                      {"decoder", kernels::Profile::decoder},
                                                                      {"output", kernels::Profile::output},
                                                                      {"backward", kernels::Profile::backward},
                                                                      {"update", kernels::Profile::update}};

// Fractions of the workers' time; the rest is spent on assembling batches and waiting for other workers.
Json phase_fractions(double time) {
  Json fractions = Json::object();
  double rest = 1;
  for (const auto& [name, part] : kPhases) {
    fractions[name] = kernels::Profile::seconds(part) / time;
    rest -= kernels::Profile::seconds(part) / time;
  }
  fractions["rest"] = rest;
  return fractions;
}

int run_train(TrainValues& v, Options& options) {
  apply_preset(v, options);
  train::TrainingConfig training = v.config.training;
  const int updates = training.updates, threads = worker_count(training.threads);
  check<UsageError>(updates > 0, "--updates is {}, expected at least 1", updates);
  training.updates += kWarmUp;
  model::ModelConfig config = v.config.model;
  const data::Prepared data = prepare(v, config);
  model::Model model(config);
  model.initialize(static_cast<std::uint64_t>(training.seed));
  train::Trainer trainer(model, training, {data.examples}, job());
  const TrainingSpeed speed = measure(trainer, updates);
  if (!job().is_main()) return 0;

  const double time = speed.seconds * threads;
  const Json result = {{"preset", v.preset},
                       {"target_tokens_per_second", static_cast<double>(speed.tokens) / speed.seconds},
                       {"sentences_per_second", static_cast<double>(speed.sentences) / speed.seconds},
                       {"peak_rss_mb", peak_memory_mb()},
                       {"parameters", model.parameters().count()},
                       {"multiply_share", kernels::Profile::seconds(kernels::Profile::matmul) / time},
                       {"phases", phase_fractions(time)},
                       {"updates", updates},
                       {"batch", training.batch},
                       {"ranks", job().size()},
                       {"threads", threads},
                       {"compute_fraction", speed.compute_seconds / speed.seconds},
                       {"sent_mb_per_update", static_cast<double>(trainer.sent_bytes()) / 1e6 / training.updates},
                       {"seconds", speed.seconds},
                       {"loss", speed.loss}};
  if (v.json) {
    write_output(dump_json(result) + "\n");
    return 0;
  }
  write_output(
      fmt::format("{}: {} parameters, {} of {} {}, {}\n"
                  "  {:>9.1f} target tokens/s\n  {:>9.1f} sentences/s\n  {:>9.1f} MB peak memory\n"
                  "  {:>8.1f}% of the time in matrix products\ntime per phase\n",
                  v.preset, grouped(model.parameters().count()), counted(updates, "update"), training.batch,
                  enum_name(training.batch_unit), counted(threads, "thread"),
                  result["target_tokens_per_second"].get<double>(), result["sentences_per_second"].get<double>(),
                  result["peak_rss_mb"].get<double>(), 100 * result["multiply_share"].get<double>()));
  for (const auto& [name, fraction] : result["phases"].items())
    write_output(fmt::format("  {:>8.1f}% {}\n", 100 * fraction.get<double>(), name));
  return 0;
}

}  // namespace bench_train_command

const Command kBenchTrain{.name = "bench train",
                          .group = "Models",
                          .summary = "measure training speed on this machine, and the time per phase",
                          .example =
                              "heed corpus pocket --pairs 200 --out pocket\n"
                              "heed bench train --train-source pocket.train.en --train-target pocket.train.de \\\n"
                              "  --updates 2 --batch 16 --set encoder.hidden=32 --set decoder.hidden=32",
                          .make = action<bench_train_command::TrainValues, bench_train_command::declare_train,
                                         bench_train_command::run_train, bench_train_command::apply_preset>};

}  // namespace heed::cli
