#include "train/run_state.h"

#include <cmath>

#include "base/error.h"

namespace heed::train {

namespace {

template <class T, class Struct>
concept Is = std::is_same_v<std::remove_const_t<T>, Struct>;

// The fields of each struct with their keys in a checkpoint: the one list that writing and reading follow.
template <Is<LossSum> Sum, class Visit>
void for_each_field(Sum& sum, Visit&& visit) {
  visit("loss", sum.loss);
  visit("tokens", sum.tokens);
}

template <Is<Snapshot> Kept, class Visit>
void for_each_field(Kept& snapshot, Visit&& visit) {
  visit("update", snapshot.update);
  visit("value", snapshot.value);
}

template <Is<RunState> State, class Visit>
void for_each_field(State& s, Visit&& visit) {
  visit("update", s.trainer.update);
  visit("epoch", s.trainer.position.epoch);
  visit("batch", s.trainer.position.batch);
  visit("schedule_falls", s.schedule.falls);
  visit("schedule_waiting", s.schedule.waiting);
  visit("checkpoint_due", s.checkpoint_due);
  visit("rollbacks", s.rollbacks);
  visit("best", s.best.value);
  visit("best_update", s.best.update);
  visit("waiting", s.best.waiting);
  visit("snapshots", s.best.snapshots);
  visit("since_line", s.since_line);
  visit("since_validation", s.since_validation);
  visit("target_tokens", s.target_tokens);
  visit("seconds", s.seconds);
  visit("metrics_bytes", s.log.metrics_bytes);
  visit("samples_bytes", s.log.samples_bytes);
  visit("ended", s.ended);
}

}  // namespace

// The hooks of nlohmann-json, which it finds beside the structs.
template <class T>
concept Stored = std::is_same_v<T, LossSum> || std::is_same_v<T, Snapshot> || std::is_same_v<T, RunState>;

template <Stored T>
static void to_json(Json& json, const T& value) {
  for_each_field(value, [&](const char* key, const auto& field) {
    if constexpr (requires { field.has_value(); })
      json[key] = field ? Json(*field) : Json();
    else
      json[key] = field;
  });
}

template <Stored T>
static void from_json(const Json& json, T& value) {
  for_each_field(value, [&](const char* key, auto& field) {
    const Json& stored = json.at(key);
    if constexpr (requires { field.has_value(); })
      field = stored.is_null() ? std::nullopt : std::optional(stored.get<double>());
    else
      stored.get_to(field);
  });
}

std::string RunState::to_json() const {
  return dump_json(*this);
}

RunState RunState::from_json(const std::string& text, const std::string& where) try {
  return parse_json(text, where).get<RunState>();
} catch (const Json::exception& error) {
  throw InputError("{}: this is not the state of a run: {}", where, error.what());
}

bool BestTracker::is_best(ValidationMetric metric, double candidate) const {
  return std::isfinite(candidate) && (!value || is_better(metric, candidate, *value));
}

bool BestTracker::add(ValidationMetric metric, const Snapshot& validation) {
  const bool best = is_best(metric, validation.value);
  waiting = best ? 0 : waiting + 1;
  if (best) value = validation.value, update = validation.update;
  return best;
}

void BestTracker::keep_snapshot(const Snapshot& snapshot, ValidationMetric metric, const TrainingConfig& config) {
  snapshots.push_back(snapshot);
  if (std::ssize(snapshots) <= config.average) return;
  auto worst = snapshots.begin();
  if (config.average_of == AverageOf::best)
    for (auto s = worst; s != snapshots.end(); ++s)
      if (is_better(metric, worst->value, s->value)) worst = s;
  snapshots.erase(worst);
}

}  // namespace heed::train
