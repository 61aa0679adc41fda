#include "train/checkpoint.h"

#include <array>

#include "base/json.h"
#include "base/options.h"
#include "train/config.h"

namespace heed::train {
namespace {

constexpr const char* kFormatKey = "heed.checkpoint";
constexpr const char* kFormat = "1";
constexpr const char* kConfigKey = "heed.config";
constexpr const char* kIdentityKey = "heed.identity";
constexpr const char* kStateKey = "heed.state";

const std::string& need_metadata(const Safetensors& file, const char* key) {
  const std::string* value = file.find_metadata(key);
  check<InputError>(value != nullptr, "{}: the metadata has no {}, so it is not a checkpoint of heed", file.name(),
                    key);
  return *value;
}

}  // namespace

Checkpoint::Checkpoint(const std::string& path) : file_(path, {.verify_checksum = true}) {
  const std::string& format = need_metadata(file_, kFormatKey);
  check<InputError>(format == kFormat, "{}: its format is version {}, and this heed goes on from version {} only", path,
                    format, kFormat);
  identity_.config = need_metadata(file_, kConfigKey);
  state_ = RunState::from_json(need_metadata(file_, kStateKey), path + ": " + kStateKey);
  try {
    const Json identity = parse_json(need_metadata(file_, kIdentityKey), path + ": " + kIdentityKey);
    identity_.workers = identity.at("threads");
    identity_.train = identity.at("train");
    identity_.valid = identity.at("valid");
  } catch (const Json::exception& error) {
    throw InputError("{}: this is not the identity of a run: {}", path, error.what());
  }
}

void Checkpoint::fill(const std::vector<std::pair<std::string, Tensor>>& tensors) const {
  for (const auto& [name, tensor] : tensors) {
    const StoredTensor& stored = file_.tensor(name);
    stored.expect_shape(std::array{tensor.columns()});
    stored.copy_to(tensor.span<float>());
  }
}

void write_checkpoint(const std::string& path, const RunState& state, const RunIdentity& identity,
                      const std::vector<std::pair<std::string, Tensor>>& tensors) {
  std::vector<StoredTensor> stored;
  for (const auto& [name, tensor] : tensors)
    stored.push_back({name, StoredType::f32, {tensor.columns()}, std::as_bytes(tensor.span<float>())});
  const Json who = {{"threads", identity.workers}, {"train", identity.train}, {"valid", identity.valid}};
  write_safetensors(path,
                    {{kFormatKey, kFormat},
                     {kConfigKey, identity.config},
                     {kIdentityKey, dump_json(who)},
                     {kStateKey, state.to_json()}},
                    stored);
}

void check_same_config(const std::string& then, RunConfig now, const std::string& directory) {
  RunConfig before;  // a key that is newer than the run had its default
  Options before_options, now_options;
  declare(before_options, before);
  declare(now_options, now);
  before_options.apply_old_toml(then, "the configuration of the run in '" + directory + "'");
  before.model.vocabulary = now.model.vocabulary = {};  // comes from the text, which is compared by itself
  const auto difference = before_options.first_difference(now_options);
  if (!difference) return;
  throw UsageError(
      "the run in '{}' was begun with {} = {}, so it cannot go on with {}; leave it as it was, or choose another --out "
      "for a new run",
      directory, difference->key, difference->value, difference->other);
}

void check_same_run(const RunIdentity& then, const RunIdentity& now, const std::string& directory) {
  check<UsageError>(then.workers == now.workers,
                    "the run in '{}' was begun with {} workers (threads of all processes), and with {} its sums "
                    "would round differently; give --threads {}",
                    directory, then.workers, now.workers, then.workers);
  for (const auto& [what, before, after] :
       {std::tuple{"training", &then.train, &now.train}, std::tuple{"validation", &then.valid, &now.valid}})
    check<InputError>(*before == *after,
                      "the {} text is not the one that the run in '{}' was begun with; give the same files, or choose "
                      "another --out for a new run",
                      what, directory);
}

}  // namespace heed::train
