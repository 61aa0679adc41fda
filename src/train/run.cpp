#include "train/run.h"

#include <algorithm>
#include <cmath>

#include "base/stopwatch.h"
#include "kernels/cpu.h"
#include "model/model_file.h"
#include "train/average.h"
#include "train/oddities.h"
#include "train/run_directory.h"
#include "train/run_text.h"

namespace heed {
namespace {

constexpr int kMostRollbacks = 3;
constexpr double kSmallerRate = 1.0 / 3;      // after a rollback
constexpr double kSecondsToCheckpoint = 600;  // an unscheduled one, so that little is lost
constexpr std::int64_t kMostUpdateLines = 1000;

class Run {
 public:
  Run(const RunConfig& config, const RunFiles& files, Start start, RunObserver& observer)
      : config_(config), files_(files), start_(start), observer_(observer), directory_(files.out) {}

  RunResult train() {
    check_before_reading(config_, files_);
    std::optional<Checkpoint> checkpoint = open_directory();
    if (checkpoint) check_same_config(checkpoint->identity().config, identity_.config, files_.out);
    if (checkpoint && is_over(checkpoint->state())) return result(RunResult::End::was_done, checkpoint->state());

    text_ = RunText(config_, files_, directory_.file("checkpoint/tokens"),
                    [&](std::int64_t pairs) { observer_.on_reading(pairs); });
    config_.model.vocabulary = text_.vocabulary();
    identity_ = {run_config_to_toml(config_, files_), config_.training.thread_count(), text_.train_checksum(),
                 text_.valid_checksum()};
    if (checkpoint) check_same_run(checkpoint->identity(), identity_, files_.out);
    Model model(config_.model);
    model.initialise(static_cast<std::uint64_t>(config_.training.seed));
    Trainer trainer(model, config_.training, text_.training_examples());
    trainer_ = &trainer;
    begin(checkpoint);
    checkpoint.reset();
    return loop();
  }

 private:
  // The checkpoint to go on from, if any.
  std::optional<Checkpoint> open_directory() {
    identity_.config = run_config_to_toml(config_, files_);
    if (start_ == Start::fresh && directory_.is_taken())
      throw UsageError(
          "'{0}' holds a run already; go on with it by --resume, begin again by --overwrite, or choose another --out",
          files_.out);
    directory_.open();
    if (start_ == Start::overwrite) directory_.clear();
    return start_ == Start::resume ? directory_.newest() : std::nullopt;
  }

  bool is_over(const RunState& state) const {
    if (state.ended == "patience")
      return config_.validation.patience == 0 ? false : state.waiting >= config_.validation.patience;
    if (config_.training.updates > 0) return state.trainer.update >= config_.training.updates;
    return state.trainer.position.epoch >= config_.training.epochs;
  }

  RunResult result(RunResult::End end, const RunState& state) const {
    return {.end = end, .reason = state.ended, .update = state.trainer.update, .best = state.best};
  }

  void begin(const std::optional<Checkpoint>& checkpoint) {
    if (checkpoint) restore(*checkpoint);
    log_.open(directory_.file("metrics.jsonl"), directory_.file("samples.jsonl"), state_.log);
    write_file_atomically(directory_.file("config.toml"), identity_.config);
    const Rehearsal rehearsal = trainer_->rehearse();
    observer_.on_start({text_.train(), text_.valid().examples.size(), trainer_->result(), rehearsal,
                        checkpoint ? std::vector<std::string>{} : find_oddities(files_, text_.train().examples.size()),
                        state_.trainer.update, trainer_->updates()});
    if (!checkpoint) log_start();
    since_start_.restart();
    since_checkpoint_.restart();
    seconds_before_ = line_seconds_ = state_.seconds;
  }

  void restore(const Checkpoint& checkpoint) {
    state_ = checkpoint.state();
    saved_update_ = state_.trainer.update;
    state_.ended.clear();
    checkpoint.fill(trainer_->tensors());
    trainer_->set_state(state_.trainer);
    trainer_->schedule().set_state(state_.schedule);
    trainer_->set_rate_factor(rate_factor());
  }

  double rate_factor() const { return std::pow(kSmallerRate, static_cast<double>(state_.rollbacks)); }
  bool goes_on() const { return !trainer_->done() && state_.ended.empty(); }

  RunResult loop() {
    while (goes_on()) {
      const UpdateReport report = trainer_->compute();
      if (trainer_->astray()) {
        go_back(report);
        continue;
      }
      // Only now is the state before this update known to be a good one.
      if (state_.checkpoint_due) save(RunDirectory::Moment::scheduled);
      trainer_->apply();
      after_update(report);
      if (goes_on() && observer_.wants_stop()) {
        save(RunDirectory::Moment::other);
        return result(RunResult::End::stopped, state_);
      }
    }
    finish();
    return result(RunResult::End::done, state_);
  }

  void after_update(const UpdateReport& report) {
    state_.trainer = trainer_->state();
    state_.target_tokens += report.target_tokens;
    state_.since_line.add(report);
    state_.since_validation.add(report);
    observer_.on_update(report);
    const std::int64_t lines_apart = (trainer_->updates() + kMostUpdateLines - 1) / kMostUpdateLines;
    if (report.update % lines_apart == 0) log_update(report);
    const std::int64_t every = config_.validation.updates;
    if ((every > 0 ? report.update % every == 0 : trainer_->epoch_ended()) || trainer_->done()) validate_now(report);
    const std::int64_t scheduled = config_.training.checkpoint_updates;
    if (scheduled > 0 && report.update % scheduled == 0) state_.checkpoint_due = true;
    if (goes_on() && since_checkpoint_.seconds() > kSecondsToCheckpoint) save(RunDirectory::Moment::other);
  }

  void validate_now(const UpdateReport& report) {
    ValidationReport told{.update = report.update,
                          .epoch = report.epoch + 1,
                          .loss = state_.since_validation.mean(),
                          .rate = report.rate,
                          .best = true};
    Validated validated;
    if (!text_.valid().empty()) {
      validated = validate(trainer_->result());
      told.validated = &validated;
      note_scores(validated.scores, report.update, told);
    }
    if (told.best) save_model(trainer_->result());
    told.seconds = seconds();
    tell(told);
    state_.since_validation = {};
    state_.checkpoint_due = true;
  }

  Validated validate(const Model& model) {
    return heed::validate(model, text_.pipeline(), text_.valid(),
                          static_cast<std::size_t>(config_.validation.sentences),
                          static_cast<std::size_t>(config_.validation.samples), trainer_->pool());
  }

  // The best so far, patience, the rate's plateau, and what is kept to be averaged.
  void note_scores(const Validation& scores, std::int64_t update, ValidationReport& told) {
    const double value = scores.value(config_.validation.metric);
    told.best = std::isfinite(value) && (!state_.best || is_better(config_.validation.metric, value, *state_.best));
    state_.waiting = told.best ? 0 : state_.waiting + 1;
    if (told.best) state_.best = value, state_.best_update = update;
    trainer_->schedule().note_validation(told.best);
    state_.schedule = trainer_->schedule().state();
    if (config_.training.average > 0 && std::isfinite(value)) keep_snapshot({update, value});
    if (config_.validation.patience > 0 && state_.waiting >= config_.validation.patience) state_.ended = "patience";
  }

  void keep_snapshot(const Snapshot& snapshot) {
    save_parameters(directory_.snapshot(snapshot.update), trainer_->result().parameters());
    state_.snapshots.push_back(snapshot);
    if (std::ssize(state_.snapshots) <= config_.training.average) return;
    auto worst = state_.snapshots.begin();
    if (config_.training.average_of == "best")
      for (auto s = worst; s != state_.snapshots.end(); ++s)
        if (is_better(config_.validation.metric, worst->value, s->value)) worst = s;
    state_.snapshots.erase(worst);
  }

  // At the end: the average is one more candidate for the best model.
  void try_average() {
    std::vector<std::string> files;
    for (const Snapshot& snapshot : state_.snapshots) files.push_back(directory_.snapshot(snapshot.update));
    Model average(config_.model);
    average_parameters(average.parameters(), files);
    const Validated validated = validate(average);
    const double value = validated.scores.value(config_.validation.metric);
    ValidationReport told{.update = state_.trainer.update,
                          .epoch = state_.trainer.position.epoch,
                          .rate = trainer_->rate(),
                          .seconds = seconds(),
                          .best = is_better(config_.validation.metric, value, *state_.best),
                          .validated = &validated,
                          .averaged = true};
    if (told.best) {
      state_.best = value;
      save_model(average);
    }
    tell(told);
  }

  void finish() {
    if (state_.ended.empty()) state_.ended = config_.training.updates > 0 ? "updates" : "epochs";
    if (state_.snapshots.size() > 1) try_average();
    log_.write(RunLog::End{state_.trainer.update, state_.ended, state_.best, seconds()});
    save(RunDirectory::Moment::scheduled);
  }

  void save_model(const Model& model) {
    Metadata metadata = text_.pipeline().metadata();
    metadata.emplace_back(
        "heed.provenance",
        fmt::format(R"({{"update":{},"train_pairs":{},"train_checksum":"{}","seed":{},"threads":{}}})",
                    state_.trainer.update, text_.train().examples.size(), identity_.train, config_.training.seed,
                    identity_.threads));
    heed::save_model(directory_.file("model.safetensors"), model, metadata);
  }

  void save(RunDirectory::Moment moment) {
    // The clock is read into the checkpoint only: nothing else depends on it.
    state_.seconds = seconds();
    if (moment == RunDirectory::Moment::scheduled) state_.checkpoint_due = false;
    state_.log = log_.position();
    try {
      log_.sync();
      directory_.save(moment, state_, identity_, trainer_->tensors());
    } catch (const InputError& error) {
      if (saved_update_ < 0) throw;
      throw InputError("{}; then go on from update {} with --resume", error.what(), saved_update_);
    }
    since_checkpoint_.restart();
    saved_update_ = state_.trainer.update;
  }

  // Back to the last state that was good, with a smaller rate.
  void go_back(const UpdateReport& report) {
    const std::string what =
        fmt::format("update {} (epoch {}, batch {}) went astray: loss {:.4g}, gradient norm {:.4g}", report.update,
                    report.epoch + 1, report.batch + 1, report.loss, report.gradient_norm);
    check<InputError>(state_.rollbacks < kMostRollbacks,
                      "{}, for the fourth time; set a smaller training.learning_rate (now {}) or training.clip", what,
                      config_.training.learning_rate);
    const std::optional<Checkpoint> good = directory_.good();
    check<InputError>(good.has_value(), "{}, before anything was learned; look the data over with `heed data`", what);
    const std::int64_t rollbacks = state_.rollbacks + 1;
    const double before = seconds();
    restore(*good);
    state_.rollbacks = rollbacks;
    trainer_->set_rate_factor(rate_factor());
    log_.cut(state_.log);
    const Divergence divergence{report, state_.trainer.update, rate_factor(), before};
    log_.write(divergence);
    observer_.on_divergence(divergence);
  }

  // "AMD EPYC 7B13, AVX2"
  static std::string processor() {
    const std::string name = kernels::processor_name();
    return name + (name.empty() ? "" : ", ") + kernels::instruction_set();
  }

  void log_start() {
    const Prepared& data = text_.train();
    log_.write(RunLog::Start{.system = config_.model.system,
                             .metric = config_.validation.metric,
                             .processor = processor(),
                             .parameters = trainer_->result().parameters().count(),
                             .train_pairs = static_cast<std::int64_t>(data.examples.size()),
                             .valid_pairs = static_cast<std::int64_t>(text_.valid().examples.size()),
                             .source_words = data.source.size(),
                             .target_words = data.target.size(),
                             .updates = trainer_->updates(),
                             .threads = identity_.threads});
  }

  void log_update(const UpdateReport& report) {
    const double now = seconds(), speed = state_.since_line.tokens / std::max(now - line_seconds_, 1e-9);
    log_.write(RunLog::Update{report, state_.since_line.mean(), state_.target_tokens, speed, now});
    line_seconds_ = now;
    state_.since_line = {};
  }

  void tell(const ValidationReport& report) {
    log_.write(report);
    observer_.on_validation(report);
    line_seconds_ = seconds();  // speeds are of training alone
  }

  double seconds() const { return seconds_before_ + since_start_.seconds(); }

  RunConfig config_;
  RunFiles files_;
  Start start_;
  RunObserver& observer_;
  RunDirectory directory_;
  RunIdentity identity_;
  RunText text_;
  Trainer* trainer_ = nullptr;
  RunState state_;
  RunLog log_;
  std::int64_t saved_update_ = -1;  // of the last checkpoint that is whole
  Stopwatch since_start_, since_checkpoint_;
  double seconds_before_ = 0, line_seconds_ = 0;
};

}  // namespace

RunResult train_run(RunConfig config, const RunFiles& files, Start start, RunObserver& observer) {
  return Run(config, files, start, observer).train();
}

}  // namespace heed
