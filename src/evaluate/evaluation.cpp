#include "evaluate/evaluation.h"

#include <cmath>
#include <filesystem>

#include "alignment/attention_links.h"
#include "base/stopwatch.h"
#include "model/model_path.h"

namespace heed::evaluate {
namespace {

void translate(Evaluation& result, translate::Translator& translator, const TestSet& test,
               const EvaluateOptions& options) {
  translate::TranslateOptions translate = options.translate;
  translate.search.attention = options.maps > 0;
  const Stopwatch watch;
  const auto translated = translator.translate(test.sources, translate);
  result.seconds = watch.seconds();
  std::size_t tokens = 0;
  for (const translate::LineResult& line : translated) {
    result.translations.push_back(line.best().text);
    tokens += line.best().attention.target.size();
    if (result.maps.size() < options.maps) result.maps.push_back(line.best().attention);
  }
  const double seconds = std::max(result.seconds, 1e-9);
  result.sentences_per_second = static_cast<double>(translated.size()) / seconds;
  result.target_tokens_per_second = static_cast<double>(tokens) / seconds;
}

Perplexity perplexity_of(std::span<const translate::ScoredPair> pairs) {
  Perplexity result;
  double loss = 0;
  for (const translate::ScoredPair& pair : pairs) {
    result.too_long += pair.too_long ? 1 : 0;
    if (pair.too_long) continue;
    for (const float p : pair.log_probabilities) loss -= static_cast<double>(p);
    result.tokens += std::ssize(pair.log_probabilities);
    result.unknown += static_cast<std::int64_t>(pair.unknown);
  }
  result.value = result.tokens == 0 ? 0 : std::exp(loss / static_cast<double>(result.tokens));
  return result;
}

}  // namespace

Evaluation evaluate(translate::Translator& translator, const TestSet& test, const EvaluateOptions& options) {
  check<InputError>(
      test.sources.size() == test.references.size() && (test.gold.empty() || test.gold.size() == test.sources.size()),
      "a test set of {} sources, {} references and {} gold alignments", test.sources.size(), test.references.size(),
      test.gold.size());
  const model::Model& model = translator.model();
  Evaluation result;
  result.system = model.config().system;
  result.parameters = model.parameters().count();
  translate(result, translator, test, options);
  result.scores = score_corpus(options.metrics, options.metric, result.translations, {test.references});
  for (std::size_t i = 0; i < test.references.size(); ++i)
    result.exact +=
        translator.pipeline().target_tokenizer().same_words(result.translations[i], test.references[i]) ? 1 : 0;

  const bool aligns = !test.gold.empty() && model.config().attends();
  translate::ScoreOptions score{.attention = aligns,
                                .batch = static_cast<std::size_t>(options.translate.batch),
                                .threads = worker_count(options.translate.threads),
                                .on_progress = options.on_scored};
  auto scored = translator.score(test.sources, test.references, score);
  result.perplexity = perplexity_of(scored);
  if (!aligns) return result;
  // Perplexity uses the model's own tokens; the gold links may count other words.
  score.pretokenized = test.pretokenized;
  if (test.pretokenized) scored = translator.score(test.sources, test.references, score);
  const alignment::LinkWords words(translator.pipeline().config(), test.pretokenized);
  result.alignment = score_alignments(align_pairs(scored, test.sources, test.references, words), test.gold);
  return result;
}

Evaluation evaluate_file(const std::string& path, const TestSet& test, const EvaluateOptions& options) {
  translate::Translator translator(path);
  Evaluation result = evaluate(translator, test, options);
  result.name = model::model_title(path);
  result.file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(model::model_path(path)));
  return result;
}

void compare_to_first(Comparison& comparison, const metrics::ResamplingOptions& options) {
  comparison.against_first.clear();
  for (std::size_t k = 1; k < comparison.models.size(); ++k) {
    const auto &first = comparison.models[0].scores, &other = comparison.models[k].scores;
    check(first.size() == other.size(), "evaluations by {} and {} metrics", first.size(), other.size());
    std::vector<metrics::SystemComparison>& tests = comparison.against_first.emplace_back();
    for (std::size_t m = 0; m < first.size(); ++m)
      tests.push_back(compare_systems(*first[m].metric, first[m].sentences, other[m].sentences, options));
  }
}

}  // namespace heed::evaluate
