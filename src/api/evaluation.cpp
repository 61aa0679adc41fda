#include "heed/evaluation.h"

#include <mutex>

#include "api/convert.h"
#include "api/guard.h"
#include "api/translator_impl.h"
#include "evaluate/evaluation.h"

namespace heed {

Evaluation evaluate_model(const Translator& translator, const std::vector<std::string>& sources,
                          const std::vector<std::string>& references, const EvaluateOptions& options) {
  api::CallbackException callback;
  Evaluation result = api::guarded([&] {
    evaluate::EvaluateOptions settled;
    settled.metrics = options.metrics;
    settled.metric.bleu_tokenizer = options.tokenizer;
    settled.lowercase = options.lowercase;
    settled.translate.search.beam = options.beam;
    settled.translate.threads = options.threads;
    settled.text_layer = options.text_layer;
    if (options.on_progress)
      settled.translate.on_progress = [&](std::size_t done, std::size_t all) {
        callback.run([&] { return options.on_progress(done, all), true; }, true);
        return true;  // a test set that is scored in part would be another one
      };
    const evaluate::TestSet test{.sources = sources,
                                 .references = references,
                                 .gold = api::to_internal(options.gold),
                                 .pretokenized = options.pretokenized};
    const std::lock_guard lock(translator.impl().mutex);
    evaluate::Evaluation evaluated = evaluate::evaluate(translator.impl().translator, test, settled);
    Evaluation converted;
    for (const metrics::CorpusScore& scored : evaluated.scores)
      converted.scores.push_back(api::to_public(scored, false));
    converted.translations = std::move(evaluated.translations);
    converted.exact = evaluated.exact;
    converted.perplexity = evaluated.perplexity.value;
    converted.tokens = evaluated.perplexity.tokens;
    converted.lowercase = evaluated.lowercase;
    converted.seconds = evaluated.seconds;
    converted.sentences_per_second = evaluated.sentences_per_second;
    if (evaluated.alignment) converted.alignment = api::to_public(*evaluated.alignment);
    return converted;
  });
  callback.rethrow();
  return result;
}

}  // namespace heed
