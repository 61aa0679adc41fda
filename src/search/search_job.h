// The input and the result of a search. A word is an entry of the model's vocabulary: for a subword model, a subword.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "search/search_options.h"
#include "tensor/ids.h"

namespace heed::search {

// Words that the translation must contain, one directly after the other, such as the translation of a glossary term.
struct Constraint {
  Ids words;  // at least one, without the end symbol
  // The source words [from, to) that they translate; empty: unknown. If the model has attention, attention to these
  // words helps to decide where the constraint goes.
  Index source_from = 0, source_to = 0;
  bool required = true;  // false: the words are made more probable, but may be missing
};

// Whether a target word, such as a subword or character, may be one written word with its neighbors: between a word
// with kJoinsNext and one with kJoinsPrevious there is no word boundary.
inline constexpr std::uint8_t kJoinsPrevious = 1, kJoinsNext = 2;

// One sentence to translate. The ids must outlive the search for it.
struct SearchJob {
  Ids source;  // ends in the end symbol
  // Words that the translation must begin with. If they end with the end symbol, they are the whole translation, which
  // is only scored.
  Ids prefix = {};
  Index max_length = 0;  // maximum number of words, the end symbol included
  // Every required constraint is in the translation, each with words of its own (constraints.h); a prefix can meet them
  // too. They have no effect if the prefix is the whole translation.
  std::span<const Constraint> constraints = {};
  // By target word: kJoinsPrevious and kJoinsNext. Constraints are met only between word boundaries. Empty: every
  // target word is a written word.
  std::span<const std::uint8_t> joins = {};
  SearchOptions options = {};
  // Checked before every step: the job ends without a result once a stop is requested or the deadline has passed.
  std::stop_token stop = {};
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

// What one step of the decoder computed, for inspection. S source length, De encoder output size, Hd decoder size, E
// embedding, R readout.
struct TraceStep {
  struct Choice {
    Id word = 0;
    double probability = 0;
  };
  Id input = 0;                        // the word that the step reads
  Choice written;                      // the word that the step writes
  std::vector<Choice> choices;         // the most probable words, best first
  std::vector<float> embedding;        // [E] of the input
  std::vector<float> before, state;    // [Hd] the top layer's state before and after the cell
  std::vector<float> scores, weights;  // [S], empty without attention
  std::vector<float> context;          // [De], empty without attention
  std::vector<float> readout;          // [R] the output layer's input
};

struct Hypothesis {
  std::vector<Id> words;  // including the end symbol if it was reached
  double score = 0;       // hypothesis_score()
  double log_probability = 0;
  std::vector<float> word_log_probabilities;  // one per word
  // attention[t * width + s], one row per word; empty without attention. The width is the source length, or
  // attention.max_length for location attention. For an ensemble, the mean.
  std::vector<float> attention;
  Index width = 0;
  // By constraint of the job: the index of its first word in `words`, or -1 if it is not met. Empty without
  // constraints.
  std::vector<Index> constraints = {};
  std::vector<TraceStep> trace = {};  // one per word, if requested
};

struct SearchResult {
  std::vector<Hypothesis> hypotheses;                   // best first, from 1 to options.nbest; none if stopped
  bool stopped = false;                                 // by the job's stop token or deadline, or by cancel()
  std::vector<std::vector<float>> encoder_states = {};  // [S][De], if a trace was requested
};

}  // namespace heed::search
