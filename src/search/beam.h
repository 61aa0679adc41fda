// The beam of one sentence. It works on numbers alone, without a model or tensors: at each step it takes the
// log-probabilities of all words after each running hypothesis, and decides which hypotheses continue and which are
// finished.
//
// A finished hypothesis keeps its slot in the beam, so the search ends when all slots are finished. It ends earlier if
// no running hypothesis can overtake the finished ones that will be returned: log-probabilities only decrease, and
// length is limited, which bounds the effect of normalization and word reward.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/random.h"
#include "model/config.h"
#include "search/constraints.h"
#include "search/search_job.h"

namespace heed::search {

class Beam {
 public:
  // The model's output for a running hypothesis.
  struct Row {
    std::span<const float> log_probabilities;  // of every word, or of the candidates
    const float* attention = nullptr;          // weights of this step; null if there are none
    Ids candidates = {};                       // ascending; empty: every word of the vocabulary

    Id word(std::size_t i) const { return candidates.empty() ? static_cast<Id>(i) : candidates[i]; }
    // -infinity for a word that is not a candidate.
    float log_probability(Id word) const;
  };
  struct Running {
    Id row;    // the row of the last step that it continues
    Id word;   // its last word
    int node;  // of its last word; -1 before the first
    double log_probability;
  };

  // Starts a sentence, whose ids must outlive it. `width` is the number of attention weights per row.
  void begin(const SearchJob& job, const model::VocabularyConfig& vocabulary, Index width);
  const SearchJob& job() const { return job_; }
  std::span<const Running> running() const { return running_; }
  // One step: rows[i] and, if the job has a trace, traced[i] belong to running()[i].
  void advance(std::span<const Row> rows, std::span<TraceStep> traced = {});
  // The words that all running and finished hypotheses begin with: no later step changes them.
  void agreed_words(std::vector<Id>& words) const;
  // Once no hypothesis is running: at most options.nbest, best first.
  std::vector<Hypothesis> results() const;

 private:
  // A word of a hypothesis; `parent` is the previous one, -1 for the first.
  struct Node {
    int parent;
    Id word;
    float log_probability;
    std::size_t row;  // the row that it was chosen from, counted over all steps
  };
  struct Candidate {
    std::size_t row;
    Id word;
    float log_probability;
    double total;
    std::size_t trial = 0;  // with constraints: its index in trials_
  };
  struct Finished {
    int node;
    double rank;  // the score; with constraints, that of the adjusted log-probability
    double score;
    double log_probability;
    std::vector<Index> constraints = {};
  };
  // A possible continuation in a search with constraints.
  struct Trial {
    Candidate candidate;
    double rank = 0;
    ConstraintProgress progress;
  };

  const Node& at(int node) const { return nodes_[static_cast<std::size_t>(node)]; }
  void choose_forced(const Row& row);
  void choose_best(std::span<const Row> rows);
  void choose_sampled(const Row& row);
  // constrained_beam.cpp: the same with constraints.
  void choose_constrained(std::span<const Row> rows);
  void choose_sampled_constrained(const Row& row);
  void try_word(std::size_t row, const Row& values, Id word);
  void try_constraints(std::size_t row, const Row& values);
  void try_best_words(std::size_t row, const Row& values, std::size_t count);
  void deal_slots(std::size_t slots);
  void set_trial(std::size_t row, const Row& values, Id word, Trial& trial) const;
  bool is_possible(const Trial& trial) const;
  Trial& next_trial();
  // What constraints add to a log-probability when hypotheses are compared.
  static double adjustment(const ConstraintProgress& progress);
  Candidate candidate(std::size_t row, Id word, float log_probability) const;
  bool repeats(Id word) const;
  void find_repeats(int node);
  void finish(int node, double log_probability, const ConstraintProgress* progress);
  double coverage(int node) const;
  bool settled() const;

  const SearchOptions& options() const { return job_.options; }

  SearchJob job_;
  Id start_ = 0, end_ = 0;
  Index width_ = 0;
  Index time_ = 0;         // the number of words of every running hypothesis
  Index limit_ = 0;        // maximum number of words
  std::size_t slots_ = 0;  // of the beam
  Random draws_{0, Stream::sample};
  std::vector<Node> nodes_;
  std::size_t rows_ = 0;  // of all steps so far
  std::vector<float> attention_;
  std::vector<TraceStep> trace_;
  std::vector<Running> running_, last_;
  // With constraints: the progress of running_ and last_, and the possible continuations.
  Constraints constraints_;
  std::vector<ConstraintProgress> progress_, last_progress_;
  std::vector<Trial> trials_;  // the first trial_count_ are in use
  std::size_t trial_count_ = 0;
  Trial checked_;
  std::vector<std::size_t> order_;
  std::vector<Id> wanted_;                    // words of constraints that may follow one hypothesis
  std::vector<std::pair<double, int>> open_;  // negative attention to its source words, and the constraint
  std::vector<Candidate> candidates_;         // best first
  std::vector<Finished> finished_;            // best first
  std::vector<Id> words_, repeats_;  // of one hypothesis: its words, last first, and the words that may not follow
  std::vector<std::pair<float, Id>> best_;     // most probable other words after one hypothesis
  std::vector<std::pair<float, Id>> sampled_;  // negative log-probabilities of the words to sample from
};

}  // namespace heed::search
