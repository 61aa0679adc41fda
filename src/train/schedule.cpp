#include "train/schedule.h"

#include <algorithm>
#include <cmath>

namespace heed {

std::vector<std::string> schedule_names() {
  return {"constant", "linear", "inverse-sqrt", "step", "plateau"};
}

double Schedule::factor(std::int64_t update, std::int64_t updates) const {
  // The first update is not wasted on a rate of nothing.
  if (update < config_.warmup) return static_cast<double>(update + 1) / config_.warmup;
  return std::max(fallen(update, updates), config_.floor);
}

double Schedule::fallen(std::int64_t update, std::int64_t updates) const {
  const auto after_warmup = static_cast<double>(update - config_.warmup);
  if (config_.name == "linear") {
    const double done = static_cast<double>(update) / static_cast<double>(std::max<std::int64_t>(updates, 1));
    if (done <= config_.from) return 1;
    return std::max(0.0, 1 - (done - config_.from) / (1 - config_.from) * (1 - config_.floor));
  }
  if (config_.name == "inverse-sqrt") return std::sqrt(std::max(config_.warmup, 1) / static_cast<double>(update + 1));
  if (config_.name == "step") return std::pow(config_.factor, std::floor(after_warmup / config_.updates));
  if (config_.name == "plateau") return std::pow(config_.factor, static_cast<double>(state_.falls));
  return 1;
}

void Schedule::note_validation(bool best) {
  state_.waiting = best ? 0 : state_.waiting + 1;
  if (config_.name != "plateau" || state_.waiting < config_.patience) return;
  ++state_.falls;
  state_.waiting = 0;
}

}  // namespace heed
