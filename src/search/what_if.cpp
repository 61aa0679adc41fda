#include "search/what_if.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/beam.h"
#include "search/candidates.h"
#include "search/search.h"
#include "search/stepper.h"

namespace heed::search {
namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();

void check_changes(const model::Model& model, const SearchJob& job, const Changes& changes) {
  const auto words = static_cast<Index>(job.source.size());
  const int vocabulary = model.config().vocabulary.target;
  check<UsageError>((changes.weights.empty() && changes.masked.empty()) || model.config().attends(),
                    "this model has no attention weights to change");
  check<UsageError>(changes.temperature > 0 && std::isfinite(changes.temperature),
                    "the temperature is {}, expected more than 0", changes.temperature);
  for (const auto& [step, word] : changes.words)
    check<UsageError>(word >= 0 && word < vocabulary,
                      "the word of step {} has the id {}, but the vocabulary has {} entries", step, word, vocabulary);
  for (const auto& [step, weights] : changes.weights) {
    double sum = 0;
    for (const float weight : weights) sum += weight >= 0 && std::isfinite(weight) ? static_cast<double>(weight) : NAN;
    check<UsageError>(std::ssize(weights) == words && sum > 0,
                      "step {} has {} weights, expected {} that are not negative and not all zero", step,
                      weights.size(), words);
  }
  std::vector<std::uint8_t> masked(job.source.size());
  for (const Index word : changes.masked) {
    check<UsageError>(word >= 0 && word < words, "the source word {} is masked, but the source has only {}", word,
                      words);
    masked[static_cast<std::size_t>(word)] = 1;
  }
  check<UsageError>(std::ranges::count(masked, 0) > 0, "all source words are masked");
}

// Changes the weights of a row: to those given for the step, or to zero for masked words. Normalizes the sum to 1.
void change_weights(std::span<float> weights, const Changes& changes, Index step) {
  if (const auto given = changes.weights.find(step); given != changes.weights.end()) {
    double sum = 0;
    for (const float weight : given->second) sum += static_cast<double>(weight);
    std::ranges::fill(weights, 0.0F);
    for (std::size_t s = 0; s < given->second.size(); ++s)
      weights[s] = static_cast<float>(static_cast<double>(given->second[s]) / sum);
    return;
  }
  if (changes.masked.empty()) return;
  for (const Index word : changes.masked) weights[static_cast<std::size_t>(word)] = 0;
  double sum = 0;
  for (const float weight : weights) sum += static_cast<double>(weight);
  for (float& weight : weights) weight = sum > 0 ? static_cast<float>(static_cast<double>(weight) / sum) : weight;
}

void apply_temperature(std::span<float> row, double temperature) {
  if (temperature == 1) return;
  double sum = 0;
  const float most = std::ranges::max(row);
  for (float& p : row) p = static_cast<float>(static_cast<double>(p - most) / temperature);
  for (const float p : row) sum += std::exp(static_cast<double>(p));
  for (float& p : row) p -= static_cast<float>(std::log(sum));
}

// Leaves only the word that is to be written, if there is one.
void force_word(std::span<float> log_probabilities, const Beam::Row& row, const Changes& changes, Index step) {
  const auto word = changes.words.find(step);
  if (word == changes.words.end()) return;
  for (std::size_t i = 0; i < log_probabilities.size(); ++i)
    if (row.word(i) != word->second) log_probabilities[i] = kImpossible;
}

}  // namespace

SearchResult search_with(const model::Model& model, const SearchJob& job, const Changes& changes) {
  Search(model).join(job);  // checks the job
  check_changes(model, job, changes);
  const model::Model* models[] = {&model};
  Stepper stepper(models);
  Beam beam;
  beam.begin(job, stepper.vocabulary(), stepper.attention_width(job.source.size()));
  stepper.join({}, std::span(&job.source, 1));
  std::vector<Id> forced, candidates;
  for (const auto& [ignored, word] : changes.words) forced.push_back(word);
  CandidateFinder(models).find(job, forced, candidates);
  std::vector<Ids> row_candidates;
  std::vector<std::vector<float>> changed;
  std::vector<Id> parents, sentences, words;
  std::vector<Beam::Row> rows;
  std::vector<TraceStep> traced;
  Index step = 0;
  const model::EditWeights edit = [&](std::span<float> weights) { change_weights(weights, changes, step); };
  if (!changes.weights.empty() || !changes.masked.empty()) stepper.set_edit(&edit);
  for (; !beam.running().empty(); ++step) {
    if (job.stop.stop_requested() || job.deadline <= std::chrono::steady_clock::now()) return {.stopped = true};
    parents.clear(), sentences.clear(), words.clear(), rows.clear(), traced.clear();
    for (const Beam::Running& r : beam.running()) {
      parents.push_back(r.row);
      sentences.push_back(0);
      words.push_back(r.word);
    }
    row_candidates.assign(parents.size(), candidates);
    stepper.step(parents, sentences, words, row_candidates);
    changed.resize(parents.size());
    for (std::size_t k = 0; k < parents.size(); ++k) {
      const auto row = static_cast<Index>(k);
      const std::span<const float> own = stepper.log_probabilities(row);
      changed[k].assign(own.begin(), own.end());
      apply_temperature(changed[k], changes.temperature);
      rows.push_back({changed[k], stepper.attention(row), stepper.candidates(row)});
      if (job.options.trace > 0) traced.push_back(stepper.trace(row, job.source.size(), job.options.trace, changed[k]));
      force_word(changed[k], rows.back(), changes, step);
    }
    beam.advance(rows, traced);
  }
  SearchResult result{.hypotheses = beam.results()};
  if (job.options.trace > 0) result.encoder_states = stepper.encoder_states(0);
  return result;
}

}  // namespace heed::search
