#include "heed/training.h"

#include <filesystem>

#include "api/guard.h"
#include "api/settings.h"
#include "base/json.h"
#include "train/run_request.h"

namespace heed {
namespace {

class Observer final : public train::RunObserver {
 public:
  explicit Observer(const TrainOptions& options) : options_(options) {}

  void on_note(const std::string& sentence) override {
    if (options_.on_note) callback_.run([&] { return options_.on_note(sentence), true; }, false);
  }
  void on_update(const train::UpdateReport& r) override {
    if (!options_.on_update) return;
    const UpdateReport report{r.update, r.updates, r.epoch + 1, r.loss, r.gradient_norm, r.rate, r.target_tokens};
    goes_on_ = callback_.run([&] { return options_.on_update(report); }, false);
  }
  void on_validation(const train::ValidationReport& r) override {
    if (!options_.on_validation) return;
    ValidationReport report;
    report.update = r.update;
    report.epoch = r.epoch;
    report.train_loss = r.loss;
    report.best = r.best;
    report.seconds = r.seconds;
    if (const train::Validation* v = r.validation) {
      report.validated = true;
      report.perplexity = v->perplexity;
      report.accuracy = v->accuracy;
      report.bleu = v->bleu;
      report.chrf = v->chrf;
      report.exact = v->exact;
    }
    goes_on_ = callback_.run([&] { return options_.on_validation(report), goes_on_; }, false);
  }
  void on_divergence(const train::Divergence& divergence) override { on_note(describe_divergence(divergence.report)); }
  bool wants_stop() override { return !goes_on_; }

  const api::CallbackException& callback() const { return callback_; }

 private:
  const TrainOptions& options_;
  api::CallbackException callback_;
  bool goes_on_ = true;
};

Settings settings_of(const TrainOptions& options) {
  Settings all = options.settings;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) all.emplace_back(name, value);
  };
  if (!options.train.empty()) add("data.train", dump_json(options.train));
  if (!options.valid.empty()) add("data.valid", dump_json(options.valid));
  add("out", options.out);
  add("preset", options.preset);
  add("from", options.from);
  if (options.resume) add("resume", "true");
  if (options.overwrite) add("overwrite", "true");
  return all;
}

}  // namespace

TrainResult train_model(const TrainOptions& options) {
  Observer observer(options);
  TrainResult result = api::guarded([&] {
    train::RunRequest request;
    Options registry("train");
    declare(registry, request);
    api::apply_settings(registry, settings_of(options));
    request.config_files = options.configs;
    check<UsageError>(request.seeds == 0,
                      "the setting seeds is for the command line; call train_model() once per seed");
    request.settle(registry, [&](const std::string& sentence) { observer.on_note(sentence); });
    const train::RunResult run = train_run(request.config, request.files, request.start(), observer);
    TrainResult converted;
    converted.stopped = run.end == train::RunResult::End::stopped;
    converted.reason = run.reason;
    converted.update = run.update;
    converted.best = run.best;
    const auto model = std::filesystem::path(request.files.out) / "model.safetensors";
    if (std::filesystem::exists(model)) converted.model = model.string();
    return converted;
  });
  observer.callback().rethrow();
  return result;
}

}  // namespace heed
