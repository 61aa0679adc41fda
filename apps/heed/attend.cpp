#include "attend.h"

#include "inspect/describe.h"
#include "inspect/trace.h"
#include "text/encode.h"

namespace heed::cli {
namespace {

std::string place_of(const ModelConfig& config) {
  return config.attends() ? config.attention.place : config.attention.score;
}

viz::StepPage::Step step_of(const DecoderTrace::Step& step, const Vocabulary& words) {
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
  for (const DecoderTrace::Choice& choice : step.choices)
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
                          .translations = {}};
  result.model = std::move(file.model);
  const TextPipeline& pipeline = *result.pipeline;
  result.tokens = pipeline.source_tokeniser().tokenise(sentence);
  check<UsageError>(!result.tokens.empty(), "the sentence has no words");
  encode_tokens(result.tokens, pipeline.source(), result.source);

  std::vector<Id> target;
  if (options.target) encode_tokens(pipeline.target_tokeniser().tokenise(*options.target), pipeline.target(), target);
  Search search(*result.model);
  const SearchJob job{
      .source = result.source, .prefix = target, .max_length = 2 * static_cast<Index>(result.source.size()) + 10};
  result.hypotheses = search.run(std::span(&job, 1), options.search).front();
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
  constexpr Index kChoices = 6;
  const ModelConfig& config = sentence.model->config();
  viz::StepPage::Model page{
      .title = config.system,
      .summary = fmt::format("{}; {}; {} parameters", describe(config.encoder), describe(config.decoder),
                             grouped(sentence.model->parameters().count())),
      .place = place_of(config),
      .score = config.attention.score,
      .formula = score_equation(config.attention.score),
      .cell = config.decoder.cell,
      .input = config.decoder.input,
      .readout = config.readout.parts,
      .readout_layer = config.readout.tanh,
      .source = {},
      .encoder = {},
      .hypotheses = {},
      .gold = {}};
  for (const Token& token : sentence.translations.front().attention.source) page.source.push_back(token.text);
  for (std::size_t i = 0; i < sentence.hypotheses.size(); ++i) {
    DecoderTrace trace = trace_decoder(*sentence.model, sentence.source, sentence.hypotheses[i].words, kChoices);
    viz::StepPage::Hypothesis& shown = page.hypotheses.emplace_back();
    shown.text = sentence.translations[i].text;
    shown.score = sentence.translations[i].score;
    for (const DecoderTrace::Step& step : trace.steps)
      shown.steps.push_back(step_of(step, sentence.pipeline->target()));
    if (i == 0) page.encoder = std::move(trace.encoder);
  }
  return page;
}

}  // namespace heed::cli
