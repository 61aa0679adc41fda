#include "train/validation.h"

#include <algorithm>
#include <cmath>

#include "metrics/metric.h"
#include "translate/translator.h"

namespace heed {
namespace {

constexpr std::size_t kBatch = 64;

// The losses and hits of every token, added up over the workers in their order.
void score_forced(const Model& model, const ExampleStore& examples, ThreadPool& pool, Validation& result) {
  const int workers = pool.size();
  struct Sum {
    double loss = 0, hits = 0;
  };
  std::vector<Sum> sums(static_cast<std::size_t>(workers));
  pool.run(workers, [&](int worker) {
    Tape tape(model.parameters(), nullptr);
    std::vector<Ids> source, target;
    Sum& sum = sums[static_cast<std::size_t>(worker)];
    // Batches in turn: worker w takes batches w, w + workers, …
    for (std::size_t from = static_cast<std::size_t>(worker) * kBatch; from < examples.size();
         from += kBatch * static_cast<std::size_t>(workers)) {
      source.clear(), target.clear();
      for (std::size_t i = from; i < std::min(from + kBatch, examples.size()); ++i) {
        source.push_back(examples.source(i));
        target.push_back(examples.target(i));
      }
      tape.clear(Tape::Mode::forward_only);
      const Forced forced = model.forced(tape, {source, target}, {});
      sum.loss += forced.loss;
      const Ids words = packed_words(tape.arena(), forced.target, target), likeliest = model.likeliest(tape, forced);
      for (std::size_t i = 0; i < words.size(); ++i) sum.hits += words[i] == likeliest[i] ? 1 : 0;
    }
  });
  Sum all;
  for (const Sum& sum : sums) all.loss += sum.loss, all.hits += sum.hits;
  const auto tokens = static_cast<double>(examples.target_tokens());
  result.perplexity = std::exp(all.loss / tokens);
  result.accuracy = all.hits / tokens;
}

}  // namespace

std::vector<std::string> validation_metrics() {
  return {"perplexity", "accuracy", "bleu", "chrf", "exact"};
}

bool is_better(const std::string& metric, double value, double than) {
  return metric == "perplexity" ? value < than : value > than;
}

double Validation::value(const std::string& metric) const {
  if (metric == "accuracy") return accuracy;
  if (metric == "bleu") return bleu;
  if (metric == "chrf") return chrf;
  if (metric == "exact") return exact;
  return perplexity;
}

Validated validate(const Model& model, const TextPipeline& pipeline, const ValidationText& text, std::size_t sentences,
                   std::size_t samples, ThreadPool& pool) {
  Validated result;
  Validation& scores = result.scores;
  score_forced(model, text.examples, pool, scores);
  scores.sentences = sentences == 0 ? text.sources.size() : std::min(sentences, text.sources.size());
  Translator translator(model, pipeline);
  const auto translated =
      translator.translate(std::span(text.sources).first(scores.sentences),
                           {.search = {.beam = 1}, .batch = static_cast<int>(kBatch), .threads = pool.size()});
  std::vector<std::string> hypotheses, references;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < translated.size(); ++i) {
    hypotheses.push_back(translated[i].best().text);
    references.push_back(text.references[i]);
    equal += pipeline.target_tokeniser().same_words(hypotheses.back(), references.back()) ? 1 : 0;
  }
  scores.exact = static_cast<double>(equal) / static_cast<double>(scores.sentences);
  scores.bleu = corpus_score(*make_metric("bleu"), hypotheses, {references});
  scores.chrf = corpus_score(*make_metric("chrf"), hypotheses, {references});
  samples = std::min(samples, scores.sentences);
  for (std::size_t k = 0; k < samples; ++k) {
    const std::size_t i = k * scores.sentences / samples;
    result.samples.push_back(
        {text.sources[i], text.references[i], translated[i].best().text, translated[i].best().attention});
  }
  return result;
}

}  // namespace heed
