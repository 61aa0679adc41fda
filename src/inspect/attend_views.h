// The attention of a sentence as pictures, as JSON, and as a page that shows the decoder step by step.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "inspect/attend.h"
#include "viz/heatmap.h"

namespace heed::inspect {

// Translation `index` of one model: one heatmap, or one per chunk if the sentence is too long for the model.
std::vector<viz::Heatmap> heatmaps(const AttendedSentence& seen, const AttendedModel& model, std::size_t index);
// All translations of all models, in their order.
std::vector<viz::Heatmap> heatmaps(const AttendedSentence& seen);

// attention_json() with "text", "translation", "score", "log_probability", "model", "system", and "pieces" if the
// sentence was split into chunks; a list of such objects if several models or translations were requested.
Json to_json(const AttendedSentence& seen);

// The page shows the first kShownComponents elements of each vector and says so.
constexpr std::size_t kShownComponents = 12;
// A page that shows encoder and decoder step by step, with the models' numbers. UsageError if the sentence was split
// into chunks, ShapeError without a trace.
std::string step_page(const AttendedSentence& seen);

}  // namespace heed::inspect
