#include "train/checkpoint.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/numbers.h"
#include "base/options.h"
#include "base/utf8.h"
#include "kernels/cpu.h"
#include "model/model_file.h"

namespace heed::train {
namespace {

constexpr const char* kFormatKey = "heed.checkpoint";
constexpr const char* kFormat = "1";
constexpr const char* kConfigKey = "heed.config";
constexpr const char* kIdentityKey = "heed.identity";
constexpr const char* kStateKey = "heed.state";

const std::string& need_metadata(const Safetensors& file, const char* key) {
  const std::string* value = file.find_metadata(key);
  check<InputError>(value != nullptr, "{}: the metadata has no {}, so this is not a heed checkpoint", file.name(), key);
  return *value;
}

// By position, because the run may have been started by an older version that used other names.
void load_in_order(const Safetensors& file, const autograd::Parameters& parameters) {
  const auto tensors = file.tensors();
  check<InputError>(tensors.size() == parameters.size(), "{}: {} tensors, expected {}", file.name(), tensors.size(),
                    parameters.size());
  if (const auto bad = find_non_finite(tensors))
    throw InputError("{}: {} contains {} at element {}", file.name(), bad->tensor, bad->value, bad->index);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].expect_shape(parameters[i].shape);
    tensors[i].copy_to(parameters[i].value.span<float>());
  }
}

}  // namespace

std::string what_is_wrong(const InputError& error) {
  const std::string sentence = error.what();
  return sentence.substr(0, sentence.rfind("; "));
}

Checkpoint::Checkpoint(const std::string& path) : file_(path, {.verify_checksum = true}) {
  const std::string& format = need_metadata(file_, kFormatKey);
  check<InputError>(format == kFormat, "{}: checkpoint format version {} is not supported; this heed reads version {}",
                    path, format, kFormat);
  identity_.config = need_metadata(file_, kConfigKey);
  state_ = RunState::from_json(need_metadata(file_, kStateKey), path + ": " + kStateKey);
  try {
    const Json identity = parse_json(need_metadata(file_, kIdentityKey), path + ": " + kIdentityKey);
    identity_.workers = identity.at("threads");
    identity_.text_workers = identity.value("text_threads", identity_.workers);
    identity_.ranks = identity.value("ranks", 0);
    identity_.train = identity.at("train");
    identity_.valid = identity.at("valid");
    identity_.from = identity.value("from", "");
    identity_.cpu = identity.value("cpu", "");
  } catch (const Json::exception&) {
    throw InputError("{}: {} is not the identity of a run; the file is damaged or was not written by heed", path,
                     kIdentityKey);
  }
}

void Checkpoint::fill(const NamedTensors& tensors) const {
  for (const auto& [name, tensor] : tensors) {
    const StoredTensor& stored = file_.tensor(name);
    stored.expect_shape(std::array{tensor.columns()});
    stored.copy_to(tensor.span<float>());
  }
}

void write_checkpoint(const std::string& path, const RunState& state, const RunIdentity& identity,
                      const NamedTensors& tensors) {
  std::vector<StoredTensor> stored;
  for (const auto& [name, tensor] : tensors)
    stored.push_back({name, StoredType::f32, {tensor.columns()}, std::as_bytes(tensor.span<float>())});
  Json same = {
      {"threads", identity.workers}, {"train", identity.train}, {"valid", identity.valid}, {"cpu", identity.cpu}};
  if (!identity.from.empty()) same["from"] = identity.from;
  if (identity.text_workers != identity.workers) same["text_threads"] = identity.text_workers;
  if (identity.ranks != 0) same["ranks"] = identity.ranks;
  write_safetensors(path,
                    {{kFormatKey, kFormat},
                     {kConfigKey, identity.config},
                     {kIdentityKey, dump_json(same)},
                     {kStateKey, state.to_json()}},
                    stored);
}

void check_same_config(const std::string& before, RunConfig now, const std::string& directory) {
  RunConfig old;  // a key that did not exist yet keeps its default
  Options old_options, now_options;
  declare(old_options, old);
  declare(now_options, now);
  old_options.apply_old_toml(before, "the configuration of the run in '" + directory + "'");
  old.model.vocabulary = now.model.vocabulary = {};  // depends on the text, which is compared separately
  const auto difference = old_options.first_difference(now_options);
  if (!difference) return;
  throw UsageError(
      "the run in '{}' was started with {} = {} and cannot be resumed with {}; keep the old value, or choose another "
      "--out for a new run",
      directory, difference->key, difference->value, difference->other);
}

void check_same_cpu(const RunIdentity& before, const std::string& directory) {
  const std::string now = kernels::instruction_set_variable();
  check<UsageError>(
      before.cpu.empty() || before.cpu == now,
      "the run in '{}' was started with the instruction set {}; with {} its sums would round differently; "
      "set HEED_CPU={}, or choose another --out for a new run",
      directory, in_quotes(before.cpu), in_quotes(now), before.cpu);
}

void check_same_workers(const RunIdentity& before, const RunIdentity& now, const std::string& directory, int ranks) {
  const std::string advice = ranks == 1 ? fmt::format("--threads {}", before.workers)
                             : before.workers % ranks == 0
                                 ? fmt::format("--threads {} for each of {} processes", before.workers / ranks, ranks)
                                 : fmt::format("another number of processes, {} threads in all", before.workers);
  check<UsageError>(before.workers == now.workers,
                    "the run in '{}' was started with {} and cannot be resumed with {}, because sums would round "
                    "differently; use {}, or accept that with --resume-with-other-workers",
                    directory, counted(before.workers, "thread"), now.workers, advice);
  check<UsageError>(before.ranks == now.ranks,
                    "the run in '{}' was started with {} and cannot be resumed with {}, because bf16 gradients would "
                    "round differently; start as many processes as before, or accept that with "
                    "--resume-with-other-workers",
                    directory, counted(before.ranks, "process"), now.ranks);
}

void check_same_run(const RunIdentity& before, const RunIdentity& now, const std::string& directory) {
  const auto origin = [](const RunIdentity& identity) {
    return identity.from.empty() ? "without --from" : fmt::format("from the model with checksum {}", identity.from);
  };
  check<UsageError>(before.from == now.from,
                    "the run in '{}' was started {} and cannot be resumed {}; give the same --from, or choose another "
                    "--out for a new run",
                    directory, printable(origin(before)), origin(now));
  const bool same_train = before.train == now.train;
  check<InputError>(same_train && before.valid == now.valid,
                    "the {} text differs from the one that the run in '{}' was started with; give the same files, or "
                    "choose another --out for a new run",
                    same_train ? "validation" : "training", directory);
}

void save_parameters(const std::string& path, const autograd::Parameters& parameters) {
  write_safetensors(path, {}, model::stored_parameters(parameters));
}

void average_parameters(const autograd::Parameters& parameters, const std::vector<std::string>& files) {
  check<InternalError>(!files.empty(), "no files to average");
  const std::span<float> flat = parameters.flat().span<float>();
  // In double precision, so that the mean of equal values is exactly that value.
  std::vector<double> sums(flat.size());
  for (const std::string& path : files) {
    load_in_order(Safetensors(path, {.verify_checksum = true}), parameters);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<double>(flat[i]);
  }
  const auto count = static_cast<double>(files.size());
  std::ranges::transform(sums, flat.begin(), [&](double sum) { return static_cast<float>(sum / count); });
}

}  // namespace heed::train
