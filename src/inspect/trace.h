// The decoder's trace for one sentence, with optional changes: what `heed attend` shows, and what would happen if the
// model had written another word or attended elsewhere (search/what_if.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "inspect/attend.h"

namespace heed::inspect {

struct TraceRequest {
  std::string text;
  translate::TranslateOptions translate = {};  // search.trace > 0
  std::map<Index, std::string> words = {};     // by step: the token to write, as in the trace
  // The other changes are those of search::Changes.
  std::map<Index, std::vector<float>> weights = {};
  std::vector<Index> masked = {};
  double temperature = 1;
  std::stop_token stop = {};
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

// The translations with their traces; none if it was stopped. Uses the first model. UsageError for a text without words
// or with more tokens than the model reads at once, for a token that the model does not have, and for the reasons of
// search::search_with(). Thread-safe.
translate::LineResult trace(const translate::Translator& translator, const TraceRequest& request);

// Everything about a model and its translations that the step page shows.
Json trace_json(const AttendedModel& model);

}  // namespace heed::inspect
