// What a search is asked and what it answers: ids and plain numbers.
#pragma once

#include <chrono>
#include <stop_token>
#include <vector>

#include "search/search_options.h"
#include "tensor/ids.h"

namespace heed::search {

// One sentence. The ids must stay until its result is there.
struct SearchJob {
  Ids source;  // ends in the end symbol
  // Words the translation must begin with. If the last one is the end symbol, this is the whole translation and only
  // scored.
  Ids prefix = {};
  Index max_length = 0;  // words at most, the end symbol included
  SearchOptions options = {};
  // Looked at before every step: the job is left once a stop is requested or the deadline has passed.
  std::stop_token stop = {};
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

// One step of the decoder: every number that a picture of it needs. S source length, De encoder output size, Hd decoder
// size, E embedding, R readout.
struct TraceStep {
  struct Choice {
    Id word = 0;
    double probability = 0;
  };
  Id input = 0;                        // the word read
  Choice written;                      // the word written
  std::vector<Choice> choices;         // the likeliest words, best first
  std::vector<float> embedding;        // [E] of the word read
  std::vector<float> before, state;    // [Hd] the top layer's state before and after the cell
  std::vector<float> scores, weights;  // [S], empty without attention
  std::vector<float> context;          // [De], empty without attention
  std::vector<float> readout;          // [R] what the output layer reads
};

struct Hypothesis {
  std::vector<Id> words;  // the end symbol included if it was reached
  double score = 0;       // what hypotheses are ordered by
  double log_probability = 0;
  std::vector<float> word_log_probabilities;  // one per word
  // attention[t * width + s], a row per word; empty if no model has any. The width is the source's length, or
  // attention.max_length for location attention. Several models: their mean.
  std::vector<float> attention;
  Index width = 0;
  std::vector<TraceStep> trace = {};  // one per word, if it was asked for
};

struct SearchResult {
  std::vector<Hypothesis> hypotheses;  // best first, at least one and at most options.nbest; none if it was stopped
  bool stopped = false;                // by the job's stop token or deadline, or by cancel()
  std::vector<std::vector<float>> encoder_states = {};  // [S][De], with a trace
};

}  // namespace heed::search
