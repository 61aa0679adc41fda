#include "evaluate/evaluation.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>

#include "alignment/attention_links.h"
#include "base/stopwatch.h"
#include "model/model_path.h"
#include "text/encode.h"
#include "text/normalize.h"
#include "translate/text_layer.h"

namespace heed::evaluate {
namespace {

void translate(Evaluation& result, translate::Translator& translator, const TestSet& test,
               const EvaluateOptions& options) {
  if (!test.translations.empty()) {
    result.translations = test.translations;
    result.sentences_per_second = result.target_tokens_per_second = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  const Stopwatch watch;
  const auto translated = translate_sources(translator, test.sources, options);
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

ShortlistUse shortlist_use(const translate::Translator& translator, const TestSet& test) {
  const translate::TextPipeline& pipeline = translator.pipeline();
  model::ShortlistCoverage coverage(*translator.model().shortlist(), pipeline.target().size());
  std::vector<Id> source, target;
  for (std::size_t i = 0; i < test.sources.size(); ++i) {
    encode_tokens(pipeline.source_tokenizer().tokenize(test.sources[i]), pipeline.source(), source);
    encode_tokens(pipeline.target_tokenizer().tokenize(test.references[i]), pipeline.target(), target);
    coverage.add(source, target);
  }
  return {coverage.covered(), coverage.mean_candidates()};
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

// Scores the translations by each metric and counts the exact ones.
void score(Evaluation& result, const text::TextConfig& text, const TestSet& test, const EvaluateOptions& options) {
  metrics::MetricOptions metric = options.metric;
  result.writes_lower_case = text.writes_lower_case();
  result.lowercase = metric.lowercase = options.lowercase.value_or(result.writes_lower_case);
  result.scores = score_corpus(options.metrics, metric, result.translations, {test.references});
  const auto exact = metrics::make_metric("exact", metric);
  const auto equal = [&](const std::vector<std::string>& lines) {
    return static_cast<std::int64_t>(sentence_statistics(*exact, lines, {test.references}).sums().front());
  };
  result.exact = equal(result.translations);
  result.exact_signature = signature(*exact, 1);
  std::ranges::copy_if(text.normalize, std::back_inserter(result.normalize),
                       [](const std::string& step) { return step != "lowercase" && step != "casefold"; });
  const text::Normalizer normalizer(result.normalize, text.target_language);
  std::vector<std::string> normalized;
  for (const std::string& reference : test.references) normalized.push_back(normalizer.apply(reference));
  result.normalized_references = std::ssize(test.references) - equal(normalized);
}

}  // namespace

std::vector<translate::LineResult> translate_sources(translate::Translator& translator,
                                                     std::span<const std::string> sources,
                                                     const EvaluateOptions& options) {
  translate::TranslateOptions translate = options.translate;
  translate.search.attention = options.maps > 0;
  const auto requests = translate::requests_for(sources);
  return options.text_layer ? translate::TextLayer(translator, {}).translate(requests, translate)
                            : translator.translate(requests, translate);
}

Evaluation evaluate(translate::Translator& translator, const TestSet& test, const EvaluateOptions& options) {
  check<InputError>(
      test.sources.size() == test.references.size() && (test.gold.empty() || test.gold.size() == test.sources.size()),
      "a test set of {} sources, {} references and {} gold alignments", test.sources.size(), test.references.size(),
      test.gold.size());
  check<InputError>(test.translations.empty() || test.translations.size() == test.sources.size(),
                    "{} translations of {} sources", test.translations.size(), test.sources.size());
  const model::Model& model = translator.model();
  Evaluation result;
  result.system = model.config().system;
  result.parameters = model.parameters().count();
  translate(result, translator, test, options);
  score(result, translator.pipeline().config(), test, options);
  if (options.translate.search.shortlist && translator.has_shortlist())
    result.shortlist = shortlist_use(translator, test);

  const bool aligns = !test.gold.empty() && model.config().attends();
  translate::ScoreOptions scoring{.attention = aligns,
                                  .batch = static_cast<std::size_t>(options.translate.batch),
                                  .threads = worker_count(options.translate.threads),
                                  .on_progress = options.on_scored};
  auto scored = translator.score(test.sources, test.references, scoring);
  result.perplexity = perplexity_of(scored);
  if (!aligns) return result;
  // Perplexity uses the model's own tokens; the gold links may count other words.
  scoring.pretokenized = test.pretokenized;
  if (test.pretokenized) scored = translator.score(test.sources, test.references, scoring);
  const alignment::LinkWords words(translator.pipeline().config(), test.pretokenized);
  result.alignment = score_alignments(align_pairs(scored, test.sources, test.references, words), test.gold);
  return result;
}

Evaluation evaluate_file(translate::Translator& translator, const std::string& path, const TestSet& test,
                         const EvaluateOptions& options) {
  Evaluation result = evaluate(translator, test, options);
  result.name = model::model_title(path);
  result.file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(model::model_path(path)));
  return result;
}

}  // namespace heed::evaluate
