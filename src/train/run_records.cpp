#include "train/run_records.h"

#include <cmath>

#include "base/enum_names.h"
#include "kernels/cpu.h"
#include "text/languages.h"

namespace heed::train {

Metadata model_metadata(const RunParts& run, const BestTracker& best, std::int64_t update) {
  const auto& [config, identity, text, parent, trainer] = run;
  Metadata metadata = text.pipeline().metadata();
  if (text.frequencies())
    for (const auto& entry : text.frequencies()->metadata()) metadata.push_back(entry);
  for (const auto& entry : text.lines().metadata()) metadata.push_back(entry);
  const double epochs = static_cast<double>(update) / static_cast<double>(trainer.updates_per_epoch());
  Json provenance = {{"update", update},
                     {"epochs", std::round(100.0 * epochs) / 100},
                     {"train_pairs", text.train().examples.size()},
                     {"train_checksum", identity.train},
                     {"seed", config.training.seed},
                     {"threads", identity.workers}};
  if (best.value)
    provenance["validation"] = {{"pairs", text.valid().examples.size()},
                                {"metric", enum_name(config.validation.metric)},
                                {"value", *best.value}};
  if (parent != nullptr) provenance["from"] = parent->checksum();
  metadata.emplace_back("heed.provenance", dump_json(provenance));
  const data::Languages& named = text.train().languages;
  if (!config.languages().asked() && !named.source.empty() && !named.target.empty())
    metadata.emplace_back(model::kLanguagesKey, dump_json({{"source", text::language_key(named.source)},
                                                           {"target", text::language_key(named.target)}}));
  return metadata;
}

Json start_line(const RunParts& run) {
  const data::Prepared& data = run.text.train();
  const std::string name = kernels::processor_name();  // may be unknown
  Json line = {{"kind", "start"},
               {"system", run.config.model.system},
               {"parameters", run.trainer.result().parameters().count()},
               {"train_pairs", data.examples.size()},
               {"valid_pairs", run.text.valid().examples.size()},
               {"source_words", data.source.size()},
               {"target_words", data.target.size()},
               {"updates", run.trainer.updates()},
               {"metric", enum_name(run.config.validation.metric)},
               {"threads", run.identity.workers},
               {"processor", name + (name.empty() ? "" : ", ") + kernels::instruction_set()}};
  if (!run.text.valid().empty()) line["bleu_signature"] = bleu_signature(run.config.text);
  return line;
}

Json update_line(const UpdateReport& report, const RunState& state, double tokens_per_second, double seconds) {
  Json line = {{"kind", "update"},
               {"update", report.update},
               {"epoch", report.epoch + 1},
               {"loss", state.since_line.mean()},
               {"gradient_norm", report.gradient_norm},
               {"learning_rate", report.rate},
               {"target_tokens", state.target_tokens},
               {"tokens_per_second", tokens_per_second},
               {"seconds", seconds}};
  if (report.job)
    line["job"] = {{"ranks", report.job->ranks},
                   {"efficiency", report.job->efficiency},
                   {"slowest_rank", report.job->slowest},
                   {"slowdown", report.job->slowdown}};
  return line;
}

Json workers_line(const RunState& state, const RunIdentity& before, const RunIdentity& now) {
  return {{"kind", "workers"},
          {"update", state.trainer.update},
          {"threads_before", before.workers},
          {"threads", now.workers}};
}

Json stop_line(const UpdateReport& report, double seconds) {
  return {{"kind", "stop"}, {"update", report.update}, {"epoch", report.epoch + 1}, {"seconds", seconds}};
}

Json end_line(const RunState& state, double seconds) {
  return {{"kind", "end"},
          {"update", state.trainer.update},
          {"reason", state.ended},
          {"best", state.best.value ? Json(*state.best.value) : Json()},
          {"seconds", seconds}};
}

}  // namespace heed::train
