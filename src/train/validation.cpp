#include "train/validation.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "base/enum_names.h"
#include "base/json.h"
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

// Whether this rank computes work item `index`.
bool is_own(const Communicator& communicator, std::size_t index) {
  return index % static_cast<std::size_t>(communicator.size()) == static_cast<std::size_t>(communicator.rank());
}

// Teacher-forced perplexity and accuracy. Batches are added in order, whichever worker computed them.
void score_references(const model::Model& model, const data::ExampleStore& examples, ThreadPool& pool,
                      Communicator& communicator, Validation& result) {
  struct Sum {
    double loss = 0, hits = 0;
  };
  std::vector<std::unique_ptr<autograd::Tape>> tapes;  // one per worker
  for (int i = 0; i < pool.size(); ++i) tapes.push_back(std::make_unique<autograd::Tape>(model.parameters(), nullptr));
  std::vector<Sum> sums((examples.size() + kBatch - 1) / kBatch);
  parallel_for(pool, sums.size(), [&](int worker, std::size_t batch) {
    if (!is_own(communicator, batch)) return;
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
  const auto bytes = std::as_writable_bytes(std::span(sums));
  const auto own = reinterpret_cast<const char*>(bytes.data());
  const std::vector<std::string> ranks = gather(communicator, std::string(own, own + bytes.size()));
  if (!communicator.is_main()) return;
  Sum all;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    Sum sum;
    std::memcpy(&sum, ranks[i % ranks.size()].data() + i * sizeof sum, sizeof sum);
    all.loss += sum.loss, all.hits += sum.hits;
  }
  const auto tokens = static_cast<double>(examples.target_tokens());
  result.perplexity = std::exp(all.loss / tokens);
  result.accuracy = all.hits / tokens;
}

// Every rank translates some of the sentences. Returns all translations on rank 0, which translates the sampled
// sentences itself, so that attention need not be sent.
std::vector<Sample> translate_on_all_ranks(const model::Model& model, const translate::TextPipeline& pipeline,
                                           const std::vector<std::string>& sources,
                                           std::span<const std::size_t> sampled, ThreadPool& pool,
                                           Communicator& communicator) {
  std::vector<std::size_t> own;
  std::vector<std::string> own_sources;
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (std::ranges::binary_search(sampled, i) ? communicator.is_main() : is_own(communicator, i)) {
      own.push_back(i);
      own_sources.push_back(sources[i]);
    }
  translate::Translator translator(model, pipeline);
  const auto lines = translator.translate(
      own_sources, {.search = {.beam = 1}, .batch = static_cast<int>(kBatch), .threads = pool.size()});
  std::vector<Sample> translated(sources.size());
  Json texts = Json::array();
  for (std::size_t k = 0; k < own.size(); ++k) {
    const auto& best = lines[k].best();
    translated[own[k]] = {.translation = best.text, .attention = best.attention};
    texts.push_back({own[k], best.text});
  }
  if (communicator.size() == 1) return translated;
  for (const std::string& rank : gather(communicator, communicator.is_main() ? "[]" : dump_json(texts)))
    for (const Json& text : parse_json(rank, "the translations of another rank"))
      translated[text.at(0).get<std::size_t>()].translation = text.at(1).get<std::string>();
  return translated;
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
                          const ValidationText& text, std::size_t sentences, std::size_t samples, ThreadPool& pool,
                          Communicator& communicator) {
  Validation result;
  score_references(model, text.examples, pool, communicator, result);
  result.sentences = sentences == 0 ? text.sources.size() : std::min(sentences, text.sources.size());
  samples = std::min(samples, result.sentences);
  std::vector<std::string> sources;
  metrics::References references(1);
  for (std::size_t k = 0; k < result.sentences; ++k) {
    const std::size_t i = text.spread ? k * text.sources.size() / result.sentences : k;
    sources.push_back(text.sources[i]);
    references[0].push_back(text.references[i]);
  }
  std::vector<std::size_t> sampled;
  for (std::size_t k = 0; k < samples; ++k) sampled.push_back(k * result.sentences / samples);
  const auto translated = translate_on_all_ranks(model, pipeline, sources, sampled, pool, communicator);
  if (!communicator.is_main()) return {};
  std::vector<std::string> hypotheses;
  for (const Sample& line : translated) hypotheses.push_back(line.translation);
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
  for (const std::size_t i : sampled)
    result.samples.push_back({sources[i], references[0][i], translated[i].translation, translated[i].attention});
  return result;
}

}  // namespace heed::train
