#include "viz/compare_page.h"

#include "base/error.h"
#include "viz/heatmap.h"
#include "viz/label.h"
#include "viz/page.h"

namespace heed::viz {
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
    for (std::size_t i = 0; i < page.models.size(); ++i) {
      const auto& [text, attention] = sentence.translations[i];
      const ComparePage::Model& model = page.models[i];
      translations.push_back(
          {{"text", clean_label(text)}, {"map", heatmap_json_if_small({model.title, model.subtitle, attention, {}})}});
    }
    sentences.push_back({{"source", clean_label(sentence.source)},
                         {"reference", clean_label(sentence.reference)},
                         {"translations", translations}});
  }
  return make_page({.title = page.title,
                    .lead = "This page compares translation models trained with heed. It needs JavaScript.",
                    .script = "compare",
                    .data = {{"title", clean_label(page.title)},
                             {"columns", page.columns},
                             {"models", models},
                             {"notes", page.notes},
                             {"sentences", sentences}}});
}

}  // namespace heed::viz
