// One search for every way of decoding: greedy, beam, sampling, a given beginning, a given translation, one model or
// several. Ids in, hypotheses out. What a sentence gets does not depend on what else is in the batch, on the batch's
// size or order, or on the thread: the same bits every time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/model.h"

namespace heed {

struct Sampling {
  bool on = false;
  double temperature = 1;  // below 1: bolder towards the likeliest word
  int top_k = 0;           // only among the k likeliest; 0: all
  double top_p = 1;        // only among the likeliest that hold this much probability together
  std::uint64_t seed = 1;  // the draw depends on this and on the sentence itself, not on where it stands
};

struct SearchOptions {
  int beam = 1;
  int nbest = 1;  // hypotheses wanted a sentence, at most `beam`
  // A finished hypothesis is worth  log p / words^length_normalisation + word_reward * words
  //                                 + coverage_penalty * sum_s log(min(1, what the source word s was attended to)).
  double length_normalisation = 1;
  double word_reward = 0;
  double coverage_penalty = 0;
  int no_repeat = 0;  // no n-gram of this many words twice; 0: any
  Sampling sampling;
  bool attention = true;  // keep the weights
};

struct SearchJob {
  Ids source;  // ends in the end symbol
  // Words the translation must begin with. Where the last one is the end symbol, the whole translation is given and
  // only scored.
  Ids prefix = {};
  Index max_length = 0;  // words at most, the end symbol included
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
  std::vector<Id> words;  // the end symbol included where it was reached
  double score = 0;       // what hypotheses are ordered by
  double log_probability = 0;
  std::vector<float> word_log_probabilities;  // one a word
  // attention[t * width + s], a row a word; empty where no model has any. The width is the source's length, or
  // attention.max_length for location attention. Several models: their mean.
  std::vector<float> attention;
  Index width = 0;
};

// The memory of a decoder, kept between calls. One a thread; the models must outlive it.
class Search {
 public:
  // Several models decode as one, their probabilities' mean a word. UsageError where they do not share the target's
  // vocabulary size and special ids.
  explicit Search(std::span<const Model* const> models);
  explicit Search(const Model& model);
  ~Search();

  // The best hypotheses of each job, best first: at least one, at most options.nbest. UsageError for options that
  // contradict each other and for ids out of range.
  std::vector<std::vector<Hypothesis>> run(std::span<const SearchJob> jobs, const SearchOptions& options);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace heed
