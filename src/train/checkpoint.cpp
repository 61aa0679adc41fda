#include "train/checkpoint.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/json.h"
#include "base/toml.h"
#include "train/config.h"

namespace heed {
namespace {

constexpr const char* kFormatKey = "heed.checkpoint";
constexpr const char* kFormat = "1";
constexpr const char* kConfigKey = "heed.config";
constexpr const char* kIdentityKey = "heed.identity";
constexpr const char* kStateKey = "heed.state";

Json to_json(const LossSum& sum) {
  return {{"loss", sum.loss}, {"tokens", sum.tokens}};
}

LossSum loss_sum(const Json& json) {
  return {.loss = json.at("loss"), .tokens = json.at("tokens")};
}

Json to_json(const RunState& s) {
  Json snapshots = Json::array();
  for (const Snapshot& snapshot : s.snapshots)
    snapshots.push_back({{"update", snapshot.update}, {"value", snapshot.value}});
  return {{"update", s.trainer.update},
          {"epoch", s.trainer.position.epoch},
          {"batch", s.trainer.position.batch},
          {"schedule_falls", s.schedule.falls},
          {"schedule_waiting", s.schedule.waiting},
          {"checkpoint_due", s.checkpoint_due},
          {"rollbacks", s.rollbacks},
          {"best", s.best ? Json(*s.best) : Json()},
          {"best_update", s.best_update},
          {"waiting", s.waiting},
          {"snapshots", snapshots},
          {"since_line", to_json(s.since_line)},
          {"since_validation", to_json(s.since_validation)},
          {"target_tokens", s.target_tokens},
          {"seconds", s.seconds},
          {"metrics_bytes", s.log.metrics_bytes},
          {"samples_bytes", s.log.samples_bytes},
          {"ended", s.ended}};
}

RunState run_state(const Json& json) {
  RunState s;
  s.trainer = {.update = json.at("update"), .position = {.epoch = json.at("epoch"), .batch = json.at("batch")}};
  s.schedule = {.falls = json.at("schedule_falls"), .waiting = json.at("schedule_waiting")};
  s.checkpoint_due = json.at("checkpoint_due");
  s.rollbacks = json.at("rollbacks");
  if (!json.at("best").is_null()) s.best = json.at("best").get<double>();
  s.best_update = json.at("best_update");
  s.waiting = json.at("waiting");
  for (const Json& snapshot : json.at("snapshots"))
    s.snapshots.push_back({.update = snapshot.at("update"), .value = snapshot.at("value")});
  s.since_line = loss_sum(json.at("since_line"));
  s.since_validation = loss_sum(json.at("since_validation"));
  s.target_tokens = json.at("target_tokens");
  s.seconds = json.at("seconds");
  s.log.metrics_bytes = json.at("metrics_bytes");
  s.log.samples_bytes = json.at("samples_bytes");
  s.ended = json.at("ended");
  return s;
}

const std::string& need_metadata(const Safetensors& file, const char* key) {
  const std::string* value = file.find_metadata(key);
  check<InputError>(value != nullptr, "{}: the metadata has no {}, so it is no checkpoint of heed", file.name(), key);
  return *value;
}

}  // namespace

Checkpoint::Checkpoint(const std::string& path) : file_(path, {.verify_checksum = true}) {
  const std::string& format = need_metadata(file_, kFormatKey);
  check<InputError>(format == kFormat, "{}: its format is version {}, and this heed goes on from version {} only", path,
                    format, kFormat);
  identity_.config = need_metadata(file_, kConfigKey);
  try {
    const Json identity = parse_json(need_metadata(file_, kIdentityKey), path + ": " + kIdentityKey);
    identity_.threads = identity.at("threads");
    identity_.train = identity.at("train");
    identity_.valid = identity.at("valid");
    state_ = run_state(parse_json(need_metadata(file_, kStateKey), path + ": " + kStateKey));
  } catch (const Json::exception& error) {
    throw InputError("{}: this is no state of a run: {}", path, error.what());
  }
}

void Checkpoint::fill(const std::vector<std::pair<std::string, Tensor>>& tensors) const {
  for (const auto& [name, tensor] : tensors) {
    const StoredTensor& stored = file_.tensor(name);
    stored.expect_shape(std::array{tensor.columns()});
    stored.copy_to(std::span(tensor.data<float>(), static_cast<std::size_t>(tensor.columns())));
  }
}

void write_checkpoint(const std::string& path, const RunState& state, const RunIdentity& identity,
                      const std::vector<std::pair<std::string, Tensor>>& tensors) {
  std::vector<StoredTensor> stored;
  for (const auto& [name, tensor] : tensors)
    stored.push_back(
        {.name = name,
         .type = StoredType::f32,
         .shape = {tensor.columns()},
         .data = std::as_bytes(std::span(tensor.data<float>(), static_cast<std::size_t>(tensor.columns())))});
  const Json who = {{"threads", identity.threads}, {"train", identity.train}, {"valid", identity.valid}};
  write_safetensors(path,
                    {{kFormatKey, kFormat},
                     {kConfigKey, identity.config},
                     {kIdentityKey, dump_json(who)},
                     {kStateKey, dump_json(to_json(state))}},
                    stored);
}

namespace {

// What may differ: how long the run lasts, where its files are, and what is compared by itself (threads, text).
bool may_change(std::string_view key) {
  static constexpr std::string_view kTraining[] = {"training.epochs", "training.updates", "training.checkpoint_updates",
                                                   "training.threads"};
  static constexpr std::string_view kBegins[] = {"vocabulary.",           "data.train_",      "data.valid_",
                                                 "data.guided_alignment", "data.tsv_columns", "validation.patience",
                                                 "validation.samples"};
  return std::ranges::find(kTraining, key) != std::end(kTraining) ||
         std::ranges::any_of(kBegins, [&](std::string_view begin) { return key.starts_with(begin); });
}

std::map<std::string, std::string> values_of(const std::string& toml) {
  std::map<std::string, std::string> values;
  for (const TomlEntry& entry : parse_toml(toml, "the configuration")) values[entry.key] = to_toml(entry.value);
  return values;
}

}  // namespace

void check_same_config(const std::string& then, const std::string& now, const std::string& directory) {
  auto before = values_of(renew_run_config(then, "the run's configuration"));
  for (const auto& [key, value] : values_of(now)) {
    if (may_change(key)) continue;
    const std::string was = before[key];
    check<UsageError>(was == value,
                      "the run in '{}' was begun with {} = {}, so it cannot go on with {}; leave it as it was, or "
                      "choose another --out for a new run",
                      directory, key, was, value);
  }
}

void check_same_run(const RunIdentity& then, const RunIdentity& now, const std::string& directory) {
  check<UsageError>(then.threads == now.threads,
                    "the run in '{}' was begun with {} threads, and with {} its sums would round differently; give "
                    "--threads {}",
                    directory, then.threads, now.threads, then.threads);
  for (const auto& [what, before, after] :
       {std::tuple{"training", &then.train, &now.train}, std::tuple{"validation", &then.valid, &now.valid}})
    check<InputError>(*before == *after,
                      "the {} text is not the one that the run in '{}' was begun with; give the same files, or choose "
                      "another --out for a new run",
                      what, directory);
}

}  // namespace heed
