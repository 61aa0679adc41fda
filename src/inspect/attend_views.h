// An attended sentence as pictures, JSON and the page that plays the decoder. Free of state.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "inspect/attend.h"
#include "viz/heatmap.h"

namespace heed::inspect {

// One translation, by its index, of one model: one map, or one per chunk of a long line.
std::vector<viz::Heatmap> heatmaps(const AttendedSentence& seen, const AttendedModel& model, std::size_t index);
// All translations of all models, in their order.
std::vector<viz::Heatmap> heatmaps(const AttendedSentence& seen);

// attention_json() with "text", "translation", "score", "log_probability", "model", "system", and "pieces" if the line
// was cut; a list of such objects if several models or translations were asked for.
Json to_json(const AttendedSentence& seen);

// The page shows the first kShownComponents of each vector and says so.
constexpr std::size_t kShownComponents = 12;
// Plays encoder and decoder, with the numbers that the models computed. UsageError if a sentence is too long for one
// picture, ShapeError without a trace.
std::string step_page(const AttendedSentence& seen);

}  // namespace heed::inspect
