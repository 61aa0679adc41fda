// The search options of a sentence, their flags, and the score of a hypothesis.
#pragma once

#include <cstdint>

#include "base/index.h"
#include "base/options.h"

namespace heed::search {

struct SearchOptions {
  int beam = 5;   // hypotheses kept at each step; 1 is greedy
  int nbest = 1;  // hypotheses returned per sentence, at most `beam`
  // Used by hypothesis_score().
  double length_normalization = 1;
  double word_reward = 0;
  double coverage = 0;
  int no_repeat = 0;  // no n-gram of this many tokens is repeated; 0: off
  // Sample tokens by their probability instead of searching for the best; needs a beam of 1.
  bool sample = false;
  double temperature = 1;
  int top_k = 0;          // sample only from the k most probable tokens; 0: all
  double top_p = 1;       // sample only from the most probable tokens that together reach this probability
  std::int64_t seed = 1;  // a sample depends only on the seed and the sentence
  // Vocabulary selection: choose only among the candidates of the source tokens (candidates.h), if all models have a
  // shortlist. Probabilities are then relative to these candidates.
  bool shortlist = false;
  // Results in addition to the tokens.
  bool attention = true;  // attention weights
  int trace = 0;          // everything that the decoder computes, with this many choices per step; 0: no trace
};

// log p / length^length_normalization + word_reward * length + coverage * coverage_penalty, with the length in tokens
// and the coverage penalty of Wu et al. 2016, eq. 14: the sum of log(min(1, total attention weight)) over the source
// tokens.
double hypothesis_score(const SearchOptions& options, double log_probability, Index length,
                        double coverage_penalty = 0);
// length^length_normalization
double length_factor(const SearchOptions& options, Index length);

// All flags, in the groups Search and Sampling; and two of them alone, for commands that have no others.
void declare(Options& o, SearchOptions& v);
void declare_beam(Options& o, SearchOptions& v);
void declare_nbest(Options& o, SearchOptions& v);

// After parsing: sets defaults that depend on other options. UsageError for options that contradict each other.
// `options` is the registry in which the options were declared.
void resolve(SearchOptions& v, const Options& options);
// The same for --beam and --nbest alone.
void resolve_beam(SearchOptions& v, const Options& options);

// UsageError for values out of range, and for coverage without attention.
void check_options(const SearchOptions& options, bool has_attention);

}  // namespace heed::search
