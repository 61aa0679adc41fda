#include "train/schedule.h"

#include <algorithm>
#include <cmath>

#include "base/enum_names.h"

namespace heed::train {

namespace {

struct Moment {
  const ScheduleConfig& config;
  const Schedule::State& state;
  std::int64_t update, updates;
};

double linear(const Moment& now) {
  const auto& [config, state, update, updates] = now;
  const double done = static_cast<double>(update) / static_cast<double>(std::max<std::int64_t>(updates, 1));
  if (done <= config.from) return 1;
  return std::max(0.0, 1 - (done - config.from) / (1 - config.from) * (1 - config.floor));
}

double inverse_sqrt(const Moment& now) {
  return std::sqrt(std::max(now.config.warmup, 1) / static_cast<double>(now.update + 1));
}

double step(const Moment& now) {
  const auto after_warmup = static_cast<double>(now.update - now.config.warmup);
  return std::pow(now.config.factor, std::floor(after_warmup / now.config.updates));
}

double plateau(const Moment& now) {
  return std::pow(now.config.factor, static_cast<double>(now.state.falls));
}

// By ScheduleKind: the factor after the warm-up, before the floor.
struct ScheduleRow {
  const char* name;
  double (*factor)(const Moment&);
};
constexpr ScheduleRow kSchedules[] = {{"constant", [](const Moment&) { return 1.0; }},
                                      {"linear", linear},
                                      {"inverse-sqrt", inverse_sqrt},
                                      {"step", step},
                                      {"plateau", plateau}};

}  // namespace

std::vector<std::string> enum_names(ScheduleKind) {
  return row_names(kSchedules);
}

double Schedule::factor(std::int64_t update, std::int64_t updates) const {
  // The first update is not wasted on a rate of zero.
  if (update < config_.warmup) return static_cast<double>(update + 1) / config_.warmup;
  const ScheduleRow& row = kSchedules[static_cast<std::size_t>(config_.kind)];
  return std::max(row.factor({config_, state_, update, updates}), config_.floor);
}

void Schedule::note_validation(bool best) {
  state_.waiting = best ? 0 : state_.waiting + 1;
  if (config_.kind != ScheduleKind::plateau || state_.waiting < config_.patience) return;
  ++state_.falls;
  state_.waiting = 0;
}

}  // namespace heed::train
