// The C API: translators and translating.
#include <cmath>

#include "api/c/objects.h"
#include "api/c/support.h"

namespace heed::api {

std::vector<heed_link> to_c(const Alignment& links) {
  std::vector<heed_link> all;
  all.reserve(links.size());
  for (const Link& link : links) all.push_back({link.source, link.target, link.sure ? 1 : 0});
  return all;
}

namespace {

heed_status open(const std::vector<std::string>& models, const heed_translator_options* options,
                 heed_translator** translator) {
  require(translator, "translator");
  const auto o = read_options(options, "heed_translator_options");
  Translator opened(models, {o.threads, o.copy != 0});
  std::string system = opened.system(), source = opened.source_language(), target = opened.target_language();
  publish(std::make_shared<TranslatorObject>(
              TranslatorObject{std::move(opened), std::move(system), std::move(source), std::move(target)}),
          translator);
  return HEED_OK;
}

TranslateOptions translate_options(const heed_translate_options& o, std::size_t count) {
  TranslateOptions options;
  options.beam = o.beam;
  options.nbest = o.nbest == 0 ? 1 : o.nbest;
  options.attention = o.attention != 0;
  options.alignment = o.alignment != 0;
  options.warnings = o.warnings != 0;
  if (o.prefixes != nullptr) options.prefixes = to_strings(o.prefixes, count, "prefixes");
  options.settings = to_settings(o.settings);
  return options;
}

}  // namespace
}  // namespace heed::api

using namespace heed::api;

const char* heed_version(void) {
  return heed::version();
}

heed_status heed_translator_open(const char* model, const heed_translator_options* options,
                                 heed_translator** translator, heed_error* error) {
  return run(error, [&] {
    require(model, "model");
    return open({model}, options, translator);
  });
}

heed_status heed_ensemble_open(const char* const* models, size_t count, const heed_translator_options* options,
                               heed_translator** translator, heed_error* error) {
  return run(error, [&] { return open(to_strings(models, count, "models"), options, translator); });
}

void heed_translator_free(heed_translator* translator) {
  release<TranslatorObject>(translator);
}

heed_status heed_translator_info(heed_translator* translator, heed_model_info* info, heed_error* error) {
  return run(error, [&] {
    const auto object = find<TranslatorObject>(translator, "the translator");
    write_result(
        info,
        {sizeof *info, object->system.c_str(), object->source_language.c_str(), object->target_language.c_str(),
         object->translator.parameters(), object->translator.has_attention() ? 1 : 0},
        "heed_model_info");
    return HEED_OK;
  });
}

heed_status heed_translate(heed_translator* translator, const char* const* lines, size_t count,
                           const heed_translate_options* options, heed_results** results, heed_error* error) {
  return run(error, [&] {
    const auto object = find<TranslatorObject>(translator, "the translator");
    require(results, "results");
    const auto o = read_options(options, "heed_translate_options");
    const std::vector<std::string> text = to_strings(lines, count, "lines");
    heed::TranslateOptions settled = translate_options(o, count);
    bool stopped = false;
    if (o.progress != nullptr)
      settled.on_progress = [&](std::size_t done, std::size_t all) {
        stopped = stopped || o.progress(done, all, o.user) == 0;
        return !stopped;
      };
    publish(std::make_shared<ResultsObject>(object->translator.translate(text, settled)), results);
    return stopped ? fail(error, HEED_STOPPED, "the callback stopped the translation") : HEED_OK;
  });
}

heed_status heed_score_pairs(heed_translator* translator, const char* const* sources, const char* const* targets,
                             size_t count, int attention, heed_results** results, heed_error* error) {
  return run(error, [&] {
    const auto object = find<TranslatorObject>(translator, "the translator");
    require(results, "results");
    const std::vector<std::string> source = to_strings(sources, count, "sources");
    const std::vector<std::string> target = to_strings(targets, count, "targets");
    heed::ScoreOptions options;
    options.attention = attention != 0;
    std::vector<heed::ScoredPair> scored = object->translator.score(source, target, options);
    std::vector<heed::TranslatedLine> all(count);
    for (std::size_t i = 0; i < count; ++i) {
      all[i].too_long = scored[i].too_long;
      if (scored[i].too_long) continue;
      heed::Translation translation;
      translation.text = target[i];
      translation.log_probability = scored[i].log_probability();
      translation.score = translation.log_probability / static_cast<double>(scored[i].log_probabilities.size());
      for (const float value : scored[i].log_probabilities) translation.probabilities.push_back(std::exp(value));
      translation.attention = std::move(scored[i].attention);
      all[i].translations.push_back(std::move(translation));
    }
    publish(std::make_shared<ResultsObject>(std::move(all)), results);
    return HEED_OK;
  });
}
