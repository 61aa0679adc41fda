#include "train/run_state.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace heed::train {

// The hooks of nlohmann-json, which finds them by their argument types.
static void to_json(Json& json, const Snapshot& snapshot) {
  json = {{"update", snapshot.update}, {"value", snapshot.value}};
}

static void from_json(const Json& json, Snapshot& snapshot) {
  json.at("update").get_to(snapshot.update);
  json.at("value").get_to(snapshot.value);
}

namespace {

// Visits all fields with their JSON pointers in a checkpoint; both writing and reading use this list.
template <class State, class Visit>
void for_each_field(State& s, Visit&& visit) {
  visit("/update", s.trainer.update);
  visit("/epoch", s.trainer.position.epoch);
  visit("/batch", s.trainer.position.batch);
  // The key keeps its old name, for old checkpoints.
  visit("/schedule_falls", s.schedule.decays);
  visit("/schedule_waiting", s.schedule.waiting);
  visit("/checkpoint_due", s.checkpoint_due);
  visit("/rollbacks", s.rollbacks);
  visit("/best", s.best.value);
  visit("/best_update", s.best.update);
  visit("/waiting", s.best.waiting);
  visit("/snapshots", s.best.snapshots);
  visit("/since_line/loss", s.since_line.loss);
  visit("/since_line/tokens", s.since_line.tokens);
  visit("/since_validation/loss", s.since_validation.loss);
  visit("/since_validation/tokens", s.since_validation.tokens);
  visit("/target_tokens", s.target_tokens);
  visit("/seconds", s.seconds);
  visit("/metrics_bytes", s.log.metrics_bytes);
  visit("/samples_bytes", s.log.samples_bytes);
  visit("/ended", s.ended);
  visit("/normalized_references", s.normalized_references);
  visit("/lowest_perplexity", s.best.perplexity);
}

// Larger values do not occur in practice, and sums of them could overflow.
constexpr double kMaxValue = 1e15;

bool is_count(std::int64_t value) {
  return value >= 0 && static_cast<double>(value) <= kMaxValue;
}

bool in_range(bool) {
  return true;
}
bool in_range(std::int64_t value) {
  return is_count(value);
}
bool in_range(double value) {
  return std::abs(value) <= kMaxValue;
}
bool in_range(const std::optional<double>& value) {
  return !value || std::isfinite(*value);
}
bool in_range(const std::string& ended) {
  return ended.empty() || ended == "epochs" || ended == "updates" || ended == "patience";
}
bool in_range(const std::vector<Snapshot>& snapshots) {
  return snapshots.size() <= 100 && std::ranges::all_of(snapshots, is_count, &Snapshot::update);
}

// The key of a value that has the right type but is impossible; null if there is none.
const char* find_impossible(const RunState& state) {
  if (state.rollbacks > kMaxRollbacks) return "/rollbacks";
  if (state.trainer.position.epoch > 1'000'000) return "/epoch";
  if (state.seconds < 0) return "/seconds";
  if (state.since_line.tokens < 0) return "/since_line/tokens";
  if (state.since_validation.tokens < 0) return "/since_validation/tokens";
  if (state.best.update > state.trainer.update) return "/best_update";
  const auto is_later = [&](const Snapshot& snapshot) { return snapshot.update > state.trainer.update; };
  return std::ranges::any_of(state.best.snapshots, is_later) ? "/snapshots" : nullptr;
}

}  // namespace

std::string RunState::to_json() const {
  Json json;
  for_each_field(*this, [&](const char* key, const auto& field) {
    Json& stored = json[Json::json_pointer(key)];
    if constexpr (requires { field.has_value(); })
      stored = field ? Json(*field) : Json();
    else
      stored = field;
  });
  return dump_json(json);
}

RunState RunState::from_json(const std::string& text, const std::string& where) {
  const auto refuse = [&](const char* key, const char* what) {
    throw InputError("{}: this is not the state of a run: {} {}; the file is damaged or was not written by heed", where,
                     key + 1, what);
  };
  Json json = parse_json(text, where);
  if (json.is_object()) {  // what earlier versions did not write
    json.emplace("normalized_references", true);
    json.emplace("lowest_perplexity", nullptr);
  }
  RunState state;
  for_each_field(state, [&](const char* key, auto& field) {
    try {
      const Json& stored = json.at(Json::json_pointer(key));
      if constexpr (requires { field.has_value(); })
        field = stored.is_null() ? std::nullopt : std::optional(stored.get<double>());
      else
        stored.get_to(field);
    } catch (const Json::exception&) {
      refuse(key, "is missing or has the wrong type");
    }
    if (!in_range(field)) refuse(key, "is out of range");
  });
  if (const char* key = find_impossible(state)) refuse(key, "is out of range");
  return state;
}

bool BestTracker::is_best(ValidationMetric metric, const Validation& validation) const {
  const double candidate = validation.value(metric);
  if (!std::isfinite(candidate) || !value) return std::isfinite(candidate);
  if (perplexity && is_near_zero(metric, candidate) && is_near_zero(metric, *value))
    return validation.perplexity < *perplexity;
  return is_better(metric, candidate, *value);
}

bool BestTracker::add(ValidationMetric metric, const Validation& validation, std::int64_t at_update) {
  const bool best = is_best(metric, validation);
  const bool lowest = perplexity && validation.perplexity < *perplexity;
  waiting = best || lowest ? 0 : waiting + 1;
  if (lowest || (!perplexity && std::isfinite(validation.perplexity))) perplexity = validation.perplexity;
  if (best) value = validation.value(metric), update = at_update;
  return best;
}

void BestTracker::keep_snapshot(const Snapshot& snapshot, ValidationMetric metric, const TrainingConfig& config) {
  snapshots.push_back(snapshot);
  limit_snapshots(metric, config);
}

void BestTracker::limit_snapshots(ValidationMetric metric, const TrainingConfig& config) {
  while (std::ssize(snapshots) > config.average) {
    auto dropped = snapshots.begin();
    if (config.average_of == AverageOf::best)
      dropped = std::ranges::max_element(
          snapshots, [&](double a, double b) { return is_better(metric, a, b); }, &Snapshot::value);
    snapshots.erase(dropped);
  }
}

}  // namespace heed::train
