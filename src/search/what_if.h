// A search for one sentence with changes to what the decoder computes: what would it do if it had written another word,
// or attended elsewhere? Without changes the result is that of Search, bit for bit.
#pragma once

#include <map>
#include <vector>

#include "model/model.h"
#include "search/search_job.h"

namespace heed::search {

struct Changes {
  std::map<Index, Id> words;                    // by step, from 0: the word that every hypothesis writes there
  std::map<Index, std::vector<float>> weights;  // by step: the attention weights, one per source word
  std::vector<Index> masked;                    // source words without attention; the others share their weights
  double temperature = 1;                       // divides the logits; above 1 flattens the distribution
};

// UsageError for the same reasons as Search::run(), and for weights that are not one non-negative number per source
// word or are all zero, if all source words are masked, for changes to the attention of a model without attention, and
// for ids out of range.
SearchResult search_with(const model::Model& model, const SearchJob& job, const Changes& changes);

}  // namespace heed::search
