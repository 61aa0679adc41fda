#include "train/trainer.h"

#include <algorithm>
#include <cmath>

#include "base/stopwatch.h"
#include "kernels/elementwise.h"

namespace heed {
namespace {

// Target words that a worker goes forward and backward through at a time: enough rows for the multiplies to run at full
// speed, and its memory does not grow with the batch.
constexpr std::int64_t kPieceWords = 250;

}  // namespace

Trainer::Trainer(Model& model, const TrainingConfig& config, TrainingExamples train)
    : model_(model),
      config_(config),
      train_(std::move(train)),
      examples_(&train_.examples),
      replicas_(model.parameters(), config.thread_count()),
      optimiser_(config.optimiser, model.parameters()),
      schedule_(config.schedule),
      shares_(static_cast<std::size_t>(config.thread_count())),
      batches_(static_cast<std::size_t>(config.accumulate)),
      shards_(static_cast<std::size_t>(config.accumulate)) {
  begin_epoch(0);
  // An epoch's last update may have fewer batches. Epochs whose batches are cut by tokens may differ a little.
  const std::int64_t an_epoch = (sampler_->batches() + config.accumulate - 1) / config.accumulate;
  total_ = config.updates > 0 ? config.updates : an_epoch * config.epochs;
  if (config.ema > 0) {
    average_ = std::make_unique<Model>(model.config());
    kernels::copy(average_->parameters().flat(), model.parameters().flat());
  }
}

bool Trainer::done() const {
  return config_.updates > 0 ? update_ >= config_.updates : state().position.epoch >= config_.epochs;
}

// The examples of an epoch and their sampler, which stands at the epoch's first batch.
void Trainer::begin_epoch(std::int64_t epoch) {
  if (examples_epoch_ == epoch) return;
  if (!sampler_ || train_.resample) {
    if (train_.resample) {
      resampled_ = train_.resample(epoch);
      examples_ = &resampled_;
    }
    sampler_.emplace(example_lengths(*examples_),
                     BatchOptions{.batch_size = config_.batch, .unit = batch_unit(config_.batch_unit)},
                     static_cast<std::uint64_t>(config_.seed));
  }
  examples_epoch_ = epoch;
}

double Trainer::rate() const {
  return config_.learning_rate * rate_factor_ * schedule_.share(update_, total_);
}

// The batches of the next update: as many as are accumulated, or what is left of the epoch.
void Trainer::draw_batches() {
  if (train_.resample && examples_epoch_ != sampler_->position().epoch) {
    const BatchPosition position = sampler_->position();
    begin_epoch(position.epoch);
    sampler_->seek(position);
  }
  batch_count_ = 0;
  do {
    const auto batch = sampler_->next();
    batches_[batch_count_].assign(batch.begin(), batch.end());
    shards_[batch_count_].split(*sampler_, batch, replicas_.size());
  } while (++batch_count_ < batches_.size() && sampler_->position().batch != 0);
}

// Every batch's share of a worker, in pieces of about the same number of words.
void Trainer::cut_pieces(int worker) {
  Share& share = shares_[static_cast<std::size_t>(worker)];
  share.pieces.clear();
  share.next = 0;
  share.loss = 0;
  for (std::size_t b = 0; b < batch_count_; ++b) {
    const std::span<const std::uint32_t> places = shards_[b].rows(worker);
    const auto words_of = [&](std::uint32_t place) {
      return std::int64_t{sampler_->length(batches_[b][place]).target};
    };
    std::int64_t words = 0, before = 0;
    for (const std::uint32_t place : places) words += words_of(place);
    const std::int64_t pieces = std::max<std::int64_t>(1, words / kPieceWords);
    for (std::size_t from = 0, to = 0; from < places.size(); from = to) {
      const std::int64_t piece = before * pieces / words;
      while (to < places.size() && before * pieces / words == piece) before += words_of(places[to++]);
      share.pieces.push_back({b, places.subspan(from, to - from)});
    }
  }
}

double Trainer::compute_piece(Share& share, const Piece& piece, Tape& tape, double weight) {
  share.source.clear(), share.target.clear(), share.guides.clear(), share.keys.clear();
  std::uint32_t first_key = 0;
  for (std::size_t b = 0; b < piece.batch; ++b) first_key += static_cast<std::uint32_t>(batches_[b].size());
  for (const std::uint32_t place : piece.places) {
    const std::uint32_t example = batches_[piece.batch][place];
    share.source.push_back(examples_->source(example));
    share.target.push_back(examples_->target(example));
    if (train_.guides != nullptr) share.guides.push_back((*train_.guides)[example]);
    share.keys.push_back(first_key + place);
  }
  const TrainRandom random{.seed = static_cast<std::uint64_t>(config_.seed),
                           .update = static_cast<std::uint32_t>(update_),
                           .sentence_keys = share.keys};
  return model_
      .loss(tape, {share.source, share.target, share.guides},
            {.smoothing = config_.label_smoothing,
             .weight = weight,
             .random = &random,
             .teacher_forcing = config_.teacher_forcing_at(update_),
             .coin_per_sentence = config_.teacher_forcing_unit == "sentence",
             .guide_weight = config_.guided_weight})
      .loss;
}

void Trainer::compute_gradients() {
  UpdateReport& report = pending_->report;
  for (std::size_t b = 0; b < batch_count_; ++b) {
    report.sentences += static_cast<std::int64_t>(batches_[b].size());
    for (const std::uint32_t example : batches_[b])
      report.target_tokens += static_cast<std::int64_t>(sampler_->length(example).target);
  }
  const double count =
      config_.loss == "mean" ? static_cast<double>(report.target_tokens) : static_cast<double>(report.sentences);
  for (int worker = 0; worker < replicas_.size(); ++worker) cut_pieces(worker);
  replicas_.run([&](int worker, Tape& tape) {
    Share& share = shares_[static_cast<std::size_t>(worker)];
    if (share.pieces.empty()) return false;
    share.loss += compute_piece(share, share.pieces[share.next++], tape, 1 / count);
    return share.next < share.pieces.size();
  });
  for (const Share& share : shares_) report.loss += share.loss;
  report.loss /= static_cast<double>(report.target_tokens);
  report.gradient_norm = std::sqrt(replicas_.gradients().sum_of_squares());
}

const UpdateReport& Trainer::compute() {
  const BatchPosition from = sampler_->position();
  pending_ = Pending{
      {.update = update_ + 1, .updates = total_, .epoch = from.epoch, .batch = from.batch, .rate = rate()}, from};
  draw_batches();
  compute_gradients();
  return pending_->report;
}

bool Trainer::astray() const {
  const UpdateReport& report = pending_->report;
  // A model that knows nothing has a loss of log V a word. Twice that and more, over many words, is no model any more;
  // a few words that a model got very wrong may cost as much.
  const double most = 2 * std::log(static_cast<double>(model_.config().vocabulary.target)) + 3 +
                      30 / std::sqrt(static_cast<double>(report.target_tokens));
  return !std::isfinite(report.loss) || !std::isfinite(report.gradient_norm) || report.loss > most;
}

void Trainer::apply() {
  optimiser_.apply(replicas_.gradients(), pending_->report.gradient_norm, pending_->report.rate, replicas_.pool());
  pending_.reset();
  ++update_;
  if (average_) update_average();
}

UpdateReport Trainer::update() {
  const UpdateReport report = compute();
  check<InputError>(!astray(),
                    "update {} (epoch {}) went astray: loss {}, gradient norm {}; try a smaller "
                    "training.learning_rate or training.clip",
                    report.update, report.epoch + 1, report.loss, report.gradient_norm);
  apply();
  return report;
}

// Young averages move faster, so that the random start is soon forgotten.
void Trainer::update_average() {
  const auto t = static_cast<double>(update_);
  const auto rest = static_cast<float>(1 - std::min(config_.ema, (1 + t) / (10 + t)));
  const Tensor average = average_->parameters().flat(), now = model_.parameters().flat();
  ThreadPool& pool = replicas_.pool();
  pool.run(pool.size(), [&](int worker) {
    const Index from = now.columns() * worker / pool.size(), to = now.columns() * (worker + 1) / pool.size();
    float* const a = average.data<float>();
    const float* const p = now.data<float>();
    for (Index i = from; i < to; ++i) a[i] += rest * (p[i] - a[i]);
  });
}

std::vector<std::pair<std::string, Tensor>> Trainer::tensors() const {
  std::vector<std::pair<std::string, Tensor>> named = {{"parameters", model_.parameters().flat()}};
  for (const auto& moment : optimiser_.state()) named.push_back(moment);
  if (average_) named.emplace_back("average", average_->parameters().flat());
  return named;
}

void Trainer::set_state(const State& state) {
  pending_.reset();
  update_ = state.update;
  optimiser_.set_updates(state.update);
  begin_epoch(state.position.epoch);
  sampler_->seek(state.position);
}

Rehearsal Trainer::rehearse() {
  const BatchPosition before = sampler_->position();
  Rehearsal result;
  double tokens = 0, seconds = 0;
  const auto compute_at = [&](std::int64_t batch) {
    sampler_->seek({before.epoch, batch});
    const Stopwatch watch;
    tokens = static_cast<double>(compute().target_tokens);
    seconds = watch.seconds();
  };
  // The largest batch, for its memory; then an ordinary one, for its time, when caches and memory are warm.
  std::int64_t largest = 0, most = -1;
  sampler_->seek({before.epoch, 0});
  const std::int64_t batches = sampler_->batches();
  for (std::int64_t b = 0; b < batches; ++b) {
    std::int64_t size = 0;
    for (const std::uint32_t example : sampler_->next())
      size += sampler_->length(example).source + sampler_->length(example).target;
    if (size > most) largest = b, most = size;
  }
  compute_at(largest);
  compute_at(batches / 2);
  result.epoch_seconds = seconds / tokens * static_cast<double>(examples_->target_tokens());
  for (const auto& [name, tensor] : tensors())
    result.bytes += static_cast<std::size_t>(tensor.columns()) * sizeof(float);
  result.bytes += replicas_.bytes();
  pending_.reset();
  sampler_->seek(before);
  return result;
}

}  // namespace heed
