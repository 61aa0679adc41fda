// Validation of a model on held-out text, through the path that users translate with.
#pragma once

#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "data/examples.h"
#include "model/model.h"
#include "text/attention_matrix.h"
#include "translate/pipeline.h"

namespace heed::train {

// What a model can be judged by.
enum class ValidationMetric : std::uint8_t { perplexity, accuracy, bleu, chrf, exact };
std::vector<std::string> enum_names(ValidationMetric);
// Whether `value` is better than `than`. Of perplexity, less is better.
bool is_better(ValidationMetric metric, double value, double than);

struct Validation {
  // With the reference's words before each word given:
  double perplexity = 0;  // per token
  double accuracy = 0;    // the fraction of tokens that the model finds likeliest
  // Translated:
  double bleu = 0, chrf = 0;  // percent, as `heed score` prints them
  double exact = 0;           // the fraction of sentences that are word for word their reference
  std::size_t sentences = 0;  // that were translated

  double value(ValidationMetric metric) const;
};

struct Sample {
  std::string source, reference, translation;
  text::AttentionMatrix attention;
};

// The held-out text, in both forms.
struct ValidationText {
  data::ExampleStore examples;
  std::vector<std::string> sources, references;  // of each example

  bool empty() const { return examples.empty(); }
};

struct Validated {
  Validation scores;
  std::vector<Sample> samples;  // the same sentences each time, spread over the text
};

// `sentences` are translated, 0: all; of these `samples` are kept. The pool's workers share the work; the result does
// not depend on their number.
Validated validate_model(const model::Model& model, const translate::TextPipeline& pipeline, const ValidationText& text,
                         std::size_t sentences, std::size_t samples, ThreadPool& pool);

}  // namespace heed::train
