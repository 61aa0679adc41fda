#include "search/candidates.h"

namespace heed::search {

CandidateFinder::CandidateFinder(std::span<const model::Model* const> models)
    : vocabulary_(models.front()->config().vocabulary.target),
      end_(static_cast<Id>(models.front()->config().vocabulary.eos)),
      unknown_(static_cast<Id>(models.front()->config().vocabulary.unk)),
      set_(vocabulary_) {
  for (const model::Model* model : models) {
    if (model->shortlist() == nullptr) {
      shortlists_.clear();
      return;
    }
    shortlists_.push_back(model->shortlist());
  }
}

void CandidateFinder::find(const SearchJob& job, Ids forced, std::vector<Id>& words) {
  words.clear();
  if (!job.options.shortlist || shortlists_.empty()) return;
  set_.clear();  // an exception may have left words in it
  for (const model::Shortlist* shortlist : shortlists_)
    if (!set_.add(*shortlist, job.source)) return;
  set_.add(end_);
  if (unknown_ >= 0 && unknown_ < vocabulary_) set_.add(unknown_);
  set_.add(forced);
  set_.add(job.prefix);
  for (const Constraint& constraint : job.constraints) set_.add(constraint.words);
  // A constraint may need a separator before it.
  for (std::size_t word = 0; !job.constraints.empty() && word < job.joins.size(); ++word)
    if ((job.joins[word] & kJoinsNext) == 0) set_.add(static_cast<Id>(word));
  set_.take(words);
  if (static_cast<double>(words.size()) > model::kLargestShortlist * static_cast<double>(vocabulary_)) words.clear();
}

}  // namespace heed::search
