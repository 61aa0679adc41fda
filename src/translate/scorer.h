// How a model scores given translations: the probability of each word and what was attended to when it was
// predicted. For perplexity, for word alignments, for pictures of a reference.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "alignment/attention_links.h"
#include "model/model.h"
#include "text/attention_matrix.h"
#include "translate/pipeline.h"

namespace heed::translate {

struct ScoreOptions {
  // The lines are words between spaces already: a tokenizer of words takes them as they are (after its normalization);
  // one of characters or subwords splits them as always.
  bool pretokenized = false;
  bool attention = true;    // keep the weights
  std::size_t batch = 64;   // pairs computed together at most
  int threads = 1;          // what comes out does not depend on these two
  Index max_length = 1000;  // tokens; memory grows with their square
  // Called now and then with the pairs done so far, of all that there are, from any thread but never from two at once.
  std::function<void(std::size_t done, std::size_t all)> on_progress = {};
};

struct ScoredPair {
  // A side longer than max_length, or than the model's attention can read: nothing was computed.
  bool too_long = false;
  std::vector<float> log_probabilities;  // one per token of the target, the end symbol last
  std::size_t unknown = 0;               // tokens of the target that the model has no word for
  text::AttentionMatrix attention;       // the weights' row t is from the step that predicts token t
};

// One per pair, in their order. A line without words is a pair like any other: it has an end. ShapeError if there are
// not as many targets as sources.
std::vector<ScoredPair> score_pairs(const model::Model& model, const TextPipeline& pipeline,
                                    std::span<const std::string> sources, std::span<const std::string> targets,
                                    const ScoreOptions& options = {});

// The links between the words of each pair, by attention. A pair that is too long for the model has none.
std::vector<alignment::Alignment> align_pairs(std::span<const ScoredPair> pairs, std::span<const std::string> sources,
                                              std::span<const std::string> targets, const alignment::LinkWords& words,
                                              const alignment::LinkOptions& options = {});

}  // namespace heed::translate
