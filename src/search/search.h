// Decoding: greedy search, beam search, sampling, forced prefixes and forced decoding, with one model or an ensemble.
// Takes ids and returns hypotheses. The result of a sentence depends only on the sentence and its options, bit for bit:
// not on the other sentences in the search, on when they join or leave, on their order or on the thread.
//
//   Search search(model);
//   const std::uint64_t ticket = search.join({.source = ids, .max_length = 50});
//   while (search.busy()) {
//     search.step();
//     for (auto& [ticket, result] : search.take_finished()) …
//   }
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "model/model.h"
#include "search/search_job.h"

namespace heed::search {

// Keeps its memory between calls. One per thread; the models must outlive it.
class Search {
 public:
  // Several models form an ensemble: the mean of their probabilities. UsageError unless they have the same vocabulary
  // sizes and special ids.
  explicit Search(std::span<const model::Model* const> models);
  explicit Search(const model::Model& model) : Search(std::array{&model}) {}
  ~Search();

  // The results of all jobs, in their order. UsageError for invalid options, for ids out of range, for a trace of
  // several models, and while jobs that have joined are running.
  std::vector<SearchResult> run(std::span<const SearchJob> jobs);
  // The hypotheses of jobs that all use `options`.
  std::vector<std::vector<Hypothesis>> run(std::span<const SearchJob> jobs, const SearchOptions& options);

  // Adds a job, which takes part from the next step on. Throws the same errors as run(); they do not affect other jobs.
  using Ticket = std::uint64_t;
  Ticket join(const SearchJob& job);
  // Advances every sentence by one word. If it throws (std::bad_alloc), all jobs are lost.
  void step();
  // Whether there are unfinished jobs.
  bool busy() const;
  // The jobs that have finished since the last call, in the order in which they finished.
  std::vector<std::pair<Ticket, SearchResult>> take_finished();
  // Sets `words` to those that the result of a running job is certain to begin with; to none for other jobs.
  void agreed_words(Ticket ticket, std::vector<Id>& words) const;
  // Stops a job, which is then among the finished ones; does nothing if it has finished already.
  void cancel(Ticket ticket);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heed::search
