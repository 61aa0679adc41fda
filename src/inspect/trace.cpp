#include "inspect/trace.h"

#include "base/utf8.h"
#include "search/what_if.h"
#include "translate/translate_job.h"

namespace heed::inspect {
namespace {

Id token_id(const text::Vocabulary& words, const std::string& token, Index step) {
  if (token == words.word(words.special().eos)) return words.special().eos;
  check<UsageError>(words.contains(token), "step {}: the model has no token {}", step, in_quotes(token));
  return words.id(token);
}

}  // namespace

translate::LineResult trace(const translate::Translator& translator, const TraceRequest& request) {
  const translate::TextPipeline& pipeline = translator.pipeline();
  check_options(request.translate, translator.has_attention());
  const translate::TranslateRequest line{.text = request.text, .stop = request.stop, .deadline = request.deadline};
  std::vector<translate::TranslateJob> jobs =
      make_jobs(pipeline, line, request.translate, translator.max_source_tokens(request.translate));
  check<UsageError>(jobs.size() == 1 && jobs.front().has_words,
                    "a trace needs a sentence with words and at most {} tokens",
                    translator.max_source_tokens(request.translate));
  search::Changes changes{
      .words = {}, .weights = request.weights, .masked = request.masked, .temperature = request.temperature};
  for (const auto& [step, token] : request.words) changes.words[step] = token_id(pipeline.target(), token, step);
  search::SearchResult found = search_with(translator.model(), jobs.front().search_job(), changes);
  if (found.stopped) return {};
  jobs.front().set_result(std::move(found), pipeline);
  return join_jobs(std::move(jobs));
}

}  // namespace heed::inspect
