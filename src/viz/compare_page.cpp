#include "viz/compare_page.h"

#include <algorithm>

#include "base/error.h"
#include "viz/heatmap.h"
#include "viz/label.h"
#include "viz/page.h"

namespace heed::viz {
namespace {

Json translation_json(const ComparePage::Translation& translation, const ComparePage::Model& model) {
  const text::AttentionMatrix& attention = translation.attention;
  const bool drawn = std::max(attention.source.size(), attention.target.size()) <= kMaxHeatmapWords;
  return {{"text", clean_label(translation.text)},
          {"map", drawn ? heatmap_json({model.title, model.subtitle, attention, {}}) : Json()}};
}

}  // namespace

std::string compare_page(const ComparePage& page) {
  Json models = Json::array(), sentences = Json::array();
  for (const ComparePage::Model& model : page.models) {
    check(model.figures.size() == page.columns.size(), "{} has {} figures for {} columns", model.title,
          model.figures.size(), page.columns.size());
    models.push_back({{"title", clean_label(model.title)}, {"subtitle", model.subtitle}, {"figures", model.figures}});
  }
  for (const ComparePage::Sentence& sentence : page.sentences) {
    check(sentence.translations.size() == page.models.size(), "a sentence has {} translations by {} models",
          sentence.translations.size(), page.models.size());
    Json translations = Json::array();
    for (std::size_t i = 0; i < page.models.size(); ++i)
      translations.push_back(translation_json(sentence.translations[i], page.models[i]));
    sentences.push_back({{"source", clean_label(sentence.source)},
                         {"reference", clean_label(sentence.reference)},
                         {"translations", translations}});
  }
  return make_page({.title = page.title,
                    .lead = "This page compares translation models of heed. It needs scripts to run.",
                    .script = "compare",
                    .data = {{"title", clean_label(page.title)},
                             {"columns", page.columns},
                             {"models", models},
                             {"notes", page.notes},
                             {"sentences", sentences}}});
}

}  // namespace heed::viz
