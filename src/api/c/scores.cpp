// The C API: word alignment, metrics and evaluation.
#include "api/c/objects.h"
#include "api/c/support.h"
#include "heed/evaluation.h"

using namespace heed::api;

heed_status heed_align(heed_translator* translator, const char* const* sources, const char* const* targets,
                       size_t count, const heed_align_options* options, heed_alignments** alignments,
                       heed_error* error) {
  return run(error, [&] {
    const auto object = translator == nullptr ? nullptr : find<TranslatorObject>(translator, "the translator");
    require(alignments, "alignments");
    const auto o = read_options(options, "heed_align_options");
    const std::vector<std::string> source = to_strings(sources, count, "sources");
    const std::vector<std::string> target = to_strings(targets, count, "targets");
    heed::AlignOptions settled;
    settled.pretokenized = o.pretokenized != 0;
    settled.threads = o.threads;
    settled.source_language = text_or(o.source_language, "");
    settled.target_language = text_or(o.target_language, "");
    settled.threshold = o.threshold;
    settled.shift = o.shift != 0;
    const heed::Alignments aligned =
        object ? object->translator.align(source, target, settled) : learn_alignments(source, target, settled);
    auto result = std::make_shared<AlignmentsObject>();
    for (const heed::Alignment& links : aligned.links) result->lines.push_back(to_c(links));
    publish(std::move(result), alignments);
    return HEED_OK;
  });
}

heed_status heed_alignments_get(heed_alignments* alignments, size_t line, const heed_link** links, size_t* count,
                                heed_error* error) {
  return run(error, [&] {
    const auto object = find<AlignmentsObject>(alignments, "the alignments");
    require(links, "links");
    require(count, "count");
    heed::check<heed::UsageError>(line < object->lines.size(), "line {} of the alignments, which have {} lines", line,
                                  object->lines.size());
    *links = object->lines[line].data();
    *count = object->lines[line].size();
    return HEED_OK;
  });
}

void heed_alignments_free(heed_alignments* alignments) {
  release<AlignmentsObject>(alignments);
}

heed_status heed_score(const char* const* translations, const char* const* references, size_t sets, size_t count,
                       const heed_score_options* options, heed_scores** scores, heed_error* error) {
  return run(error, [&] {
    require(scores, "scores");
    const auto o = read_options(options, "heed_score_options");
    const std::vector<std::string> text = to_strings(translations, count, "translations");
    std::vector<std::vector<std::string>> all;
    for (std::size_t r = 0; r < sets; ++r) {
      require(references, "references");
      all.push_back(to_strings(references + r * count, count, "references"));
    }
    heed::MetricOptions settled;
    if (o.metrics != nullptr) settled.metrics = to_strings(o.metrics);
    settled.lowercase = o.lowercase > 0;
    settled.settings = to_settings(o.settings);
    publish(std::make_shared<ScoresObject>(ScoresObject{score_translations(text, all, settled)}), scores);
    return HEED_OK;
  });
}

heed_status heed_evaluate(heed_translator* translator, const char* const* sources, const char* const* references,
                          size_t count, const heed_score_options* options, heed_scores** scores, heed_error* error) {
  return run(error, [&] {
    const auto object = find<TranslatorObject>(translator, "the translator");
    require(scores, "scores");
    const auto o = read_options(options, "heed_score_options");
    heed::EvaluateOptions settled;
    if (o.metrics != nullptr) settled.metrics = to_strings(o.metrics);
    if (o.lowercase != 0) settled.lowercase = o.lowercase > 0;
    if (o.beam != 0) settled.beam = o.beam;
    settled.text_layer = o.text_layer != 0;
    for (const auto& [name, value] : to_settings(o.settings)) {
      heed::check<heed::UsageError>(name == "tokenize", "heed_evaluate has no setting {}; it has only tokenize",
                                    heed::in_quotes(name));
      settled.tokenizer = value;
    }
    heed::Evaluation result = evaluate_model(object->translator, to_strings(sources, count, "sources"),
                                             to_strings(references, count, "references"), settled);
    heed::MetricScore exact, perplexity;
    exact.name = exact.label = "exact";
    exact.score = count == 0 ? 0 : 100 * static_cast<double>(result.exact) / static_cast<double>(count);
    perplexity.name = perplexity.label = "perplexity";
    perplexity.score = result.perplexity;
    perplexity.lower_is_better = true;
    result.scores.push_back(std::move(exact));
    result.scores.push_back(std::move(perplexity));
    publish(std::make_shared<ScoresObject>(ScoresObject{std::move(result.scores)}), scores);
    return HEED_OK;
  });
}

void heed_scores_free(heed_scores* scores) {
  release<ScoresObject>(scores);
}

heed_status heed_scores_count(heed_scores* scores, size_t* count, heed_error* error) {
  return run(error, [&] {
    const auto object = find<ScoresObject>(scores, "the scores");
    require(count, "count");
    *count = object->scores.size();
    return HEED_OK;
  });
}

heed_status heed_scores_get(heed_scores* scores, size_t index, heed_metric_score* score, heed_error* error) {
  return run(error, [&] {
    const auto object = find<ScoresObject>(scores, "the scores");
    heed::check<heed::UsageError>(index < object->scores.size(), "score {} of {}", index, object->scores.size());
    const heed::MetricScore& from = object->scores[index];
    write_result(score,
                 {sizeof *score, from.name.c_str(), from.label.c_str(), from.score, from.signature.c_str(),
                  from.details.c_str(), from.lower_is_better ? 1 : 0},
                 "heed_metric_score");
    return HEED_OK;
  });
}
