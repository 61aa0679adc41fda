#include "inspect/attend_views.h"

#include <algorithm>

#include "base/numbers.h"
#include "inspect/describe.h"
#include "inspect/trace.h"
#include "model/attention.h"
#include "text/attention_json.h"
#include "viz/label.h"
#include "viz/page.h"

namespace heed::inspect {
namespace {

using viz::clean_label;

const model::ModelConfig& config_of(const AttendedModel& model) {
  return model.translator->model().config();
}

// The stripes of a linear score look like a mistake; the remark says that they are not.
std::string remark_on(const model::ModelConfig& config) {
  return config.attends() ? std::string(score_kind(config.attention.score).remark) : "";
}

// The size of a vector and its first elements.
Json vector_json(std::span<const float> vector) {
  if (vector.empty()) return nullptr;
  return {{"size", vector.size()},
          {"first", viz::short_numbers(vector.first(std::min(vector.size(), kShownComponents)))}};
}

Json step_json(const search::TraceStep& step, const text::Vocabulary& words) {
  const auto label = [&](Id id) { return clean_label(words.word(id)); };
  Json choices = Json::array();
  for (const search::TraceStep::Choice& choice : step.choices)
    choices.push_back({{"word", label(choice.word)}, {"probability", choice.probability}});
  return {{"input", label(step.input)},
          {"embedding", vector_json(step.embedding)},
          {"before", vector_json(step.before)},
          {"state", vector_json(step.state)},
          {"scores", step.scores.empty() ? Json() : viz::short_numbers(step.scores)},
          {"context", vector_json(step.context)},
          {"readout", vector_json(step.readout)},
          {"word", label(step.written.word)},
          {"probability", step.written.probability},
          {"choices", choices}};
}

Json translation_json(const translate::Translation& translation, const AttendedModel& model) {
  check(translation.trace.size() == translation.attention.target.size(), "a trace of {} steps for {} words",
        translation.trace.size(), translation.attention.target.size());
  Json steps = Json::array();
  for (const search::TraceStep& step : translation.trace)
    steps.push_back(step_json(step, model.translator->pipeline().target()));
  return {{"text", clean_label(translation.text)},
          {"score", translation.score},
          {"steps", steps},
          {"map", viz::heatmap_json({.title = config_of(model).system, .attention = translation.attention})}};
}

}  // namespace

// For step.js: "place" is where attention is computed, or the kind of context without attention; "formula" is the
// equation of the attention score.

Json trace_json(const AttendedModel& model) {
  const model::ModelConfig& config = config_of(model);
  Json encoder = Json::array(), hypotheses = Json::array();
  for (const std::vector<float>& state : model.line.encoder_states) encoder.push_back(vector_json(state));
  for (const translate::Translation& translation : model.line.translations)
    hypotheses.push_back(translation_json(translation, model));
  return {{"title", clean_label(config.system)},
          {"summary", fmt::format("{}; {}; {} parameters", describe(config.encoder), describe(config.decoder),
                                  grouped(model.translator->model().parameters().count()))},
          {"place", config.attends() ? enum_name(config.attention.position) : enum_name(config.attention.score)},
          {"formula", score_kind(config.attention.score).equation},
          {"remark", remark_on(config)},
          {"cell", enum_name(config.decoder.cell)},
          {"input", enum_list(config.decoder.input)},
          {"readout", enum_list(config.readout.parts)},
          {"readout_layer", config.readout.tanh},
          {"encoder", encoder},
          {"hypotheses", hypotheses}};
}

std::vector<viz::Heatmap> heatmaps(const AttendedSentence& seen, const AttendedModel& model, std::size_t index) {
  const model::ModelConfig& config = config_of(model);
  const translate::Translation& translation = model.line.translations[index];
  viz::Heatmap first{.subtitle = remark_on(config), .links = seen.links};
  if (seen.models.size() > 1) {
    first.title = config.system;
    if (first.subtitle.empty()) first.subtitle = describe_attention(config);
  }
  if (seen.options.translate.search.nbest > 1)
    first.subtitle = fmt::format("{:.3f}  {}", translation.score, translation.text);
  std::vector<viz::Heatmap> maps(std::max<std::size_t>(model.line.chunks.size(), 1), first);
  maps[0].attention = translation.attention;
  for (std::size_t i = 0; i < model.line.chunks.size(); ++i)
    maps[i].attention = model.line.chunks[i].translations[index].attention;
  return maps;
}

std::vector<viz::Heatmap> heatmaps(const AttendedSentence& seen) {
  std::vector<viz::Heatmap> all;
  for (const AttendedModel& model : seen.models)
    for (std::size_t i = 0; i < model.line.translations.size(); ++i)
      std::ranges::move(heatmaps(seen, model, i), std::back_inserter(all));
  return all;
}

Json to_json(const AttendedSentence& seen) {
  Json all = Json::array();
  for (const AttendedModel& model : seen.models) {
    for (std::size_t i = 0; i < model.line.translations.size(); ++i) {
      const translate::Translation& translation = model.line.translations[i];
      Json json = attention_json(translation.attention);
      json["text"] = seen.text;
      json["translation"] = translation.text;
      json["score"] = translation.score;
      json["log_probability"] = translation.log_probability;
      json["model"] = model.path;
      json["system"] = config_of(model).system;
      for (const translate::LineResult& chunk : model.line.chunks)
        json["pieces"].push_back(attention_json(chunk.translations[i].attention));
      all.push_back(std::move(json));
    }
  }
  return all.size() == 1 && seen.models.size() == 1 && seen.options.translate.search.nbest == 1 ? all.front() : all;
}

std::string step_page(const AttendedSentence& seen) {
  Json models = Json::array();
  for (const AttendedModel& model : seen.models) {
    check<UsageError>(model.line.chunks.empty(),
                      "a page cannot show a sentence that has more tokens than {} reads at once", model.path);
    models.push_back(trace_json(model));
  }
  return viz::make_page(
      {.title = "Attention, step by step",
       .lead = fmt::format("How a model translates the sentence “{}”, step by step. This page needs JavaScript.",
                           clean_label(seen.text)),
       .scripts = {"heatmap", "step"},
       .data = {{"sentence", clean_label(seen.text)}, {"models", models}}});
}

}  // namespace heed::inspect
