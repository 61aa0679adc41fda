// What a person sees of a training run, on standard error: what was read and what it will take, a bar, a line for each
// validation with a few translations, and at the end where everything is. Ctrl-C stops it so that it can go on.
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
  // `samples` translations are shown with each validation, and the report in the directory is written again.
  TrainScreen(std::string out, std::size_t samples) : out_(std::move(out)), samples_(samples), report_(out_) {}

  void on_reading(std::int64_t pairs) override;
  void on_start(const train::RunSummary& summary) override;
  void on_update(const train::UpdateReport& report) override;
  void on_validation(const train::ValidationReport& report) override;
  void on_divergence(const train::Divergence& divergence) override;
  bool wants_stop() override { return interrupted() != 0; }

  // The last words; returns the exit code: 0, or 128 and the signal that stopped it.
  int finish(const train::RunResult& result);

 private:
  void write_report();

  std::string out_;
  std::size_t samples_;
  viz::RunReport report_;
  std::optional<Progress> reading_, training_;
  std::int64_t tokens_ = 0;
};

}  // namespace heed::cli
