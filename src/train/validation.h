// Validates a model on held-out text, with the same translation code that users run.
#pragma once

#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "data/examples.h"
#include "model/model.h"
#include "text/attention_matrix.h"
#include "train/communicator.h"
#include "translate/pipeline.h"

namespace heed::train {

enum class ValidationMetric : std::uint8_t { perplexity, accuracy, bleu, chrf, exact };
std::vector<std::string> enum_names(ValidationMetric);
std::vector<std::string> enum_about(ValidationMetric);
// Whether `value` is better than `than`: lower for perplexity, higher for the others.
bool is_better(ValidationMetric metric, double value, double than);
// Whether a score is below 1%, too low to say what the model has learned. Never for perplexity.
bool is_near_zero(ValidationMetric metric, double value);

struct Sample {
  std::string source, reference, translation;
  text::AttentionMatrix attention;
};

struct Validation {
  // Teacher-forced:
  double perplexity = 0;  // per token
  double accuracy = 0;    // fraction of tokens to which the model assigns the highest probability
  // Scores of the translations, as `heed evaluate` computes them:
  double bleu = 0, chrf = 0;         // percent
  double exact = 0;                  // fraction of sentences whose words equal those of the reference
  std::size_t sentences = 0;         // translated
  std::vector<Sample> samples = {};  // the same sentences at each validation, evenly spaced over the text

  double value(ValidationMetric metric) const;
};

// The held-out text as token ids and as lines.
struct ValidationText {
  data::ExampleStore examples;
  std::vector<std::string> sources, references;  // one per example
  // The references are normalized like the training text and scored with their case, as in runs that heed 0.1 started.
  // Otherwise they are as in the file, and case is ignored if the model writes only lower case.
  bool normalized = false;
  bool spread = false;  // translate evenly spaced sentences, not the first ones

  bool empty() const { return examples.empty(); }
};

// The BLEU signature of validations with this text configuration.
std::string bleu_signature(const text::TextConfig& config);

// Scores all references, and the translations of `sentences` sentences (0: all; see ValidationText::spread), of which
// `samples` are returned. Uses all threads of the pool, and all ranks: each must call this with the same model. Rank 0
// gets the result, which does not depend on the number of threads and ranks; the others get an empty one.
Validation validate_model(const model::Model& model, const translate::TextPipeline& pipeline,
                          const ValidationText& text, std::size_t sentences, std::size_t samples, ThreadPool& pool,
                          Communicator& communicator = single_process());

}  // namespace heed::train
