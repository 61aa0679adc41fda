#include "viz/compare_page.h"

#include <algorithm>

#include "base/error.h"
#include "viz/heatmap.h"
#include "viz/label.h"
#include "viz/page.h"

namespace heed::viz {
namespace {

Json models_json(const ComparePage& page) {
  Json models = Json::array();
  for (const ComparePage::Model& model : page.models) {
    check(model.figures.size() == page.columns.size(), "{} has {} figures for {} columns", model.title,
          model.figures.size(), page.columns.size());
    Json figures = Json::array();
    for (const auto& [text, best, differs] : model.figures)
      figures.push_back({{"text", text}, {"best", best}, {"differs", differs}});
    models.push_back(
        {{"title", clean_label(model.title)}, {"subtitle", printable(model.subtitle)}, {"figures", figures}});
  }
  return models;
}

Json metrics_json(const ComparePage& page) {
  const auto interval = [](const ComparePage::Interval& i) { return Json{i.value, i.low, i.high}; };
  Json metrics = Json::array();
  for (const ComparePage::Metric& metric : page.metrics) {
    check(metric.results.size() == page.models.size(), "{} has {} results of {} models", metric.label,
          metric.results.size(), page.models.size());
    Json results = Json::array();
    for (const ComparePage::Result& result : metric.results)
      results.push_back({{"score", interval(result.score)},
                         {"difference", result.difference ? interval(*result.difference) : Json()},
                         {"bootstrap_p", result.bootstrap_p},
                         {"randomization_p", result.randomization_p},
                         {"differs", result.differs}});
    metrics.push_back({{"label", metric.label}, {"signature", metric.signature}, {"results", results}});
  }
  return metrics;
}

Json sentences_json(const ComparePage& page) {
  const auto tokenizer = text::make_tokenizer({.kind = "words", .language = page.language});
  Json sentences = Json::array();
  for (const ComparePage::Sentence& sentence : page.sentences) {
    check(sentence.translations.size() == page.models.size(), "a sentence has {} translations by {} models",
          sentence.translations.size(), page.models.size());
    const std::vector<text::Token> source = tokenizer->tokenize(sentence.source);
    Json translations = Json::array();
    for (std::size_t i = 0; i < page.models.size(); ++i) {
      const auto& [text, attention] = sentence.translations[i];
      text::AttentionMatrix words = attention;
      if (attention.has_weights()) words = by_words(attention, source, tokenizer->tokenize(text));
      translations.push_back(
          {{"text", clean_label(text)}, {"map", heatmap_json_if_small({page.models[i].title, "", words, {}})}});
    }
    sentences.push_back({{"source", clean_label(sentence.source)},
                         {"reference", clean_label(sentence.reference)},
                         {"translations", translations}});
  }
  return sentences;
}

}  // namespace

std::string compare_page(const ComparePage& page) {
  Json facts = Json::array();
  for (const auto& [name, text] : page.facts) facts.push_back({clean_label(name), clean_label(text)});
  std::vector<std::string> notes;
  for (const std::string& note : page.notes) notes.push_back(clean_label(note));
  return make_page({.title = page.title,
                    .lead = "This page compares translation models trained with heed. It needs JavaScript.",
                    .scripts = {"heatmap", "compare"},
                    .data = {{"title", clean_label(page.title)},
                             {"facts", facts},
                             {"columns", page.columns},
                             {"models", models_json(page)},
                             {"metrics", metrics_json(page)},
                             {"notes", notes},
                             {"lowercase", page.lowercase},
                             {"sentences", sentences_json(page)}}});
}

}  // namespace heed::viz
