// Forced decoding: the probability of each token of a known translation, and the attention when it was predicted. Used
// for perplexity, word alignments and attention plots of reference translations.
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
  // The lines are already tokenized, with spaces between words: a word tokenizer keeps these words (after its
  // normalization); a tokenizer of characters or subwords splits them as usual.
  bool pretokenized = false;
  bool attention = true;    // keep the weights
  std::size_t batch = 64;   // at most this many pairs are computed together
  int threads = 1;          // the results do not depend on `batch` and `threads`
  Index max_length = 1000;  // tokens; memory grows with the square
  // Called with the number of pairs done and of all pairs, from any thread but never from two at once.
  std::function<void(std::size_t done, std::size_t all)> on_progress = {};
};

struct ScoredPair {
  // A side is longer than max_length or than the model's attention allows: nothing was computed.
  bool too_long = false;
  std::vector<float> log_probabilities;  // one per token of the target, the end symbol last
  std::size_t unknown = 0;               // tokens of the target that are not in the vocabulary
  text::AttentionMatrix attention;       // row t of the weights is from the step that predicts token t
};

// One result per pair, in order. A line without words still has its end symbol. ShapeError if the numbers of sources
// and targets differ.
std::vector<ScoredPair> score_pairs(const model::Model& model, const TextPipeline& pipeline,
                                    std::span<const std::string> sources, std::span<const std::string> targets,
                                    const ScoreOptions& options = {});

// The links between the words of each pair, from attention. A pair that is too long for the model has none.
std::vector<alignment::Alignment> align_pairs(std::span<const ScoredPair> pairs, std::span<const std::string> sources,
                                              std::span<const std::string> targets, const alignment::LinkWords& words,
                                              const alignment::LinkOptions& options = {});

}  // namespace heed::translate
