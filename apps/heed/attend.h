// One sentence through one model, and what it attended to: what `heed attend` and others draw.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/search.h"
#include "translate/line_result.h"
#include "translate/pipeline.h"
#include "viz/heatmap.h"
#include "viz/step_page.h"

namespace heed::cli {

struct AttendOptions {
  SearchOptions search;
  std::optional<std::string> target;  // the translation to be scored, instead of a search
};

struct AttendedSentence {
  std::string path;
  std::unique_ptr<const Model> model;
  std::unique_ptr<const TextPipeline> pipeline;
  std::vector<Token> tokens;              // of the sentence
  std::vector<Id> source;                 // with the end symbol
  std::vector<Hypothesis> hypotheses;     // best first
  std::vector<Translation> translations;  // the same as text
};

// InputError where the file is no model or cannot be given text, UsageError where the sentence has no words or is
// longer than the attention can read.
AttendedSentence attend(const std::string& path, const std::string& sentence, const AttendOptions& options);

// The words and weights, to be drawn.
viz::Heatmap heatmap_of(const AttentionMatrix& map);

// Its decoder, watched step by step.
viz::StepPage::Model step_model(const AttendedSentence& sentence);

}  // namespace heed::cli
