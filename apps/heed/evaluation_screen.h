// Shared by `heed evaluate` and `heed compare`: flags, reading the test set, an evaluation as JSON.
#pragma once

#include "base/options.h"
#include "evaluate/evaluation.h"
#include "scored_files.h"

namespace heed::cli {

struct EvaluationFlags {
  std::string source, reference;
  translate::TranslateOptions translate;
  int gold_base = 0;
  bool lowercase = false, pretokenized = false, json = false;
  std::string tokenize = "13a", gold;
};
void declare(Options& options, EvaluationFlags& flags);
// With progress bars on standard error.
evaluate::EvaluateOptions evaluate_options(const EvaluationFlags& flags);

// InputError if the files differ in length or the reference has no words. Prints notes about suspicious text.
evaluate::TestSet read_test_set(const EvaluationFlags& flags);

Json to_json(const evaluate::Evaluation& evaluation);

}  // namespace heed::cli
