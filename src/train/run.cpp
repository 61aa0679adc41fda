#include "train/run.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/checksum.h"
#include "kernels/cpu.h"
#include "model/int8_model.h"
#include "train/input_ranges.h"
#include "train/parent_model.h"
#include "train/run_clock.h"
#include "train/run_directory.h"
#include "train/run_records.h"
#include "train/run_text.h"
#include "train/shortlist.h"

namespace heed::train {
namespace {

// A crash loses at most ten minutes of work, and writing a checkpoint takes only a small fraction of that.
constexpr double kCheckpointSeconds = 600;
// Enough points for a curve on the screen; the log of a long run stays small.
constexpr std::int64_t kMaxUpdateLines = 1000;

// A TOML file without its comment lines.
std::string without_comments(std::string_view toml) {
  std::string kept;
  for (std::size_t from = 0; from < toml.size();) {
    const std::size_t to = std::min(toml.find('\n', from), toml.size() - 1) + 1;
    if (toml[from] != '#') kept += toml.substr(from, to - from);
    from = to;
  }
  return kept;
}

class Run {
 public:
  Run(const RunConfig& config, const RunFiles& files, Start start, RunObserver& observer, Communicator& communicator)
      : config_(config),
        files_(files),
        start_(start),
        observer_(observer),
        communicator_(communicator),
        directory_(files.out),
        times_(communicator) {
    if (files.has_valid()) config_.data.holdout = false;
    int& patience = config_.validation.patience;
    if (patience == kAutomaticPatience) patience = config_.data.holdout ? kHoldoutPatience : 0;
  }

  RunResult train() {
    check_same_launch();
    const bool is_new = broadcast_flag(!resumes(start_) || !directory_.has_checkpoint());
    std::optional<Checkpoint> checkpoint;
    if (!is_new) checkpoint = open_directory();  // a changed setting is refused, whether it is valid or not
    check_before_reading(config_, files_, is_new);
    if (is_new) {
      load_parent();
      checkpoint = open_directory();
    }
    if (checkpoint) state_ = checkpoint->state();
    share_state();
    const bool over = is_over();
    if (checkpoint) find_model_damage(over);
    if (over && !broadcast_flag(!model_damage_.empty())) return result(RunResult::End::was_done);
    if (checkpoint && !over) check_resumable(checkpoint->identity());

    read_text(checkpoint ? checkpoint->identity().text_workers : 0);
    model::Model model(config_.model);
    if (parent_)
      parent_->copy_parameters(model);
    else
      model.initialize(static_cast<std::uint64_t>(config_.training.seed));
    Trainer trainer(model, config_.training, text_.training_examples(), communicator_);
    trainer_ = &trainer;
    identity_ = {.config = run_config_to_toml(config_, files_),
                 .workers = trainer.workers(),
                 .text_workers = text_workers_,
                 .ranks = config_.training.gradient_exchange == GradientFormat::bf16 ? communicator_.size() : 0,
                 .train = text_.train_checksum(),
                 .valid = text_.valid_checksum(),
                 .from = parent_ ? parent_->checksum() : "",
                 .cpu = kernels::instruction_set_variable()};
    if (checkpoint) {
      if (start_ == Start::resume)
        check_same_workers(checkpoint->identity(), identity_, files_.out, communicator_.size());
      check_same_run(checkpoint->identity(), identity_, files_.out);
    }
    if (over) return restore_finished_run(checkpoint);
    begin(checkpoint);
    checkpoint.reset();
    const RunResult finished = loop();
    communicator_.barrier();  // no rank returns before the files are written
    return finished;
  }

 private:
  bool is_main() const { return communicator_.is_main(); }

  // Fails before any work is done if the ranks would not compute the same thing.
  void check_same_launch() {
    if (communicator_.size() == 1) return;
    for (const bool reads : {files_.train(config_.languages()).reads_standard_input(),
                             files_.has_valid() && files_.valid(config_.languages()).reads_standard_input()})
      check<UsageError>(!reads, "only one of the {} processes can read standard input; give all of them files",
                        communicator_.size());
    check_same(
        communicator_, "the configuration",
        fmt::format("{}start = {}\n", without_comments(run_config_to_toml(config_, {})), static_cast<int>(start_)),
        "start all ranks with the same command and the same version of its files");
    const std::string own = kernels::instruction_set_variable();
    check_same(communicator_, "the instruction set", own,
               "set the variable HEED_CPU to one that all machines have, with mpirun -x HEED_CPU=…");
  }

  // On rank 0: the checkpoint to resume from, if any.
  std::optional<Checkpoint> open_directory() {
    if (!is_main()) return std::nullopt;
    check<UsageError>(start_ != Start::fresh || !directory_.has_checkpoint(),
                      "'{}' already contains a run; use --resume to continue it, --overwrite to start again, or choose "
                      "another --out",
                      files_.out);
    if (start_ != Start::overwrite) {
      const std::string foreign = directory_.find_foreign_file();
      check<UsageError>(
          foreign.empty(),
          "'{}' has no checkpoint, but contains '{}', which a new run would replace; choose another --out, or "
          "start again with --overwrite",
          files_.out, foreign);
    }
    directory_.open();
    if (start_ == Start::overwrite) directory_.clear();
    if (!resumes(start_)) return std::nullopt;
    RunDirectory::Newest newest = directory_.newest();
    if (!newest.checkpoint) return std::nullopt;
    check_same_config(newest.checkpoint->identity().config, config_, files_.out);
    if (!newest.note.empty()) observer_.on_note(newest.note);
    good_lost_ = newest.good_lost;
    return std::move(newest.checkpoint);
  }

  // Fails now if the run could not be finished.
  void check_resumable(const RunIdentity& before) const {
    check_same_cpu(before, files_.out);
    if (config_.training.average == 0) return;
    for (const Snapshot& snapshot : state_.best.snapshots)
      if (const std::string path = directory_.snapshot(snapshot.update); !std::filesystem::is_regular_file(path))
        fail_without_snapshot(fmt::format("'{}' is missing", path));
  }

  [[noreturn]] static void fail_without_snapshot(const std::string& problem) {
    throw InputError(
        "{}, but the average at the end of the run needs it; restore it from a copy, or resume without averaging: "
        "--resume --set training.average=0",
        problem);
  }

  // Returns the flag of rank 0 on all ranks.
  bool broadcast_flag(bool flag) {
    char byte = is_main() && flag ? 1 : 0;
    communicator_.broadcast(0, std::as_writable_bytes(std::span(&byte, 1)));
    return byte != 0;
  }

  // On rank 0: sets model_damage_ if the run has written a model that is now missing or damaged.
  void find_model_damage(bool over) {
    if (!state_.best.value && (!over || files_.has_valid())) return;
    const std::string path = directory_.file("model.safetensors");
    try {
      if (!std::filesystem::exists(path))
        model_damage_ = fmt::format("'{}' is missing", path);
      else
        Safetensors(path, {.verify_checksum = true});
    } catch (const InputError& error) {
      model_damage_ = what_is_wrong(error);
    }
  }

  // Restores the damaged model of a complete run, or fails.
  RunResult restore_finished_run(const std::optional<Checkpoint>& checkpoint) {
    const std::string reason = state_.ended;
    restore(checkpoint);
    state_.ended = reason;
    if (is_main() && !restore_model()) fail_without_model();
    communicator_.barrier();
    return result(RunResult::End::was_done);
  }

  [[noreturn]] void fail_without_model() const {
    throw InputError(
        "{}, and no checkpoint contains that model (of update {}); restore it from a copy, or train again with "
        "--overwrite",
        model_damage_, state_.best.update);
  }

  // Writes the best model again if the checkpoint or the snapshots contain it; returns whether it did.
  bool restore_model() {
    const std::string damage = model_damage_;
    const BestTracker& best = state_.best;
    const auto kept = std::ranges::find(best.snapshots, best.update, &Snapshot::update);
    if (kept != best.snapshots.end()) {
      model::Model model(config_.model);
      const bool was_average = kept->value != best.value;  // an average is kept only if it is better
      try {
        average_snapshots(model, was_average ? best.snapshots : std::vector{*kept});
      } catch (const Error&) {
        return false;
      }
      if (was_average && validation_of(model, single_process()).value(config_.validation.metric) != best.value)
        return false;
      save_model(model, was_average ? state_.trainer.update : best.update);
    } else if (!best.value || best.update == state_.trainer.update) {
      save_model(trainer_->result(), state_.trainer.update);
    } else {
      return false;
    }
    observer_.on_note(fmt::format("{}; it was restored from the checkpoint", damage));
    return true;
  }

  // The model that the run starts from, if any.
  void load_parent() {
    if (parent_ || files_.from.empty()) return;
    parent_.emplace(files_.from);
    parent_->check_settings(config_);
  }

  // Where the token ids are stored: on rank 0 in the run directory; on the other ranks in $TMPDIR if it is set,
  // otherwise in the run directory if they can write there, otherwise in memory (an empty path).
  std::string scratch_directory() const {
    const std::string own = directory_.file("checkpoint");
    if (is_main()) return own;
    if (const char* temporary = std::getenv("TMPDIR"); temporary != nullptr) return temporary;
    return ::access(own.c_str(), W_OK) == 0 ? own : "";
  }

  // `text_workers`: on rank 0, the number of workers that a resumed run was started with; otherwise 0.
  void read_text(int text_workers) {
    text_workers_ = text_workers != 0 ? text_workers : communicator_.size() * worker_count(config_.training.threads);
    communicator_.broadcast(0, std::as_writable_bytes(std::span(&text_workers_, 1)));
    load_parent();
    const auto on_reading = [&](std::int64_t pairs) {
      if (is_main()) observer_.on_reading(pairs);
    };
    text_ = RunText(config_, files_, parent_ ? &*parent_ : nullptr, text_workers_, scratch_directory(), on_reading,
                    state_.normalized_references);
    config_.model.vocabulary = vocabulary_config(text_.train());
  }

  bool is_over() const {
    if (state_.ended == "patience")
      return config_.validation.patience != 0 && state_.best.waiting >= config_.validation.patience;
    if (config_.training.updates > 0) return state_.trainer.update >= config_.training.updates;
    return state_.trainer.position.epoch >= config_.training.epochs;
  }

  // The limit that ends the run unless validation.patience does.
  std::string limit() const { return config_.training.updates > 0 ? "updates" : "epochs"; }

  RunResult result(RunResult::End end) const {
    const bool by_limit = end == RunResult::End::was_done && state_.ended != "patience";
    return {.end = end,
            .reason = by_limit ? limit() : state_.ended,
            .update = state_.trainer.update,
            .best = state_.best.value};
  }

  void begin(const std::optional<Checkpoint>& checkpoint) {
    check_same(communicator_, "the training text", identity_.train, "give all ranks the same files");
    check_same(communicator_, "the validation text", identity_.valid, "give all ranks the same files");
    check_same(communicator_, "the model of --from", identity_.from, "give all ranks the same model");
    restore(checkpoint);
    const CostEstimate cost = trainer_->estimate_cost();
    if (is_main()) {
      // The configuration first: it shows that the logs belong to this run.
      write_file_atomically(directory_.file("config.toml"), identity_.config);
      open_log();
      std::vector<std::string> warnings;
      if (!checkpoint) warnings = text_.data_warnings(config_, files_);
      observer_.on_start({config_, text_.train(), text_.choice(), text_.valid().examples.size(), trainer_->result(),
                          cost, std::move(warnings), state_.trainer.update, trainer_->updates(), parent_.has_value(),
                          communicator_.size(), trainer_->threads()});
      if (!checkpoint) log_.write_line(start_line(parts()));
      if (checkpoint && checkpoint->identity().workers != identity_.workers)
        log_.write_line(workers_line(state_, checkpoint->identity(), identity_));
      if (const std::string note = text_.unknown_words_warning(); parent_ && !checkpoint && !note.empty())
        observer_.on_note(note);
    }
    clock_.start(state_.seconds);
    times_.restart();
    if (good_lost_) directory_.replace_good();
    if (!model_damage_.empty() && !restore_model())
      observer_.on_note(
          fmt::format("{}; it will be written again when the run finds a better model than that of update {}",
                      model_damage_, state_.best.update));
  }

  void open_log() {
    log_.open(directory_.file("metrics.jsonl"), directory_.file("samples.jsonl"), state_.log);
    const std::string events = directory_.file(kEventFile);
    std::error_code ignored;
    if (config_.training.tensorboard)
      log_.open_events(events, state_.seconds);
    else
      std::filesystem::remove(events, ignored);  // it would contradict metrics.jsonl
  }

  // Copies the state of rank 0 to all ranks.
  void share_state() {
    if (communicator_.size() == 1) return;
    std::string text = state_.to_json();
    broadcast(communicator_, text);
    state_ = RunState::from_json(text, "the state of rank 0");
  }

  // Sets the state and tensors of all ranks to those of rank 0's checkpoint, or of rank 0 itself if there is none.
  void restore(const std::optional<Checkpoint>& checkpoint) {
    if (checkpoint) {
      state_ = checkpoint->state();
      saved_update_ = state_.trainer.update;
      checkpoint->fill(trainer_->tensors());
      state_.best.limit_snapshots(config_.validation.metric, config_.training);
    }
    share_state();
    for (const auto& [name, tensor] : trainer_->tensors())
      communicator_.broadcast(0, std::as_writable_bytes(tensor.span<float>()));
    state_.ended.clear();
    trainer_->set_state(state_.trainer);
    trainer_->schedule().set_state(state_.schedule);
    trainer_->set_rate_factor(rate_factor());
  }

  double rate_factor() const { return std::pow(kRollbackFactor, static_cast<double>(state_.rollbacks)); }
  bool continues() const { return !trainer_->done() && state_.ended.empty(); }

  RunResult loop() {
    while (continues()) {
      UpdateReport report = trainer_->compute();
      report.job = times_.add(trainer_->compute_seconds());
      if (trainer_->diverged()) {
        roll_back(report);
        continue;
      }
      // That the update did not diverge shows that the state before it is good.
      if (state_.checkpoint_due) save(RunDirectory::Kind::scheduled);
      trainer_->apply();
      after_update(report);
      if (continues() && stop_wanted()) {
        save(RunDirectory::Kind::unscheduled);
        // Written after the checkpoint, whose log position excludes this line, so that a resumed run drops it.
        if (is_main()) log_.write_line(stop_line(report, clock_.seconds()));
        return result(RunResult::End::stopped);
      }
    }
    finish();
    return result(RunResult::End::done);
  }

  RunParts parts() const { return {config_, identity_, text_, parent_ ? &*parent_ : nullptr, *trainer_}; }
  bool stop_wanted() { return broadcast_flag(is_main() && observer_.wants_stop()); }

  void after_update(const UpdateReport& report) {
    state_.trainer = trainer_->state();
    state_.target_tokens += report.target_tokens;
    state_.since_line.add(report);
    state_.since_validation.add(report);
    if (is_main()) observer_.on_update(report);
    if (report.job)
      if (const std::string note = times_.find_straggler(*report.job); !note.empty()) observer_.on_note(note);
    const std::int64_t updates_per_line = (trainer_->updates() + kMaxUpdateLines - 1) / kMaxUpdateLines;
    if (report.update % updates_per_line == 0) log_update(report);
    const std::int64_t every = config_.validation.updates;
    if ((every > 0 ? report.update % every == 0 : trainer_->epoch_ended()) || trainer_->done()) validate_now(report);
    const std::int64_t scheduled = config_.training.checkpoint_updates;
    if (scheduled > 0 && report.update % scheduled == 0) state_.checkpoint_due = true;
    if (continues() && clock_.since_checkpoint() > kCheckpointSeconds) save(RunDirectory::Kind::unscheduled);
  }

  // All ranks validate; rank 0 decides, and the others take over its state.
  void validate_now(const UpdateReport& update) {
    check_same_parameters(update.update);
    validate(trainer_->result(), {.update = update.update,
                                  .epoch = update.epoch + 1,
                                  .loss = state_.since_validation.mean(),
                                  .rate = update.rate,
                                  .best = true});
    times_.restart();
    state_.since_validation = {};
    state_.checkpoint_due = true;
    share_state();
    trainer_->schedule().set_state(state_.schedule);
  }

  // The ranks apply the same gradients to the same parameters, so a difference means that a machine computes wrongly.
  void check_same_parameters(std::int64_t update) {
    if (communicator_.size() == 1) return;
    Xxh64 digest;
    digest.update(std::as_bytes(trainer_->result().parameters().flat().span<float>()));
    check_same(communicator_, fmt::format("the model at update {}", update), hex_digest(digest.digest()),
               "the machines compute different results: use machines of one type, or lower HEED_CPU");
  }

  // Validates the average of the snapshots, which becomes the final model if it is the best one.
  void try_average() {
    model::Model average(config_.model);
    try {
      if (is_main()) average_snapshots(average, state_.best.snapshots);
    } catch (const InputError& error) {
      fail_without_snapshot(what_is_wrong(error));
    }
    communicator_.broadcast(0, std::as_writable_bytes(average.parameters().flat().span<float>()));
    validate(average, {.update = state_.trainer.update,
                       .epoch = state_.trainer.position.epoch,
                       .rate = trainer_->rate(),
                       .averaged = true});
  }

  void average_snapshots(model::Model& average, const std::vector<Snapshot>& snapshots) const {
    std::vector<std::string> files;
    for (const Snapshot& snapshot : snapshots) files.push_back(directory_.snapshot(snapshot.update));
    average_parameters(average.parameters(), files);
  }

  Validation validation_of(const model::Model& model, Communicator& communicator) {
    return validate_model(model, text_.pipeline(), text_.valid(),
                          static_cast<std::size_t>(config_.validation.sentences),
                          static_cast<std::size_t>(config_.validation.samples), trainer_->pool(), communicator);
  }

  // Validates a model if there is validation text. Rank 0 saves it if it is the best, and reports.
  void validate(const model::Model& model, ValidationReport report) {
    Validation validation;
    if (!text_.valid().empty()) validation = validation_of(model, communicator_);
    if (!is_main()) return;
    if (!text_.valid().empty()) {
      report.validation = &validation;
      report.best = report.averaged ? take_average(validation) : note_validation(validation, report.update);
    }
    if (report.best) save_model(model, state_.trainer.update);
    report.seconds = clock_.seconds();
    log_.write(report);
    observer_.on_validation(report);
    clock_.restart_line();  // the speed in the next line is that of training alone
  }

  // Records the average of the snapshots if it is the best model; returns whether it is. restore_model() recognizes an
  // average by its value.
  bool take_average(const Validation& validation) {
    const double value = validation.value(config_.validation.metric);
    if (value == state_.best.value || !state_.best.is_best(config_.validation.metric, validation)) return false;
    state_.best.value = value;
    return true;
  }

  // Updates the best value, the patience, the schedule and the snapshots; returns whether this is the best model.
  bool note_validation(const Validation& validation, std::int64_t update) {
    const Snapshot now{update, validation.value(config_.validation.metric)};
    const bool best = state_.best.add(config_.validation.metric, validation, update);
    trainer_->schedule().note_validation(best);
    state_.schedule = trainer_->schedule().state();
    if (config_.training.average > 0 && std::isfinite(now.value)) {
      save_parameters(directory_.snapshot(now.update), trainer_->result().parameters());
      state_.best.keep_snapshot(now, config_.validation.metric, config_.training);
    }
    if (config_.validation.patience > 0 && state_.best.waiting >= config_.validation.patience)
      state_.ended = "patience";
    return best;
  }

  void finish() {
    if (state_.ended.empty()) state_.ended = limit();
    if (state_.best.snapshots.size() > 1) try_average();
    if (is_main()) log_.write_line(end_line(state_, clock_.seconds()));
    save(RunDirectory::Kind::scheduled);
    if (!model_damage_.empty()) fail_without_model();
    share_state();
  }

  // The shortlist of all models of the run, learned before the first is saved; null if they have none. It depends only
  // on the text and the parent. What a short text for fine-tuning shows would not be enough for a parent without one.
  const model::Shortlist* shortlist() {
    if (!config_.training.shortlist || (parent_ && parent_->shortlist() == nullptr)) return nullptr;
    const data::Prepared& text = text_.train();
    if (!shortlist_)
      shortlist_ = learn_shortlist(text.examples, text.source, text.target, parent_ ? parent_->shortlist() : nullptr);
    return &*shortlist_;
  }

  // Saves the best model so far, which was found at `update`.
  void save_model(const model::Model& model, std::int64_t update) {
    Metadata metadata = model_metadata(parts(), state_.best, update);
    metadata.emplace_back(heed::model::InputRanges::kMetadataKey,
                          sample_input_ranges(model, text_.train().examples).to_json());
    heed::model::save_model(directory_.file("model.safetensors"), model, metadata, shortlist());
    model_damage_.clear();
  }

  void save(RunDirectory::Kind kind) {
    if (kind == RunDirectory::Kind::scheduled) state_.checkpoint_due = false;
    clock_.restart_checkpoint();
    if (!is_main()) return;
    state_.seconds = clock_.seconds();
    state_.log = log_.position();
    try {
      log_.sync();
      directory_.save(kind, state_, identity_, trainer_->tensors());
    } catch (const InputError& error) {
      if (saved_update_ < 0) throw;
      throw InputError("{}; then continue from update {} with --resume", error.what(), saved_update_);
    }
    saved_update_ = state_.trainer.update;
  }

  // Returns to the last good checkpoint, with a smaller learning rate.
  void roll_back(const UpdateReport& report) {
    const std::string what = describe_divergence(report);
    if (state_.rollbacks >= kMaxRollbacks && is_main())
      log_.write(Divergence{report, {}, rate_factor(), clock_.seconds()});
    check<InputError>(state_.rollbacks < kMaxRollbacks,
                      "{}, after {} rollbacks; set a smaller training.learning_rate (now {}) or training.clip", what,
                      kMaxRollbacks, config_.training.learning_rate);
    const std::optional<Checkpoint> good = is_main() ? directory_.good() : std::nullopt;
    check<InputError>(good.has_value() || !is_main(),
                      "{}, before the first checkpoint; check the data with `heed data`", what);
    const std::int64_t rollbacks = state_.rollbacks + 1;
    const double before = clock_.seconds();
    restore(good);
    state_.rollbacks = rollbacks;
    trainer_->set_rate_factor(rate_factor());
    if (!is_main()) return;
    log_.truncate(state_.log);
    const Divergence divergence{report, state_.trainer.update, rate_factor(), before};
    log_.write(divergence);
    observer_.on_divergence(divergence);
  }

  void log_update(const UpdateReport& report) {
    const double speed = state_.since_line.tokens / std::max(clock_.restart_line(), 1e-9);
    if (is_main()) log_.write_line(update_line(report, state_, speed, clock_.seconds()));
    state_.since_line = {};
  }

  RunConfig config_;
  RunFiles files_;
  Start start_;
  RunObserver& observer_;
  Communicator& communicator_;
  RunDirectory directory_;  // only rank 0 uses it
  RunIdentity identity_;
  std::optional<ParentModel> parent_;
  RunText text_;
  std::optional<model::Shortlist> shortlist_;
  Trainer* trainer_ = nullptr;
  RunState state_;
  RunLog log_;  // only rank 0 uses it
  RunClock clock_;
  RankTimes times_;
  int text_workers_ = 0;            // see RunIdentity
  std::int64_t saved_update_ = -1;  // of the last complete checkpoint
  std::string model_damage_;        // what is wrong with model.safetensors, until it is written again
  bool good_lost_ = false;          // good.safetensors is missing or damaged; the run resumes from latest.safetensors
};

}  // namespace

RunResult train_run(RunConfig config, const RunFiles& files, Start start, RunObserver& observer,
                    Communicator& communicator) {
  return Run(config, files, start, observer, communicator).train();
}

}  // namespace heed::train
