// Vocabulary selection: the target words that the translation of a sentence may contain.
//
// They depend only on the job: the union of the models' shortlists (model/shortlist.h) for the source words, the
// symbols for the end and for unknown words, and everything that is forced: prefix and constraints. Normalization and
// choice are within these words, whatever else is in the batch.
#pragma once

#include <span>
#include <vector>

#include "model/model.h"
#include "search/search_job.h"

namespace heed::search {

// Not thread-safe. The models must outlive it.
class CandidateFinder {
 public:
  explicit CandidateFinder(std::span<const model::Model* const> models);

  // Sets `words` to the candidates of a job that search.join() accepts and of `forced` words, ascending; to none if all
  // words of the vocabulary are candidates: if the job does not want a shortlist, if a model has none, if nothing is
  // known about a source word, or if the list would be too long to save time.
  void find(const SearchJob& job, Ids forced, std::vector<Id>& words);

 private:
  std::vector<const model::Shortlist*> shortlists_;  // empty if a model has none
  Index vocabulary_;
  Id end_, unknown_;
  model::WordSet set_;
};

}  // namespace heed::search
