#include "train/trainer.h"

#include <cmath>

#include "base/stopwatch.h"
#include "kernels/elementwise.h"

namespace heed::train {

Trainer::Trainer(model::Model& model, const TrainingConfig& config, TrainingExamples train, Communicator& communicator)
    : model_(model),
      config_(config),
      train_(std::move(train)),
      examples_(&train_.examples),
      parallel_(model.parameters(), worker_count(config.threads), communicator, config.gradient_exchange),
      plan_(parallel_.workers()),
      optimizer_(config.optimizer, model.parameters()),
      schedule_(config.schedule),
      scratch_(static_cast<std::size_t>(parallel_.threads())),
      losses_(scratch_.size()) {
  seek({});
  // The last update of an epoch may have fewer batches. If batches are counted in tokens or pairs have weights, epochs
  // may differ a little.
  updates_per_epoch_ = (sampler_->batches() + config.accumulate - 1) / config.accumulate;
  total_ = config.updates > 0 ? config.updates : updates_per_epoch_ * config.epochs;
  if (config.ema > 0) {
    average_ = std::make_unique<model::Model>(model.config());
    kernels::copy(average_->parameters().flat(), model.parameters().flat());
  }
}

bool Trainer::done() const {
  return config_.updates > 0 ? update_ >= config_.updates : state().position.epoch >= config_.epochs;
}

// Moves the sampler; resamples the examples first if the epoch has changed.
void Trainer::seek(const data::BatchPosition& position) {
  const bool resample = train_.resample && resampled_epoch_ != position.epoch;
  if (resample) {
    resampled_ = train_.resample(position.epoch);
    resampled_epoch_ = position.epoch;
    examples_ = &resampled_;
  }
  if (resample || !sampler_)
    sampler_.emplace(example_lengths(*examples_),
                     data::BatchOptions{.batch_size = config_.batch, .unit = config_.batch_unit},
                     static_cast<std::uint64_t>(config_.seed), train_.weights);
  sampler_->seek(position);
}

double Trainer::compute_micro_batch(Scratch& scratch, const MicroBatch& batch, autograd::Tape& tape, double weight) {
  scratch.source.clear(), scratch.target.clear(), scratch.guides.clear();
  for (const std::uint32_t example : batch.examples) {
    scratch.source.push_back(examples_->source(example));
    scratch.target.push_back(examples_->target(example));
    if (train_.guides != nullptr) scratch.guides.push_back((*train_.guides)[example]);
  }
  const model::TrainRandom random{.seed = static_cast<std::uint64_t>(config_.seed),
                                  .update = static_cast<std::uint32_t>(update_),
                                  .sentence_keys = batch.sentence_ids};
  return model_
      .loss(tape, {scratch.source, scratch.target, scratch.guides},
            {.smoothing = config_.label_smoothing,
             .weight = weight,
             .random = &random,
             .teacher_forcing = config_.teacher_forcing_at(update_),
             .forcing_per_sentence = config_.teacher_forcing_unit == TeacherForcingUnit::sentence,
             .guide_weight = config_.guided_weight})
      .loss;
}

const UpdateReport& Trainer::compute() {
  const data::BatchPosition from = sampler_->position();
  pending_ = from;
  if (train_.resample) seek(from);  // the previous update may have finished its epoch
  plan_.draw(*sampler_, config_.accumulate);
  report_ = {.update = update_ + 1,
             .updates = total_,
             .epoch = from.epoch,
             .batch = from.batch,
             .rate = rate(),
             .target_tokens = plan_.target_tokens(),
             .sentences = plan_.sentences()};
  const auto tokens = static_cast<double>(report_.target_tokens);
  const double count = config_.loss == LossReduction::mean ? tokens : static_cast<double>(report_.sentences);
  for (Scratch& scratch : scratch_) scratch.next = 0;
  losses_.assign(losses_.size(), 0);
  parallel_.run(
      [&](int thread, autograd::Tape& tape) {
        const WorkerBatch& batches = plan_.worker(parallel_.first_worker() + thread);
        if (batches.size() == 0) return false;
        Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
        losses_[static_cast<std::size_t>(thread)] +=
            compute_micro_batch(scratch, batches[scratch.next++], tape, 1 / count);
        return scratch.next < batches.size();
      },
      static_cast<std::uint64_t>(update_));
  report_.loss = sum_in_order(parallel_.communicator(), losses_) / tokens;
  report_.gradient_norm = std::sqrt(parallel_.gradients().sum_of_squares());
  return report_;
}

std::string describe_divergence(const UpdateReport& report) {
  return fmt::format("training diverged at update {} (epoch {}, batch {}): loss {:.4g}, gradient norm {:.4g}",
                     report.update, report.epoch + 1, report.batch + 1, report.loss, report.gradient_norm);
}

bool Trainer::diverged() const {
  // A rule of thumb, not from a paper. An untrained model guesses uniformly, which costs log V per word, and training
  // lowers that; a mean of more than twice as much over many words means that the parameters are destroyed. The mean
  // over n words has a standard deviation proportional to 1 / sqrt(n), so a batch of few words is allowed more.
  const double most = 2 * std::log(static_cast<double>(model_.config().vocabulary.target)) + 3 +
                      30 / std::sqrt(static_cast<double>(report_.target_tokens));
  return !std::isfinite(report_.loss) || !std::isfinite(report_.gradient_norm) || report_.loss > most;
}

void Trainer::apply() {
  optimizer_.apply(parallel_.gradients(), report_.gradient_norm, report_.rate, parallel_.pool());
  pending_.reset();
  ++update_;
  if (average_) update_average();
}

UpdateReport Trainer::update() {
  const UpdateReport report = compute();
  check<InputError>(!diverged(), "{}; try a smaller training.learning_rate or training.clip",
                    describe_divergence(report));
  apply();
  return report;
}

// The decay starts low, min(decay, (1 + t) / (10 + t)) as in TensorFlow's ExponentialMovingAverage with num_updates, so
// that the initial parameters soon lose their weight.
void Trainer::update_average() {
  const auto t = static_cast<double>(update_);
  const auto rest = static_cast<float>(1 - std::min(config_.ema, (1 + t) / (10 + t)));
  const Tensor average = average_->parameters().flat(), now = model_.parameters().flat();
  ThreadPool& pool = parallel_.pool();
  pool.run(pool.size(), [&](int worker) {
    const Index from = now.columns() * worker / pool.size(), to = now.columns() * (worker + 1) / pool.size();
    float* const a = average.data<float>();
    const float* const p = now.data<float>();
    for (Index i = from; i < to; ++i) a[i] += rest * (p[i] - a[i]);
  });
}

NamedTensors Trainer::tensors() const {
  NamedTensors named = {{"parameters", model_.parameters().flat()}};
  for (const auto& moment : optimizer_.state()) named.push_back(moment);
  if (average_) named.emplace_back("average", average_->parameters().flat());
  return named;
}

void Trainer::set_state(const State& state) {
  pending_.reset();
  update_ = state.update;
  optimizer_.set_updates(state.update);
  seek(state.position);
}

namespace {

// The batch of an epoch with the most words on both sides. Moves the sampler.
std::int64_t largest_batch(data::BatchSampler& sampler, std::int64_t epoch) {
  std::int64_t largest = 0, most = -1;
  sampler.seek({epoch, 0});
  const std::int64_t batches = sampler.batches();
  for (std::int64_t b = 0; b < batches; ++b) {
    std::int64_t size = 0;
    for (const std::uint32_t example : sampler.next())
      size += sampler.length(example).source + sampler.length(example).target;
    if (size > most) largest = b, most = size;
  }
  return largest;
}

}  // namespace

CostEstimate Trainer::estimate_cost() {
  const data::BatchPosition before = sampler_->position();
  double tokens = 0, seconds = 0;
  const auto compute_at = [&](std::int64_t batch) {
    sampler_->seek({before.epoch, batch});
    const Stopwatch watch;
    tokens = static_cast<double>(compute().target_tokens);
    seconds = watch.seconds();
  };
  // The largest batch for the memory; then, with warm caches, one from the middle of the epoch for the time.
  compute_at(largest_batch(*sampler_, before.epoch));
  compute_at(sampler_->batches() / 2);
  CostEstimate cost{.epoch_seconds = seconds / tokens * static_cast<double>(examples_->target_tokens()),
                    .bytes = parallel_.bytes()};
  for (const auto& [name, tensor] : tensors()) cost.bytes += static_cast<std::size_t>(tensor.columns()) * sizeof(float);
  pending_.reset();
  sampler_->seek(before);
  return cost;
}

}  // namespace heed::train
