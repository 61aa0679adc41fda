#include "train/validation.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/enum_names.h"
#include "base/parallel.h"
#include "metrics/metric.h"
#include "translate/translator.h"

namespace heed::train {
namespace {

constexpr std::size_t kBatch = 64;  // sentences: enough for matrix products at full speed

// In the order of ValidationMetric.
struct MetricRow {
  const char* name;
  double Validation::*value;
  const char* about;
  double one_percent;  // in the metric's unit; 0: it is not a score
  bool lower_is_better = false;
};
constexpr MetricRow kMetrics[] = {
    {"perplexity", &Validation::perplexity, "exp of the loss per token of the references; lower is better", 0, true},
    {"accuracy", &Validation::accuracy, "fraction of tokens predicted correctly, given the reference up to them", 0.01},
    {"bleu", &Validation::bleu, "BLEU of the translations", 1},
    {"chrf", &Validation::chrf, "chrF of the translations", 1},
    {"exact", &Validation::exact, "fraction of translations equal to the reference", 0.01}};

const MetricRow& row_of(ValidationMetric metric) {
  return kMetrics[static_cast<std::size_t>(metric)];
}

// Teacher-forced perplexity and accuracy. Batches are added in their order, whichever worker computed them.
void score_references(const model::Model& model, const data::ExampleStore& examples, ThreadPool& pool,
                      Validation& result) {
  struct Sum {
    double loss = 0, hits = 0;
  };
  std::vector<std::unique_ptr<autograd::Tape>> tapes;  // one per worker
  for (int i = 0; i < pool.size(); ++i) tapes.push_back(std::make_unique<autograd::Tape>(model.parameters(), nullptr));
  std::vector<Sum> sums((examples.size() + kBatch - 1) / kBatch);
  parallel_for(pool, sums.size(), [&](int worker, std::size_t batch) {
    autograd::Tape& tape = *tapes[static_cast<std::size_t>(worker)];
    std::vector<Ids> source, target;
    for (std::size_t i = batch * kBatch; i < std::min((batch + 1) * kBatch, examples.size()); ++i) {
      source.push_back(examples.source(i));
      target.push_back(examples.target(i));
    }
    tape.clear(autograd::Tape::Mode::forward_only);
    const model::BatchLoss forced = model.loss(tape, {source, target}, {});
    const Ids words = packed_words(tape.arena(), forced.target, target), likeliest = model.predictions(tape, forced);
    sums[batch].loss = forced.loss;
    for (std::size_t i = 0; i < words.size(); ++i) sums[batch].hits += words[i] == likeliest[i] ? 1 : 0;
  });
  Sum all;
  for (const Sum& sum : sums) all.loss += sum.loss, all.hits += sum.hits;
  const auto tokens = static_cast<double>(examples.target_tokens());
  result.perplexity = std::exp(all.loss / tokens);
  result.accuracy = all.hits / tokens;
}

std::unique_ptr<metrics::Metric> make_metric(const char* name, bool lowercase) {
  return metrics::make_metric(name, {.lowercase = lowercase});
}

}  // namespace

std::string bleu_signature(const text::TextConfig& config) {
  return metrics::signature(*make_metric("bleu", config.writes_lower_case()), 1);
}

std::vector<std::string> enum_names(ValidationMetric) {
  return row_names(kMetrics);
}

std::vector<std::string> enum_about(ValidationMetric) {
  return row_lines(kMetrics);
}

bool is_better(ValidationMetric metric, double value, double than) {
  return row_of(metric).lower_is_better ? value < than : value > than;
}

bool is_near_zero(ValidationMetric metric, double value) {
  return value < row_of(metric).one_percent;
}

double Validation::value(ValidationMetric metric) const {
  return this->*row_of(metric).value;
}

Validation validate_model(const model::Model& model, const translate::TextPipeline& pipeline,
                          const ValidationText& text, std::size_t sentences, std::size_t samples, ThreadPool& pool) {
  Validation result;
  score_references(model, text.examples, pool, result);
  result.sentences = sentences == 0 ? text.sources.size() : std::min(sentences, text.sources.size());
  std::vector<std::string> sources, hypotheses;
  metrics::References references(1);
  for (std::size_t k = 0; k < result.sentences; ++k) {
    const std::size_t i = text.spread ? k * text.sources.size() / result.sentences : k;
    sources.push_back(text.sources[i]);
    references[0].push_back(text.references[i]);
  }
  translate::Translator translator(model, pipeline);
  const auto translated =
      translator.translate(sources, {.search = {.beam = 1}, .batch = static_cast<int>(kBatch), .threads = pool.size()});
  for (const translate::LineResult& line : translated) hypotheses.push_back(line.best().text);
  const bool lowercase = !text.normalized && pipeline.config().writes_lower_case();
  result.bleu = metrics::corpus_score(*make_metric("bleu", lowercase), hypotheses, references);
  result.chrf = metrics::corpus_score(*make_metric("chrf", lowercase), hypotheses, references);
  const auto exact = sentence_statistics(*make_metric("exact", lowercase), hypotheses, references).sums();
  double equal = exact[0];
  if (text.normalized) {
    equal = 0;
    for (std::size_t i = 0; i < hypotheses.size(); ++i)
      equal += pipeline.target_tokenizer().same_words(hypotheses[i], references[0][i]) ? 1 : 0;
  }
  result.exact = equal / static_cast<double>(result.sentences);
  samples = std::min(samples, result.sentences);
  for (std::size_t k = 0; k < samples; ++k) {
    const std::size_t i = k * result.sentences / samples;
    result.samples.push_back({sources[i], references[0][i], translated[i].best().text, translated[i].best().attention});
  }
  return result;
}

}  // namespace heed::train
