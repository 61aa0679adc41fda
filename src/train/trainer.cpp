#include "train/trainer.h"

#include <algorithm>
#include <cmath>

namespace heed {

Trainer::Trainer(Model& model, const TrainingConfig& config, const ExampleStore& train)
    : model_(model),
      config_(config),
      train_(train),
      sampler_(example_lengths(train), {.batch_size = config.batch, .unit = batch_unit(config.batch_unit)},
               static_cast<std::uint64_t>(config.seed)),
      replicas_(model.parameters(), config.thread_count()),
      optimiser_(config.optimiser, model.parameters()),
      shares_(static_cast<std::size_t>(config.thread_count())) {
  total_ = config.updates > 0 ? config.updates : sampler_.batches() * config.epochs;
}

double Trainer::rate() const {
  const double done = static_cast<double>(update_) / static_cast<double>(total_);
  if (done <= config_.decay_start) return config_.learning_rate;
  const double fallen = (done - config_.decay_start) / (1 - config_.decay_start);
  return config_.learning_rate * (1 - fallen * (1 - config_.decay_to));
}

double Trainer::compute(int worker, Tape& tape, std::span<const std::uint32_t> batch, double weight) {
  Share& share = shares_[static_cast<std::size_t>(worker)];
  share.source.clear(), share.target.clear(), share.keys.clear();
  for (const std::uint32_t place : shards_.rows(worker)) {
    share.source.push_back(train_.source(batch[place]));
    share.target.push_back(train_.target(batch[place]));
    share.keys.push_back(place);
  }
  if (share.source.empty()) return 0;
  const Noise noise{.seed = static_cast<std::uint64_t>(config_.seed),
                    .update = static_cast<std::uint32_t>(update_),
                    .sentence_keys = share.keys};
  return model_
      .forced(tape, {share.source, share.target},
              {.smoothing = config_.label_smoothing,
               .weight = weight,
               .noise = &noise,
               .teacher_forcing = config_.teacher_forcing,
               .coin_a_sentence = config_.teacher_forcing_unit == "sentence"})
      .loss;
}

UpdateReport Trainer::update() {
  UpdateReport report{.update = update_ + 1, .updates = total_, .epoch = sampler_.position().epoch, .rate = rate()};
  const auto batch = sampler_.next();
  report.sentences = static_cast<std::int64_t>(batch.size());
  for (const std::uint32_t example : batch)
    report.target_tokens += static_cast<std::int64_t>(sampler_.length(example).target);
  const double count =
      config_.loss == "mean" ? static_cast<double>(report.target_tokens) : static_cast<double>(batch.size());
  shards_.split(sampler_, batch, replicas_.size());
  replicas_.run([&](int worker, Tape& tape) {
    shares_[static_cast<std::size_t>(worker)].loss = compute(worker, tape, batch, 1 / count);
  });
  for (const Share& share : shares_) report.loss += share.loss;
  report.loss /= static_cast<double>(report.target_tokens);
  report.gradient_norm = optimiser_.update(replicas_.gradients(), report.rate, replicas_.pool());
  check<InputError>(
      std::isfinite(report.loss) && std::isfinite(report.gradient_norm),
      "update {} (epoch {}) went astray: loss {}, gradient norm {}; try a smaller training.learning_rate or "
      "training.clip",
      report.update, report.epoch + 1, report.loss, report.gradient_norm);
  ++update_;
  return report;
}

Validation Trainer::validate(const ExampleStore& valid, std::size_t translated) {
  constexpr std::size_t kBatch = 64;
  const int workers = replicas_.size();
  std::vector<double> losses(static_cast<std::size_t>(workers)), exact(static_cast<std::size_t>(workers));
  translated = std::min(translated, valid.size());
  replicas_.pool().run(workers, [&](int worker) {
    Tape tape(model_.parameters(), nullptr);
    Search search(model_);
    std::vector<Ids> source, target;
    std::vector<SearchJob> jobs;
    // Batches in turn: worker w takes batches w, w + workers, …
    for (std::size_t from = static_cast<std::size_t>(worker) * kBatch; from < valid.size();
         from += kBatch * static_cast<std::size_t>(workers)) {
      source.clear(), target.clear();
      for (std::size_t i = from; i < std::min(from + kBatch, valid.size()); ++i) {
        source.push_back(valid.source(i));
        target.push_back(valid.target(i));
      }
      tape.clear(Tape::Mode::forward_only);
      losses[static_cast<std::size_t>(worker)] += model_.forced(tape, {source, target}, {}).loss;
      if (from >= translated) continue;
      const std::size_t count = std::min(source.size(), translated - from);
      jobs.clear();
      for (std::size_t k = 0; k < count; ++k) jobs.push_back({.source = source[k], .max_length = 60});
      const auto results = search.run(jobs, {.attention = false});
      for (std::size_t k = 0; k < count; ++k)
        exact[static_cast<std::size_t>(worker)] += std::ranges::equal(results[k].front().words, target[k]) ? 1.0 : 0.0;
    }
  });
  Validation result{.sentences = translated};
  double loss = 0, right = 0;
  for (int w = 0; w < workers; ++w)
    loss += losses[static_cast<std::size_t>(w)], right += exact[static_cast<std::size_t>(w)];
  result.perplexity = std::exp(loss / static_cast<double>(valid.target_tokens()));
  result.exact = translated == 0 ? 0 : right / static_cast<double>(translated);
  return result;
}

}  // namespace heed
