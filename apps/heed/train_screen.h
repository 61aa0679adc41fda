// Shows a training run on standard error: the corpus and the estimated cost, a progress bar, one line per validation
// with a few translations, and finally where the results are. Ctrl-C saves a checkpoint and stops the run.
#pragma once

#include <optional>
#include <string>

#include "interrupt.h"
#include "progress.h"
#include "train/run.h"
#include "viz/report.h"

namespace heed::cli {

class TrainScreen final : public train::RunObserver {
 public:
  // Each validation shows `samples` translations and rewrites the report in the directory. `label` names the run in
  // the progress bar; `resume_out` is the --out of the resume command, if it is not `out`.
  TrainScreen(std::string out, std::size_t samples, std::string label = "training", std::string resume_out = "")
      : out_(std::move(out)),
        label_(std::move(label)),
        resume_out_(resume_out.empty() ? out_ : std::move(resume_out)),
        samples_(samples),
        report_(out_) {}

  void on_note(const std::string& sentence) override;
  void on_reading(std::int64_t pairs) override;
  void on_start(const train::RunSummary& summary) override;
  void on_update(const train::UpdateReport& report) override;
  void on_validation(const train::ValidationReport& report) override;
  void on_divergence(const train::Divergence& divergence) override;
  bool wants_stop() override { return interrupted() != 0; }

  // Prints the outcome; returns the exit code: 0, or 128 plus the number of the signal that stopped the run.
  int finish(const train::RunResult& result);
  // Whether the report was written when the run ended.
  bool has_report() const { return has_report_; }

 private:
  void write_report();  // prints a message if that fails

  std::string out_, label_, resume_out_;
  std::size_t samples_;
  int patience_ = 0;
  std::string metric_;
  viz::RunReport report_;
  bool has_report_ = false;
  std::optional<Progress> reading_, training_;
  std::int64_t tokens_ = 0;
};

}  // namespace heed::cli
