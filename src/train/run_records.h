// What a run writes about itself: the lines of metrics.jsonl and the metadata of its model.
#pragma once

#include <cstdint>

#include "base/json.h"
#include "model/model_file.h"
#include "train/checkpoint.h"
#include "train/parent_model.h"
#include "train/run_text.h"
#include "train/trainer.h"

namespace heed::train {

struct RunParts {
  const RunConfig& config;
  const RunIdentity& identity;
  const RunText& text;
  const ParentModel* parent;  // null: the run starts from random parameters
  const Trainer& trainer;
};

// The metadata of the model at this update: pipeline, word frequencies, statistics of the training lines, provenance,
// languages.
Metadata model_metadata(const RunParts& run, const BestTracker& best, std::int64_t update);

Json start_line(const RunParts& run);
Json update_line(const UpdateReport& report, const RunState& state, double tokens_per_second, double seconds);
// For a run that was resumed with another number of workers.
Json workers_line(const RunState& state, const RunIdentity& before, const RunIdentity& now);
Json stop_line(const UpdateReport& report, double seconds);
Json end_line(const RunState& state, double seconds);

}  // namespace heed::train
