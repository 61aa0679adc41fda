#include "train/data_warnings.h"

#include "survey/survey.h"

namespace heed::train {
namespace {

constexpr std::size_t kMostPairs = 1'000'000;

}  // namespace

std::vector<std::string> data_warnings(const RunFiles& files, std::size_t pairs) {
  if (pairs > kMostPairs || files.train().reads_standard_input()) return {};
  const auto tokenizer = text::make_tokenizer({.kind = "whitespace"});
  survey::SurveyOptions options{.source_tokenizer = tokenizer.get(), .target_tokenizer = tokenizer.get(), .cases = 1};
  if (files.has_valid() && !files.valid().reads_standard_input()) options.held_out = {{"validation", files.valid()}};
  const survey::Survey survey = survey_corpus(files.train(), options);
  std::vector<std::string> sentences;
  for (std::size_t p = 0; p < survey::kProblems; ++p) {
    const survey::Finding& finding = survey.findings[p];
    const survey::ProblemKind& kind = survey::problem_kinds()[p];
    // What repeats or leaks is told below, or is common and harmless.
    if (finding.count == 0 || static_cast<survey::Problem>(p) == survey::Problem::leaked) continue;
    sentences.push_back(fmt::format("{} {}, the first at line {}", finding.count,
                                    finding.count == 1 ? kind.one : kind.many,
                                    finding.cases.empty() ? 0 : finding.cases.front().line));
  }
  for (const survey::HeldOutSurvey& held : survey.held_out)
    if (held.pair_seen > 0)
      sentences.push_back(fmt::format("{} of the {} pairs in the validation files are in the training text too",
                                      held.pair_seen, held.pairs));
  return sentences;
}

}  // namespace heed::train
