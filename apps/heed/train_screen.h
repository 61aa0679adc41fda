// What a person sees of a training run: what was read, a bar for the epoch, a line for each one done. Standard error.
#pragma once

#include <optional>

#include "base/progress.h"
#include "train/run.h"

namespace heed::cli {

class TrainScreen final : public RunObserver {
 public:
  void on_reading(std::int64_t pairs) override;
  void on_start(const Prepared& data, std::size_t valid_pairs, const Model& model) override;
  void on_update(const UpdateReport& report) override;
  void on_epoch(std::int64_t epoch, const Validation* validation, bool best, double loss, double seconds) override;

 private:
  std::optional<Progress> reading_, training_;
  std::int64_t tokens_ = 0;
};

}  // namespace heed::cli
