// A model measured on a test set: quality, perplexity, alignment, speed, size; and several compared. Plain results, for
// whoever prints them, draws them or writes them down.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "alignment/error_rate.h"
#include "metrics/metric.h"
#include "metrics/significance.h"
#include "translate/translator.h"

namespace heed::evaluate {

struct TestSet {
  std::vector<std::string> sources, references;
  std::vector<alignment::Alignment> gold =
      {};                     // of the words of each pair (see LinkWords); none: no alignment is scored
  bool pretokenized = false;  // for the alignment: see ScoreOptions
};

struct EvaluateOptions {
  std::vector<std::string> metrics = {"bleu", "chrf", "ter"};
  metrics::MetricOptions metric;
  translate::TranslateOptions translate;
  // After translating, while the references are scored: see ScoreOptions::on_progress.
  std::function<void(std::size_t done, std::size_t all)> on_scored = {};
  std::size_t maps = 0;  // of the first so many sentences, keep what was attended to
};

struct Perplexity {
  double value = 0;           // exp of the mean loss of a token of the references, end symbols included
  std::int64_t tokens = 0;    // as the model's tokenizer has them: two models' values compare if these are equal
  std::int64_t unknown = 0;   // of those, the ones that the model knows only as unknown
  std::int64_t too_long = 0;  // pairs left out
};

struct Evaluation {
  std::string name;  // the model's path, or what the caller calls it
  std::string system;
  std::int64_t parameters = 0;
  std::int64_t file_bytes = 0;  // 0 if it is in no file
  std::vector<std::string> translations;
  std::vector<text::AttentionMatrix> maps;  // of the first ones, as many as were asked for
  std::vector<metrics::CorpusScore> scores;
  std::int64_t exact = 0;  // translations word for word as their reference, as the model's tokenizer reads both
  Perplexity perplexity;
  std::optional<alignment::AlignmentScore> alignment;  // if there are gold links and the model has attention
  double seconds = 0;                                  // of translating
  double sentences_per_second = 0;
  double target_tokens_per_second = 0;  // tokens that the model wrote, end symbols included
};

// InputError if sources and references are not equally many, or the gold alignments.
Evaluation evaluate(translate::Translator& translator, const TestSet& test, const EvaluateOptions& options);
// The same of a model file, with its size.
Evaluation evaluate_file(const std::string& path, const TestSet& test, const EvaluateOptions& options);

// Several models on one test set.
struct Comparison {
  std::vector<Evaluation> models;
  // Paired tests of every model but the first against the first: against_first[k - 1][m] is model k by metric m.
  std::vector<std::vector<metrics::SystemComparison>> against_first;

  // Whether a model's score is not the first one's, at p < 0.05 by approximate randomization.
  bool differs(std::size_t model, std::size_t metric) const {
    return model > 0 && against_first[model - 1][metric].randomization_p < 0.05;
  }
};
// Fills in the tests; the models must have been evaluated on one test set by the same metrics.
void compare_to_first(Comparison& comparison, const metrics::ResamplingOptions& options = {});

}  // namespace heed::evaluate
