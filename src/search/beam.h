// The hypotheses of one sentence while it is searched, on plain numbers: no model, no tensor. At each step it takes the
// log-probabilities of every word after each running hypothesis and decides which continue and which have ended.
//
// A hypothesis that ends takes its place in the beam with it, so the search is over when all places have ended. It is
// over before that if nothing that runs can still reach the hypotheses that are wanted: log-probabilities only fall,
// and how far normalization and reward can lift one at its longest is known.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/random.h"
#include "model/config.h"
#include "search/search_job.h"

namespace heed::search {

class Beam {
 public:
  // What the model says after a running hypothesis.
  struct Row {
    std::span<const float> log_probabilities;  // of every word
    const float* attention = nullptr;          // of this step; null if there is none
  };
  struct Running {
    Id row;   // which row of the last step it continues
    Id word;  // its last
    int node;
    double log_probability;
  };

  // Starts a sentence. `width` is how many weights a row of attention has.
  void begin(const SearchJob& job, const model::VocabularyConfig& vocabulary, Index width);
  const SearchJob& job() const { return job_; }
  std::span<const Running> running() const { return running_; }
  // One step: rows[i] belongs to running()[i], as does traced[i], if the job wants a trace (its words are not filled
  // in).
  void advance(std::span<const Row> rows, std::span<TraceStep> traced = {});
  // Once nothing runs any more: the best first, at most options.nbest.
  std::vector<Hypothesis> results() const;

 private:
  // A word of a hypothesis; the one before it is `parent`, -1 at the first.
  struct Node {
    int parent;
    Id word;
    float log_probability;
    std::size_t row;  // of all rows so far, the one that it was chosen from
  };
  struct Candidate {
    std::size_t row;
    Id word;
    float log_probability;
    double total;
  };
  struct Finished {
    int node;
    double score;
    double log_probability;
  };

  const Node& at(int node) const { return nodes_[static_cast<std::size_t>(node)]; }
  void choose_given(const Row& row);
  void choose_likeliest(std::span<const Row> rows);
  void choose_by_chance(const Row& row);
  bool repeats(Id word) const;
  void find_repeats(int node);
  void finish(int node, double log_probability);
  double coverage(int node) const;
  bool settled() const;

  const SearchOptions& options() const { return job_.options; }

  SearchJob job_;
  Id start_ = 0, end_ = 0;
  Index width_ = 0;
  Index time_ = 0;   // words that every running hypothesis has
  Index limit_ = 0;  // words at most
  Random draws_{0, Stream::sample};
  std::vector<Node> nodes_;
  std::size_t rows_ = 0;  // of all steps so far
  std::vector<float> attention_;
  std::vector<TraceStep> trace_;
  std::vector<Running> running_, last_;
  std::vector<Candidate> candidates_;  // best first
  std::vector<Finished> finished_;     // best first
  std::vector<Id> words_, repeats_;    // of one hypothesis: its words, last first, and what may not follow
  std::vector<std::pair<float, Id>> likeliest_;
};

}  // namespace heed::search
