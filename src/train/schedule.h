// How the learning rate moves over a run. A value: its state (of `plateau`) is two numbers and part of a checkpoint.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed::train {

enum class ScheduleKind : std::uint8_t { constant, linear, inverse_sqrt, step, plateau };
std::vector<std::string> enum_names(ScheduleKind);

struct ScheduleConfig {
  ScheduleKind kind = ScheduleKind::constant;
  int warmup = 0;       // updates over which the rate rises from zero, whatever follows
  double from = 0;      // linear: the fraction of the run after which the rate falls
  double floor = 0;     // the fraction of the rate that it never falls below
  double factor = 0.5;  // step, plateau: what the rate is multiplied by when it falls
  int updates = 10000;  // step: between two falls
  int patience = 1;     // plateau: validations without a better one before a fall
};

class Schedule {
 public:
  struct State {
    std::int64_t falls = 0;    // of plateau, so far
    std::int64_t waiting = 0;  // validations since the best one or the last fall
  };

  explicit Schedule(const ScheduleConfig& config) : config_(config) {}

  // What the learning rate is multiplied by at an update, counted from 0, of a run of so many in all. From 0 to 1.
  double factor(std::int64_t update, std::int64_t updates) const;
  // After a validation: whether it was the best so far.
  void note_validation(bool best);

  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  ScheduleConfig config_;
  State state_;
};

}  // namespace heed::train
