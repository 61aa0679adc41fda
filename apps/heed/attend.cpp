#include "attend.h"

#include "inspect/describe.h"
#include "text/encode.h"
#include "translate/translate_options.h"

namespace heed::cli {
namespace {

std::string place_of(const ModelConfig& config) {
  return config.attends() ? enum_name(config.attention.place) : enum_name(config.attention.score);
}

viz::StepPage::Step step_of(const TraceStep& step, const Vocabulary& words) {
  viz::StepPage::Step shown{.input = words.word(step.input),
                            .embedding = step.embedding,
                            .before = step.before,
                            .state = step.state,
                            .scores = step.scores,
                            .weights = step.weights,
                            .context = step.context,
                            .readout = step.readout,
                            .word = words.word(step.written.word),
                            .probability = step.written.probability,
                            .choices = {}};
  for (const TraceStep::Choice& choice : step.choices)
    shown.choices.push_back({words.word(choice.word), choice.probability});
  return shown;
}

}  // namespace

AttendedSentence attend(const std::string& path, const std::string& sentence, const AttendOptions& options) {
  ModelFile file = load_model(path);
  AttendedSentence result{.path = path,
                          .model = nullptr,
                          .pipeline = std::make_unique<TextPipeline>(read_pipeline(file, path)),
                          .tokens = {},
                          .source = {},
                          .hypotheses = {},
                          .encoder_states = {},
                          .translations = {}};
  result.model = std::move(file.model);
  const TextPipeline& pipeline = *result.pipeline;
  result.tokens = pipeline.source_tokeniser().tokenise(sentence);
  check<UsageError>(!result.tokens.empty(), "the sentence has no words");
  encode_tokens(result.tokens, pipeline.source(), result.source);

  std::vector<Id> target;
  if (options.target) encode_tokens(pipeline.target_tokeniser().tokenise(*options.target), pipeline.target(), target);
  Search search(*result.model);
  SearchJob job{.source = result.source, .prefix = target, .options = options.search};
  job.max_length = max_length({}, result.source.size());
  SearchResult found = std::move(search.run(std::span(&job, 1)).front());
  result.hypotheses = std::move(found.hypotheses);
  result.encoder_states = std::move(found.encoder_states);
  for (const Hypothesis& hypothesis : result.hypotheses)
    result.translations.push_back(make_translation(pipeline, result.tokens, hypothesis, {}));
  file.check_unchanged();
  return result;
}

viz::Heatmap heatmap_of(const AttentionMatrix& map) {
  viz::Heatmap heatmap;
  heatmap.source = token_texts(map.source);
  heatmap.target = token_texts(map.target);
  heatmap.weights = map.weights;
  return heatmap;
}

viz::StepPage::Model step_model(const AttendedSentence& sentence) {
  const ModelConfig& config = sentence.model->config();
  viz::StepPage::Model page{
      .title = config.system,
      .summary = fmt::format("{}; {}; {} parameters", describe(config.encoder), describe(config.decoder),
                             grouped(sentence.model->parameters().count())),
      .place = place_of(config),
      .score = enum_name(config.attention.score),
      .formula = std::string(score_kind(config.attention.score).equation),
      .cell = enum_name(config.decoder.cell),
      .input = enum_list(config.decoder.input),
      .readout = enum_list(config.readout.parts),
      .readout_layer = config.readout.tanh,
      .source = {},
      .encoder = sentence.encoder_states,
      .hypotheses = {},
      .gold = {}};
  for (const Token& token : sentence.translations.front().attention.source) page.source.push_back(token.text);
  for (std::size_t i = 0; i < sentence.hypotheses.size(); ++i) {
    viz::StepPage::Hypothesis& shown = page.hypotheses.emplace_back();
    shown.text = sentence.translations[i].text;
    shown.score = sentence.translations[i].score;
    for (const TraceStep& step : sentence.hypotheses[i].trace)
      shown.steps.push_back(step_of(step, sentence.pipeline->target()));
  }
  return page;
}

}  // namespace heed::cli
