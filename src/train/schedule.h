// Learning-rate schedules. Only `plateau` has a state, which is part of a checkpoint.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed::train {

enum class ScheduleKind : std::uint8_t { constant, linear, inverse_sqrt, step, plateau };
std::vector<std::string> enum_names(ScheduleKind);
std::vector<std::string> enum_about(ScheduleKind);

struct ScheduleConfig {
  ScheduleKind kind = ScheduleKind::constant;
  int warmup = 0;       // updates over which the rate rises linearly from zero
  double from = 0;      // linear: fraction of the run after which the rate decays
  double floor = 0;     // lower bound of the rate after the warm-up, as a fraction of the learning rate
  double factor = 0.5;  // step, plateau: multiplies the rate at each decay
  int updates = 10000;  // step: between two decays
  int patience = 1;     // plateau: validations without improvement before a decay
};

class Schedule {
 public:
  struct State {
    std::int64_t decays = 0;   // of plateau, so far
    std::int64_t waiting = 0;  // validations since the best one or the last decay
  };

  explicit Schedule(const ScheduleConfig& config) : config_(config) {}

  // The factor of the learning rate, from 0 to 1, at `update` (counted from 0) of a run with `updates` updates.
  double factor(std::int64_t update, std::int64_t updates) const;
  // Call after each validation; `best`: whether it was the best so far.
  void note_validation(bool best);

  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  ScheduleConfig config_;
  State state_;
};

}  // namespace heed::train
