// The C API: what a translation returned.
#include "api/c/objects.h"
#include "api/c/support.h"

namespace heed::api {
namespace {

std::vector<heed_token> to_c(const std::vector<Token>& tokens) {
  std::vector<heed_token> all;
  all.reserve(tokens.size());
  for (const Token& token : tokens) all.push_back({token.text.c_str(), token.begin, token.end});
  return all;
}

const TranslatedLine& line_of(const ResultsObject& results, std::size_t line) {
  check<UsageError>(line < results.lines.size(), "line {} of the results, which have {} lines", line,
                    results.lines.size());
  return results.lines[line];
}

const Translation& translation_of(const ResultsObject& results, std::size_t line, std::size_t index) {
  const TranslatedLine& translated = line_of(results, line);
  check<UsageError>(index < translated.translations.size(), "translation {} of line {}, which has {} translations",
                    index, line, translated.translations.size());
  return translated.translations[index];
}

template <class T>
const T* data_or_null(const std::vector<T>& values) {
  return values.empty() ? nullptr : values.data();
}

}  // namespace

ResultsObject::ResultsObject(std::vector<TranslatedLine> translated) : lines(std::move(translated)) {
  views.resize(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (const Translation& translation : lines[i].translations)
      views[i].push_back({to_c(translation.attention.source), to_c(translation.attention.target),
                          heed::api::to_c(translation.alignment)});
}

}  // namespace heed::api

using namespace heed::api;

void heed_results_free(heed_results* results) {
  release<ResultsObject>(results);
}

heed_status heed_results_lines(heed_results* results, size_t* count, heed_error* error) {
  return run(error, [&] {
    const auto object = find<ResultsObject>(results, "the results");
    require(count, "count");
    *count = object->lines.size();
    return HEED_OK;
  });
}

heed_status heed_results_translations(heed_results* results, size_t line, size_t* count, heed_error* error) {
  return run(error, [&] {
    const auto object = find<ResultsObject>(results, "the results");
    require(count, "count");
    *count = line_of(*object, line).translations.size();
    return HEED_OK;
  });
}

heed_status heed_results_get(heed_results* results, size_t line, size_t index, heed_translation* translation,
                             heed_error* error) {
  return run(error, [&] {
    const auto object = find<ResultsObject>(results, "the results");
    const heed::Translation& from = translation_of(*object, line, index);
    const ResultsObject::View& view = object->views[line][index];
    write_result(translation,
                 {sizeof *translation, from.text.c_str(), from.score, from.log_probability, data_or_null(view.source),
                  view.source.size(), data_or_null(view.target), view.target.size(), data_or_null(from.probabilities),
                  data_or_null(from.attention.weights), data_or_null(view.links), view.links.size(),
                  from.attention.source_end ? 1 : 0, from.attention.target_end ? 1 : 0},
                 "heed_translation");
    return HEED_OK;
  });
}

heed_status heed_results_warnings(heed_results* results, size_t line, size_t* count, heed_error* error) {
  return run(error, [&] {
    const auto object = find<ResultsObject>(results, "the results");
    require(count, "count");
    *count = line_of(*object, line).warnings.size();
    return HEED_OK;
  });
}

heed_status heed_results_warning(heed_results* results, size_t line, size_t index, heed_warning* warning,
                                 heed_error* error) {
  return run(error, [&] {
    const auto object = find<ResultsObject>(results, "the results");
    const std::vector<heed::Warning>& warnings = line_of(*object, line).warnings;
    heed::check<heed::UsageError>(index < warnings.size(), "warning {} of line {}, which has {} warnings", index, line,
                                  warnings.size());
    const heed::Warning& from = warnings[index];
    write_result(warning,
                 {sizeof *warning, from.kind.c_str(), from.text.c_str(), from.in_source ? 1 : 0, from.begin, from.end},
                 "heed_warning");
    return HEED_OK;
  });
}

heed_status heed_results_svg(heed_results* results, size_t line, size_t index, const char* title, int numbers,
                             const char** svg, heed_error* error) {
  return run(error, [&] {
    const auto object = find<ResultsObject>(results, "the results");
    require(svg, "svg");
    heed::PictureOptions options;
    options.title = text_or(title, "");
    options.numbers = numbers != 0;
    auto picture =
        std::make_unique<std::string>(attention_svg(translation_of(*object, line, index).attention, options));
    const std::lock_guard lock(object->mutex);
    *svg = object->pictures.emplace_back(std::move(picture))->c_str();
    return HEED_OK;
  });
}
