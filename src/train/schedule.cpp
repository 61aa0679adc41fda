#include "train/schedule.h"

#include <algorithm>
#include <cmath>

#include "base/enum_names.h"

namespace heed::train {
namespace {

using State = Schedule::State;

double constant(const ScheduleConfig&, const State&, double, double) {
  return 1;
}

double linear(const ScheduleConfig& config, const State&, double update, double updates) {
  const double done = update / std::max(updates, 1.0);
  if (done <= config.from) return 1;
  return std::max(0.0, 1 - (done - config.from) / (1 - config.from) * (1 - config.floor));
}

double inverse_sqrt(const ScheduleConfig& config, const State&, double update, double) {
  return std::sqrt(std::max(config.warmup, 1) / (update + 1));
}

double step(const ScheduleConfig& config, const State&, double update, double) {
  return std::pow(config.factor, std::floor((update - config.warmup) / config.updates));
}

double plateau(const ScheduleConfig& config, const State& state, double, double) {
  return std::pow(config.factor, static_cast<double>(state.decays));
}

// In the order of ScheduleKind: the factor after the warm-up, without the floor.
struct ScheduleRow {
  const char* name;
  double (*factor)(const ScheduleConfig&, const State&, double update, double updates);
  const char* about;
};
constexpr ScheduleRow kSchedules[] = {
    {"constant", constant, "stays at the peak"},
    {"linear", linear, "falls linearly to training.schedule_floor at the end of the run"},
    {"inverse-sqrt", inverse_sqrt, "falls with the inverse square root of the number of updates"},
    {"step", step, "is multiplied by training.schedule_factor every training.schedule_updates updates"},
    {"plateau", plateau, "is multiplied by training.schedule_factor when validation stops improving"}};

}  // namespace

std::vector<std::string> enum_names(ScheduleKind) {
  return row_names(kSchedules);
}

std::vector<std::string> enum_about(ScheduleKind) {
  return row_lines(kSchedules);
}

double Schedule::factor(std::int64_t update, std::int64_t updates) const {
  // update + 1, because a first update with a rate of zero would be wasted.
  if (update < config_.warmup) return static_cast<double>(update + 1) / config_.warmup;
  const ScheduleRow& row = kSchedules[static_cast<std::size_t>(config_.kind)];
  return std::max(row.factor(config_, state_, static_cast<double>(update), static_cast<double>(updates)),
                  config_.floor);
}

void Schedule::note_validation(bool best) {
  state_.waiting = best ? 0 : state_.waiting + 1;
  if (config_.kind != ScheduleKind::plateau || state_.waiting < config_.patience) return;
  ++state_.decays;
  state_.waiting = 0;
}

}  // namespace heed::train
