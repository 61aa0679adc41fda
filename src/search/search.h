// One search for every way of decoding: greedy, beam, sampling, a given beginning, a given translation, one model or
// several. Ids in, hypotheses out. What a sentence gets depends on the sentence and its options alone: not on what else
// is in the search, on who joins or leaves it, on the order or on the thread. The same bits every time.
//
//   Search search(model);
//   const std::uint64_t ticket = search.join({.source = ids, .max_length = 50});
//   while (search.busy()) {
//     search.step();
//     for (auto& [whose, result] : search.take_finished()) …
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

// The memory of a decoder, kept between calls. One per thread; the models must outlive it.
class Search {
 public:
  // Several models decode as one, by the mean of their probabilities. UsageError unless they share the target's
  // vocabulary size and special ids.
  explicit Search(std::span<const model::Model* const> models);
  explicit Search(const model::Model& model) : Search(std::array{&model}) {}
  ~Search();

  // The results of all jobs, in their order. UsageError for options that contradict each other, for ids out of range
  // and for a trace of several models. Not while jobs that have joined are running.
  std::vector<SearchResult> run(std::span<const SearchJob> jobs);
  // The hypotheses of jobs that all have the same options.
  std::vector<std::vector<Hypothesis>> run(std::span<const SearchJob> jobs, const SearchOptions& options);

  // Sentence by sentence: a job takes part from the next step on. Errors as run(); the others are not touched then.
  using Ticket = std::uint64_t;
  Ticket join(const SearchJob& job);
  // One word for every sentence in the search. If it throws, for want of memory, all jobs are lost.
  void step();
  // Whether a job has joined that has not ended.
  bool busy() const;
  // The jobs that have ended since the last call, in the order in which they did.
  std::vector<std::pair<Ticket, SearchResult>> take_finished();
  // Leaves a job, which is then finished and stopped; nothing happens if it has ended already.
  void cancel(Ticket ticket);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace heed::search
