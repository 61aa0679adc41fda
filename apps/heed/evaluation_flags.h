// Shared by `heed evaluate` and `heed compare`: flags, reading the test set, an evaluation as JSON.
#pragma once

#include "base/options.h"
#include "evaluate/evaluation.h"
#include "scored_files.h"

namespace heed::cli {

struct EvaluationFlags {
  std::string source, reference;
  PairFlags pairs;
  translate::TranslateOptions translate;
  int gold_base = 0;
  bool text_layer = false, lowercase = false, cased = false, pretokenized = false, json = false;
  std::string tokenize = "13a", gold;
};
void declare(Options& options, EvaluationFlags& flags);
// With progress bars on standard error. UsageError if flags contradict each other.
evaluate::EvaluateOptions evaluate_options(const EvaluationFlags& flags);

// InputError if the files differ in length or the reference has no words. Prints notes about suspicious text. The
// languages of --pairs are those of the model.
evaluate::TestSet read_test_set(const EvaluationFlags& flags, const std::string& model);

// What the reader of scores has to know about them: that case was ignored because a model writes lower case only, and
// that references were not normalized as a model's text was. `names`: one per evaluation, used in the notes.
std::vector<std::string> scoring_notes(std::span<const evaluate::Evaluation> models, std::span<const std::string> names,
                                       const EvaluationFlags& flags);

Json to_json(const evaluate::Evaluation& evaluation);

}  // namespace heed::cli
