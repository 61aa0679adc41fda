// Evaluates a model on a test set.
//
//   const heed::Evaluation result = heed::evaluate_model(translator, sources, references);
//   std::cout << result.scores[0].score << ' ' << result.perplexity << '\n';
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/metrics.h"
#include "heed/translator.h"

namespace heed {

struct EvaluateOptions {
  std::vector<std::string> metrics = {"bleu", "chrf", "ter"};
  std::string tokenizer = "13a";  // of BLEU
  // Whether BLEU, chrF and exact ignore case; if not set, they do if the model writes lower case only.
  std::optional<bool> lowercase = {};
  int beam = 5;
  int threads = 0;          // 0: one per core
  bool text_layer = false;  // translate as Translator::translate() does, not every line as it is
  // Gold links, one alignment per pair, to score the model's attention against; empty: not scored.
  std::vector<Alignment> gold = {};
  bool pretokenized = false;  // for gold links: words are separated by spaces
  // While translating, in source tokens; from any thread, never from two at once.
  std::function<void(std::size_t done, std::size_t all)> on_progress = {};
};

struct Evaluation {
  std::vector<std::string> translations;
  std::vector<MetricScore> scores;
  std::int64_t exact = 0;   // translations with the same words as their reference
  double perplexity = 0;    // of the references, per token of the model
  std::int64_t tokens = 0;  // of the references
  bool lowercase = false;   // whether case was ignored
  double seconds = 0;       // spent on translating
  double sentences_per_second = 0;
  std::optional<AlignmentScore> alignment;  // if there are gold links and the model has attention
};

// Thread-safe; the first model of an ensemble gives the perplexity.
HEED_API Evaluation evaluate_model(const Translator& translator, const std::vector<std::string>& sources,
                                   const std::vector<std::string>& references, const EvaluateOptions& options = {});

}  // namespace heed
