#include "search/search.h"

#include <algorithm>
#include <cmath>

#include "search/beam.h"
#include "search/stepper.h"

namespace heed {
namespace {

void check_options(const SearchOptions& o, bool attends) {
  check<UsageError>(o.beam >= 1, "the beam is {} wide, expected at least 1", o.beam);
  check<UsageError>(o.nbest >= 1 && o.nbest <= o.beam,
                    "{} hypotheses are wanted of a beam of {}: the beam must be at least as wide", o.nbest, o.beam);
  check<UsageError>(std::isfinite(o.length_normalisation) && o.length_normalisation >= 0,
                    "the length normalisation is {}, expected 0 or more", o.length_normalisation);
  check<UsageError>(std::isfinite(o.word_reward), "the word reward is {}, expected a number", o.word_reward);
  check<UsageError>(std::isfinite(o.coverage_penalty) && o.coverage_penalty >= 0,
                    "the coverage penalty is {}, expected 0 or more", o.coverage_penalty);
  check<UsageError>(o.coverage_penalty == 0 || attends,
                    "a coverage penalty of {} needs attention, and this model has none", o.coverage_penalty);
  check<UsageError>(o.no_repeat >= 0, "n-grams of {} words cannot be kept from repeating, expected 0 or more",
                    o.no_repeat);
  const Sampling& s = o.sampling;
  if (!s.on) return;
  check<UsageError>(o.beam == 1, "sampling draws one translation, so it cannot go with a beam of {}", o.beam);
  check<UsageError>(std::isfinite(s.temperature) && s.temperature > 0, "the temperature is {}, expected more than 0",
                    s.temperature);
  check<UsageError>(s.top_k >= 0, "top-k is {}, expected 0 (all words) or more", s.top_k);
  check<UsageError>(s.top_p > 0 && s.top_p <= 1, "top-p is {}, expected more than 0 and at most 1", s.top_p);
}

void check_ids(const char* what, Ids ids, int vocabulary) {
  for (const Id id : ids)
    check<UsageError>(id >= 0 && id < vocabulary, "{} holds the id {}, but the vocabulary has {} words", what, id,
                      vocabulary);
}

void check_job(const SearchJob& job, const VocabularyConfig& vocabulary) {
  check<UsageError>(!job.source.empty(), "a source without words, not even the end symbol");
  check_ids("a source", job.source, vocabulary.source);
  check_ids("a prefix", job.prefix, vocabulary.target);
  const auto end = std::ranges::find(job.prefix, static_cast<Id>(vocabulary.eos));
  check<UsageError>(end == job.prefix.end() || end + 1 == job.prefix.end(),
                    "a prefix goes on after the end symbol at its word {}", end - job.prefix.begin() + 1);
  if (end != job.prefix.end()) return;
  check<UsageError>(job.max_length >= 1, "a translation of at most {} words, expected at least 1", job.max_length);
  check<UsageError>(static_cast<Index>(job.prefix.size()) <= job.max_length,
                    "a prefix of {} words is longer than the translation may be, {}", job.prefix.size(),
                    job.max_length);
}

}  // namespace

struct Search::Memory {
  explicit Memory(std::span<const Model* const> models) : stepper(models) {}

  void step(std::size_t sentences, bool attention);

  Stepper stepper;
  std::vector<Ids> sources;
  std::vector<Beam> beams;
  std::vector<Beam::Row> rows;
  std::vector<Id> first;                      // by sentence: its first row in the last step
  std::vector<Id> parents, sentences, words;  // by row of this step
};

// One word for everything that runs. Sentences that have ended have no rows.
void Search::Memory::step(std::size_t count, bool attention) {
  parents.clear(), sentences.clear(), words.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const Id before = first[i];
    first[i] = static_cast<Id>(parents.size());
    for (const Beam::Running& r : beams[i].running()) {
      parents.push_back(before + r.row);
      sentences.push_back(static_cast<Id>(i));
      words.push_back(r.word);
    }
  }
  if (parents.empty()) return;
  stepper.step(parents, sentences, words);
  Index row = 0;
  for (std::size_t i = 0; i < count; ++i) {
    rows.clear();
    for (std::size_t k = 0; k < beams[i].running().size(); ++k, ++row)
      rows.push_back({stepper.log_probabilities(row), attention ? stepper.attention(row) : nullptr});
    if (!rows.empty()) beams[i].advance(rows);
  }
}

Search::Search(std::span<const Model* const> models) : memory_(std::make_unique<Memory>(models)) {}

Search::Search(const Model& model) {
  const Model* const one[] = {&model};
  memory_ = std::make_unique<Memory>(one);
}

Search::~Search() = default;

std::vector<std::vector<Hypothesis>> Search::run(std::span<const SearchJob> jobs, const SearchOptions& options) {
  Memory& m = *memory_;
  const VocabularyConfig& vocabulary = m.stepper.vocabulary();
  check_options(options, m.stepper.attends());
  m.sources.clear(), m.first.clear();
  for (const SearchJob& job : jobs) check_job(job, vocabulary);
  if (jobs.empty()) return {};
  if (m.beams.size() < jobs.size()) m.beams.resize(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    m.sources.push_back(jobs[i].source);
    m.first.push_back(static_cast<Id>(i));
    m.beams[i].begin(options, jobs[i], vocabulary, m.stepper.attention_width(jobs[i].source.size()));
  }
  m.stepper.begin(m.sources);
  const bool attention = options.attention || options.coverage_penalty > 0;
  do m.step(jobs.size(), attention);
  while (!m.parents.empty());
  std::vector<std::vector<Hypothesis>> results;
  for (std::size_t i = 0; i < jobs.size(); ++i) results.push_back(m.beams[i].results());
  return results;
}

}  // namespace heed
