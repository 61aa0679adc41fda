#include "train/run.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu.h"
#include "model/model_file.h"
#include "train/average.h"
#include "train/data_warnings.h"
#include "train/run_clock.h"
#include "train/run_directory.h"
#include "train/run_text.h"

namespace heed::train {
namespace {

constexpr int kMostRollbacks = 3;
constexpr double kSmallerRate = 1.0 / 3;      // after a rollback
constexpr double kSecondsToCheckpoint = 600;  // an unscheduled one, so that little is lost
constexpr std::int64_t kMostUpdateLines = 1000;

class Run {
 public:
  Run(const RunConfig& config, const RunFiles& files, Start start, RunObserver& observer, Communicator& communicator)
      : config_(config),
        files_(files),
        start_(start),
        observer_(observer),
        communicator_(communicator),
        directory_(files.out) {}

  RunResult train() {
    check_before_reading(config_, files_);
    std::optional<Checkpoint> checkpoint = open_directory();
    if (checkpoint) state_ = checkpoint->state();
    share_state();
    if (is_over()) return result(RunResult::End::was_done);

    read_text();
    model::Model model(config_.model);
    model.initialize(static_cast<std::uint64_t>(config_.training.seed));
    Trainer trainer(model, config_.training, text_.training_examples(), communicator_);
    trainer_ = &trainer;
    identity_ = {run_config_to_toml(config_, files_), trainer.workers(), text_.train_checksum(),
                 text_.valid_checksum()};
    if (checkpoint) check_same_run(checkpoint->identity(), identity_, files_.out);
    begin(checkpoint);
    checkpoint.reset();
    const RunResult finished = loop();
    communicator_.barrier();  // no rank ends before the files are written
    return finished;
  }

 private:
  bool is_main() const { return communicator_.is_main(); }

  // On rank 0: the checkpoint to go on from, if any.
  std::optional<Checkpoint> open_directory() {
    if (!is_main()) return std::nullopt;
    if (start_ == Start::fresh && directory_.is_taken())
      throw UsageError(
          "'{0}' holds a run already; go on with it by --resume, begin again by --overwrite, or choose another --out",
          files_.out);
    directory_.open();
    if (start_ == Start::overwrite) directory_.clear();
    std::optional<Checkpoint> checkpoint = start_ == Start::resume ? directory_.newest() : std::nullopt;
    if (checkpoint) check_same_config(checkpoint->identity().config, config_, files_.out);
    return checkpoint;
  }

  void read_text() {
    const auto on_reading = [&](std::int64_t pairs) {
      if (is_main()) observer_.on_reading(pairs);
    };
    // The other ranks may run where the run directory cannot be reached: their tokens stay in memory.
    text_ = RunText(config_, files_, communicator_.size() * config_.training.thread_count(),
                    is_main() ? directory_.file("checkpoint") : "", on_reading);
    config_.model.vocabulary = text_.vocabulary();
  }

  bool is_over() const {
    if (state_.ended == "patience")
      return config_.validation.patience != 0 && state_.best.waiting >= config_.validation.patience;
    if (config_.training.updates > 0) return state_.trainer.update >= config_.training.updates;
    return state_.trainer.position.epoch >= config_.training.epochs;
  }

  RunResult result(RunResult::End end) const {
    return {.end = end, .reason = state_.ended, .update = state_.trainer.update, .best = state_.best.value};
  }

  void begin(const std::optional<Checkpoint>& checkpoint) {
    std::string text = identity_.train + identity_.valid;
    broadcast(communicator_, text);
    check<InputError>(text == identity_.train + identity_.valid,
                      "rank {} read another text than rank 0; give all the same files", communicator_.rank());
    restore(checkpoint);
    const CostEstimate cost = trainer_->estimate_cost();
    if (is_main()) {
      log_.open(directory_.file("metrics.jsonl"), directory_.file("samples.jsonl"), state_.log);
      write_file_atomically(directory_.file("config.toml"), identity_.config);
      observer_.on_start(
          {text_.train(), text_.valid().examples.size(), trainer_->result(), cost,
           checkpoint ? std::vector<std::string>{} : data_warnings(files_, text_.train().examples.size()),
           state_.trainer.update, trainer_->updates()});
      if (!checkpoint) log_start();
    }
    clock_.start(state_.seconds);
  }

  // Gives all ranks the state of rank 0.
  void share_state() {
    if (communicator_.size() == 1) return;
    std::string text = state_.to_json();
    broadcast(communicator_, text);
    state_ = RunState::from_json(text, "the state of rank 0");
  }

  // On all ranks: the state and numbers of rank 0's checkpoint, or those that a run begins with.
  void restore(const std::optional<Checkpoint>& checkpoint) {
    if (checkpoint) {
      state_ = checkpoint->state();
      saved_update_ = state_.trainer.update;
      checkpoint->fill(trainer_->tensors());
    }
    share_state();
    for (const auto& [name, tensor] : trainer_->tensors())
      communicator_.broadcast(0, std::as_writable_bytes(tensor.span<float>()));
    state_.ended.clear();
    trainer_->set_state(state_.trainer);
    trainer_->schedule().set_state(state_.schedule);
    trainer_->set_rate_factor(rate_factor());
  }

  double rate_factor() const { return std::pow(kSmallerRate, static_cast<double>(state_.rollbacks)); }
  bool goes_on() const { return !trainer_->done() && state_.ended.empty(); }

  RunResult loop() {
    while (goes_on()) {
      const UpdateReport report = trainer_->compute();
      if (trainer_->diverged()) {
        go_back(report);
        continue;
      }
      // Only now is the state before this update known to be a good one.
      if (state_.checkpoint_due) save(RunDirectory::Moment::scheduled);
      trainer_->apply();
      after_update(report);
      if (goes_on() && stop_wanted()) {
        save(RunDirectory::Moment::other);
        return result(RunResult::End::stopped);
      }
    }
    finish();
    return result(RunResult::End::done);
  }

  bool stop_wanted() {
    char wanted = is_main() && observer_.wants_stop() ? 1 : 0;
    communicator_.broadcast(0, std::as_writable_bytes(std::span(&wanted, 1)));
    return wanted != 0;
  }

  void after_update(const UpdateReport& report) {
    state_.trainer = trainer_->state();
    state_.target_tokens += report.target_tokens;
    state_.since_line.add(report);
    state_.since_validation.add(report);
    if (is_main()) observer_.on_update(report);
    const std::int64_t lines_apart = (trainer_->updates() + kMostUpdateLines - 1) / kMostUpdateLines;
    if (report.update % lines_apart == 0) log_update(report);
    const std::int64_t every = config_.validation.updates;
    if ((every > 0 ? report.update % every == 0 : trainer_->epoch_ended()) || trainer_->done()) validate_now(report);
    const std::int64_t scheduled = config_.training.checkpoint_updates;
    if (scheduled > 0 && report.update % scheduled == 0) state_.checkpoint_due = true;
    if (goes_on() && clock_.since_checkpoint() > kSecondsToCheckpoint) save(RunDirectory::Moment::other);
  }

  // Rank 0 validates; all go on with what it found.
  void validate_now(const UpdateReport& update) {
    if (is_main()) {
      ValidationReport report{.update = update.update,
                              .epoch = update.epoch + 1,
                              .loss = state_.since_validation.mean(),
                              .rate = update.rate,
                              .best = true};
      Validated validated;
      if (!text_.valid().empty()) {
        validated = validate(trainer_->result());
        report.validated = &validated;
        report.best = note_validation(validated.scores, update.update);
      }
      if (report.best) save_model(trainer_->result());
      report.seconds = clock_.seconds();
      write_validation(report);
    }
    state_.since_validation = {};
    state_.checkpoint_due = true;
    share_state();
    trainer_->schedule().set_state(state_.schedule);
  }

  Validated validate(const model::Model& model) {
    return validate_model(model, text_.pipeline(), text_.valid(),
                          static_cast<std::size_t>(config_.validation.sentences),
                          static_cast<std::size_t>(config_.validation.samples), trainer_->pool());
  }

  // The best so far, patience, the rate's plateau, and what is kept to be averaged.
  bool note_validation(const Validation& scores, std::int64_t update) {
    const Snapshot now{update, scores.value(config_.validation.metric)};
    const bool best = state_.best.add(config_.validation.metric, now);
    trainer_->schedule().note_validation(best);
    state_.schedule = trainer_->schedule().state();
    if (config_.training.average > 0 && std::isfinite(now.value)) {
      save_parameters(directory_.snapshot(update), trainer_->result().parameters());
      state_.best.keep_snapshot(now, config_.validation.metric, config_.training);
    }
    if (config_.validation.patience > 0 && state_.best.waiting >= config_.validation.patience)
      state_.ended = "patience";
    return best;
  }

  // At the end: the average is one more candidate for the best model.
  void try_average() {
    std::vector<std::string> files;
    for (const Snapshot& snapshot : state_.best.snapshots) files.push_back(directory_.snapshot(snapshot.update));
    model::Model average(config_.model);
    average_parameters(average.parameters(), files);
    const Validated validated = validate(average);
    const double value = validated.scores.value(config_.validation.metric);
    const ValidationReport report{.update = state_.trainer.update,
                                  .epoch = state_.trainer.position.epoch,
                                  .rate = trainer_->rate(),
                                  .seconds = clock_.seconds(),
                                  .best = state_.best.is_best(config_.validation.metric, value),
                                  .validated = &validated,
                                  .averaged = true};
    if (report.best) {
      state_.best.value = value;
      save_model(average);
    }
    write_validation(report);
  }

  void finish() {
    if (state_.ended.empty()) state_.ended = config_.training.updates > 0 ? "updates" : "epochs";
    if (is_main()) {
      if (state_.best.snapshots.size() > 1) try_average();
      log_.write_line({{"kind", "end"},
                       {"update", state_.trainer.update},
                       {"reason", state_.ended},
                       {"best", state_.best.value ? Json(*state_.best.value) : Json()},
                       {"seconds", clock_.seconds()}});
    }
    save(RunDirectory::Moment::scheduled);
    share_state();
  }

  void save_model(const model::Model& model) {
    Metadata metadata = text_.pipeline().metadata();
    metadata.emplace_back(
        "heed.provenance",
        fmt::format(R"({{"update":{},"train_pairs":{},"train_checksum":"{}","seed":{},"threads":{}}})",
                    state_.trainer.update, text_.train().examples.size(), identity_.train, config_.training.seed,
                    identity_.workers));
    heed::model::save_model(directory_.file("model.safetensors"), model, metadata);
  }

  void save(RunDirectory::Moment moment) {
    if (moment == RunDirectory::Moment::scheduled) state_.checkpoint_due = false;
    clock_.end_checkpoint();
    if (!is_main()) return;
    // The clock is read into the checkpoint only: nothing else depends on it.
    state_.seconds = clock_.seconds();
    state_.log = log_.position();
    try {
      log_.sync();
      directory_.save(moment, state_, identity_, trainer_->tensors());
    } catch (const InputError& error) {
      if (saved_update_ < 0) throw;
      throw InputError("{}; then go on from update {} with --resume", error.what(), saved_update_);
    }
    saved_update_ = state_.trainer.update;
  }

  // Back to the last state that was good, with a smaller rate.
  void go_back(const UpdateReport& report) {
    const std::string what =
        fmt::format("training diverged at update {} (epoch {}, batch {}): loss {:.4g}, gradient norm {:.4g}",
                    report.update, report.epoch + 1, report.batch + 1, report.loss, report.gradient_norm);
    check<InputError>(state_.rollbacks < kMostRollbacks,
                      "{}, for the fourth time; set a smaller training.learning_rate (now {}) or training.clip", what,
                      config_.training.learning_rate);
    const std::optional<Checkpoint> good = is_main() ? directory_.good() : std::nullopt;
    check<InputError>(good.has_value() || !is_main(),
                      "{}, before anything was learned; look the data over with `heed data`", what);
    const std::int64_t rollbacks = state_.rollbacks + 1;
    const double before = clock_.seconds();
    restore(good);
    state_.rollbacks = rollbacks;
    trainer_->set_rate_factor(rate_factor());
    if (!is_main()) return;
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
    const data::Prepared& data = text_.train();
    log_.write_line({{"kind", "start"},
                     {"system", config_.model.system},
                     {"parameters", trainer_->result().parameters().count()},
                     {"train_pairs", data.examples.size()},
                     {"valid_pairs", text_.valid().examples.size()},
                     {"source_words", data.source.size()},
                     {"target_words", data.target.size()},
                     {"updates", trainer_->updates()},
                     {"metric", enum_name(config_.validation.metric)},
                     {"threads", identity_.workers},
                     {"processor", processor()}});
  }

  void log_update(const UpdateReport& report) {
    const double speed = state_.since_line.tokens / std::max(clock_.end_line(), 1e-9);
    if (is_main())
      log_.write_line({{"kind", "update"},
                       {"update", report.update},
                       {"epoch", report.epoch + 1},
                       {"loss", state_.since_line.mean()},
                       {"gradient_norm", report.gradient_norm},
                       {"learning_rate", report.rate},
                       {"target_tokens", state_.target_tokens},
                       {"tokens_per_second", speed},
                       {"seconds", clock_.seconds()}});
    state_.since_line = {};
  }

  void write_validation(const ValidationReport& report) {
    log_.write(report);
    observer_.on_validation(report);
    clock_.end_validation();
  }

  RunConfig config_;
  RunFiles files_;
  Start start_;
  RunObserver& observer_;
  Communicator& communicator_;
  RunDirectory directory_;  // of rank 0
  RunIdentity identity_;
  RunText text_;
  Trainer* trainer_ = nullptr;
  RunState state_;
  RunLog log_;  // of rank 0
  RunClock clock_;
  std::int64_t saved_update_ = -1;  // of the last checkpoint that is whole
};

}  // namespace

RunResult train_run(RunConfig config, const RunFiles& files, Start start, RunObserver& observer,
                    Communicator& communicator) {
  return Run(config, files, start, observer, communicator).train();
}

}  // namespace heed::train
