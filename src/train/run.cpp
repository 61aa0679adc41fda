#include "train/run.h"

#include <chrono>
#include <cmath>
#include <filesystem>

#include "base/json.h"
#include "model/model_file.h"
#include "translate/pipeline.h"

namespace heed {
namespace {

constexpr std::size_t kTranslatedAtValidation = 500;

PrepareOptions prepare_options(const RunConfig& c, ThreadPool& pool, RunObserver& observer) {
  PrepareOptions o;
  o.selection = {.max_words = c.data.max_length,
                 .source_prefixes = c.data.source_prefixes,
                 .target_prefixes = c.data.target_prefixes,
                 .pairs = c.data.pairs};
  o.source_normaliser = Normaliser(c.text.normalise, c.text.source_language);
  o.target_normaliser = Normaliser(c.text.normalise, c.text.target_language);
  o.pool = &pool;
  o.on_progress = [&observer](std::int64_t pairs, std::int64_t) { observer.on_reading(pairs); };
  return o;
}

// The complete configuration, as it can be given to `heed train` again.
std::string run_config_to_toml(RunConfig config) {
  Options options;
  declare(options, config);
  return options.to_toml();
}

class Run {
 public:
  Run(const RunConfig& config, const RunFiles& files, RunObserver& observer)
      : config_(config), files_(files), observer_(observer), pool_(config.training.thread_count()) {}

  void train() {
    check_before_reading();
    make_directories(files_.out);
    prepare();
    write_file_atomically(path("config.toml"), run_config_to_toml(config_));
    Model model(config_.model);
    model.initialise(static_cast<std::uint64_t>(config_.training.seed));
    observer_.on_start(data_, valid_.size(), model);
    Trainer trainer(model, config_.training, data_.examples);
    double loss = 0, tokens = 0;
    for (std::int64_t epoch = 1; !trainer.done();) {
      const UpdateReport report = trainer.update();
      observer_.on_update(report);
      loss += report.loss * static_cast<double>(report.target_tokens);
      tokens += static_cast<double>(report.target_tokens);
      if (!trainer.epoch_ended() && !trainer.done()) continue;
      finish_epoch(epoch++, model, trainer, loss / tokens);
      loss = tokens = 0;
    }
  }

 private:
  bool has_valid() const {
    return !(files_.valid.source.empty() && files_.valid.target.empty() && files_.valid.tsv.empty());
  }

  std::string path(const char* name) const { return (std::filesystem::path(files_.out) / name).string(); }

  // What can be known to be wrong is said before any text is read or directory made.
  void check_before_reading() const {
    ModelConfig model = config_.model;
    model.vocabulary = {.source = 4, .target = 4};  // the sizes come with the text
    validate(model);
    check<UsageError>(!config_.text.has_subwords() || config_.text.subword_joint || !config_.data.shared_vocabulary,
                      "data.shared_vocabulary needs data.subword_joint where data.tokeniser is {}: set both or neither",
                      config_.text.tokeniser);
    const auto reads_standard_input = [](const CorpusFiles& c) {
      return c.source == "-" || c.target == "-" || c.tsv == "-";
    };
    if (!reads_standard_input(files_.train)) PairReader{files_.train};
    if (has_valid() && !reads_standard_input(files_.valid)) PairReader{files_.valid};
  }

  void prepare() {
    const VocabularyOptions words{.minimum_frequency = config_.data.min_frequency,
                                  .maximum_size = config_.data.max_words,
                                  .special = kSpecialNames};
    PrepareOptions options = prepare_options(config_, pool_, observer_);
    pipeline_ = TextPipeline(config_.text, learn_subwords(files_.train, options.selection, config_.text, pool_.size()));
    const Tokeniser &source = pipeline_.source_tokeniser(), &target = pipeline_.target_tokeniser();
    const bool shared = config_.data.shared_vocabulary || pipeline_.is_joint();
    data_ = prepare_corpus(files_.train, source, target, words, words, shared, options);
    pipeline_.set_vocabularies(data_.source, data_.target);
    const SpecialIds& special = data_.target.special();
    config_.model.vocabulary = {.source = static_cast<int>(data_.source.size()),
                                .target = static_cast<int>(data_.target.size()),
                                .sos = special.sos,
                                .eos = special.eos,
                                .unk = special.unk};
    if (!has_valid()) return;
    options.selection.pairs = 0;
    options.on_progress = {};
    valid_ = encode_corpus(files_.valid, {&source, &data_.source}, {&target, &data_.target}, options).examples;
  }

  void finish_epoch(std::int64_t epoch, const Model& model, Trainer& trainer, double loss) {
    Json line = {{"epoch", epoch}, {"loss", loss}, {"seconds", seconds()}};
    bool best = true;
    Validation validation;
    if (!valid_.empty()) {
      validation = trainer.validate(valid_, kTranslatedAtValidation);
      best = !(validation.perplexity >= best_perplexity_);
      if (best) best_perplexity_ = validation.perplexity;
      line["valid_perplexity"] = validation.perplexity;
      line["valid_exact"] = validation.exact;
    }
    if (best) save_model(path("model.safetensors"), model, pipeline_.metadata());
    metrics_ += dump_json(line) + "\n";
    write_file_atomically(path("metrics.jsonl"), metrics_);
    observer_.on_epoch(epoch, valid_.empty() ? nullptr : &validation, best, loss, seconds());
  }

  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

  RunConfig config_;
  RunFiles files_;
  RunObserver& observer_;
  ThreadPool pool_;
  TextPipeline pipeline_{TextConfig{}};  // the run's own once the text is read
  Prepared data_;
  ExampleStore valid_;
  double best_perplexity_ = INFINITY;
  std::string metrics_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

void train_run(RunConfig config, const RunFiles& files, RunObserver& observer) {
  Run(config, files, observer).train();
}

}  // namespace heed
