// How translations are searched for: the settings of one sentence, their flags, and what a hypothesis is worth.
#pragma once

#include <cstdint>

#include "base/index.h"
#include "base/options.h"

namespace heed::search {

struct SearchOptions {
  int beam = 5;   // hypotheses kept at each step; 1 is greedy
  int nbest = 1;  // hypotheses wanted per sentence, at most `beam`
  // The weights of hypothesis_score().
  double length_normalization = 1;
  double word_reward = 0;
  double coverage = 0;
  int no_repeat = 0;  // no n-gram of this many words twice; 0: any
  // Draw words by their probability instead of searching for the best; needs a beam of 1.
  bool sample = false;
  double temperature = 1;  // below 1: bolder towards the likeliest word
  int top_k = 0;           // only among the k likeliest; 0: all
  double top_p = 1;        // only among the likeliest that hold this much probability together
  std::int64_t seed = 1;   // the draw depends on this and on the sentence itself, not on where it stands
  // What is kept beside the words.
  bool attention = true;  // the weights
  int trace = 0;          // all that the decoder computes (TraceStep), with so many of the likeliest words per step
};

// log p / words^length_normalization + word_reward * words + coverage * attended. `attended` is the sum over the source
// of log(min(1, attention got)), Wu et al. 2016, eq. 14.
double hypothesis_score(const SearchOptions& options, double log_probability, Index words, double attended = 0);
// What the log-probability is divided by.
double length_factor(const SearchOptions& options, Index words);

// The flags, under the titles Search and Sampling; and the ones that commands without the others have.
void declare(Options& o, SearchOptions& v);
void declare_beam(Options& o, SearchOptions& v);
void declare_nbest(Options& o, SearchOptions& v);

// After parsing: defaults that depend on other options, and a UsageError for options that contradict each other.
// `given` is the registry that the options were declared in; it knows which of them the user gave.
void resolve(SearchOptions& v, const Options& given);

// UsageError for values out of range and for what this model cannot do.
void check_options(const SearchOptions& options, bool has_attention);

}  // namespace heed::search
