#include "viz/step_page.h"

#include <algorithm>

#include "base/error.h"
#include "viz/label.h"
#include "viz/page.h"

namespace heed::viz {
namespace {

// What the page needs of a vector: its size and its first numbers.
Json vector_json(const std::vector<float>& vector) {
  if (vector.empty()) return nullptr;
  const auto shown = static_cast<std::ptrdiff_t>(std::min(vector.size(), kShownComponents));
  return {{"size", vector.size()}, {"first", short_numbers({vector.begin(), vector.begin() + shown})}};
}

Json step_json(const StepPage::Step& step) {
  Json choices = Json::array();
  for (const StepPage::Choice& choice : step.choices)
    choices.push_back({{"word", clean_label(choice.word)}, {"probability", choice.probability}});
  return {{"input", clean_label(step.input)},
          {"embedding", vector_json(step.embedding)},
          {"before", vector_json(step.before)},
          {"state", vector_json(step.state)},
          {"scores", step.scores.empty() ? Json() : short_numbers(step.scores)},
          {"context", vector_json(step.context)},
          {"readout", vector_json(step.readout)},
          {"word", clean_label(step.word)},
          {"probability", step.probability},
          {"choices", choices}};
}

Heatmap heatmap_of(const StepPage::Model& model, std::size_t index) {
  const StepPage::Hypothesis& hypothesis = model.hypotheses[index];
  Heatmap map;
  map.title = model.title;
  map.source = model.source;
  for (const StepPage::Step& step : hypothesis.steps) {
    map.target.push_back(step.word);
    map.weights.insert(map.weights.end(), step.weights.begin(), step.weights.end());
  }
  if (index == 0) map.gold = model.gold;
  return map;
}

Json model_json(const StepPage::Model& model) {
  check(!model.hypotheses.empty(), "a model without a translation has no steps to show");
  Json encoder = Json::array(), hypotheses = Json::array();
  for (const std::vector<float>& state : model.encoder) encoder.push_back(vector_json(state));
  for (std::size_t i = 0; i < model.hypotheses.size(); ++i) {
    Json steps = Json::array();
    for (const StepPage::Step& step : model.hypotheses[i].steps) steps.push_back(step_json(step));
    hypotheses.push_back({{"text", clean_label(model.hypotheses[i].text)},
                          {"score", model.hypotheses[i].score},
                          {"steps", steps},
                          {"map", heatmap_json(heatmap_of(model, i))}});
  }
  return {{"title", clean_label(model.title)},
          {"summary", model.summary},
          {"place", model.place},
          {"score", model.score},
          {"formula", model.formula},
          {"cell", model.cell},
          {"input", model.input},
          {"readout", model.readout},
          {"readout_layer", model.readout_layer},
          {"encoder", encoder},
          {"hypotheses", hypotheses}};
}

}  // namespace

std::string step_page(const StepPage& page) {
  check(!page.models.empty(), "a page without a model has nothing to show");
  Json models = Json::array();
  for (const StepPage::Model& model : page.models) models.push_back(model_json(model));
  return make_page("Attention, step by step",
                   fmt::format("This page plays how a model translates a sentence: “{}”. It needs scripts to run.",
                               clean_label(page.sentence)),
                   {"step"}, {{"sentence", clean_label(page.sentence)}, {"models", models}});
}

}  // namespace heed::viz
