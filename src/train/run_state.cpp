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

struct Writer {
  Json json = Json::object();

  template <class T>
  void operator()(const char* key, const T& value) {
    json[key] = written(value);
  }
  template <class T>
  static Json written(const T& value) {
    if constexpr (requires { for_each_field(value, Writer{}); }) {
      Writer fields;
      for_each_field(value, fields);
      return fields.json;
    } else {
      return value;
    }
  }
  static Json written(const std::optional<double>& value) { return value ? Json(*value) : Json(); }
  static Json written(const std::vector<Snapshot>& values) {
    Json list = Json::array();
    for (const Snapshot& value : values) list.push_back(written(value));
    return list;
  }
};

struct Reader {
  const Json& json;

  template <class T>
  void operator()(const char* key, T& value) const {
    read(json.at(key), value);
  }
  template <class T>
  static void read(const Json& from, T& value) {
    if constexpr (requires { for_each_field(value, Reader{from}); })
      for_each_field(value, Reader{from});
    else
      from.get_to(value);
  }
  static void read(const Json& from, std::optional<double>& value) {
    if (!from.is_null()) value = from.get<double>();
  }
  static void read(const Json& from, std::vector<Snapshot>& values) {
    for (const Json& item : from) read(item, values.emplace_back());
  }
};

}  // namespace

std::string RunState::to_json() const {
  return dump_json(Writer::written(*this));
}

RunState RunState::from_json(const std::string& text, const std::string& where) try {
  RunState state;
  Reader::read(parse_json(text, where), state);
  return state;
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
