#include "search/search.h"

#include <algorithm>

#include "search/beam.h"
#include "search/candidates.h"
#include "search/stepper.h"

namespace heed::search {
namespace {

using Clock = std::chrono::steady_clock;

void check_words(const char* what, Ids ids, int vocabulary) {
  for (const Id id : ids)
    check<UsageError>(id >= 0 && id < vocabulary, "{} contains the id {}, but the vocabulary has {} entries", what, id,
                      vocabulary);
}

void check_constraints(const SearchJob& job, const model::VocabularyConfig& vocabulary) {
  check<UsageError>(job.joins.empty() || std::ssize(job.joins) == vocabulary.target,
                    "there are {} entries about how target words join, but the vocabulary has {} words",
                    job.joins.size(), vocabulary.target);
  for (const Constraint& c : job.constraints) {
    check<UsageError>(!c.words.empty(), "a constraint has no words");
    check_words("a constraint", c.words, vocabulary.target);
    check<UsageError>(std::ranges::find(c.words, static_cast<Id>(vocabulary.eos)) == c.words.end(),
                      "a constraint contains the end symbol, which only ends a translation");
    check<UsageError>(0 <= c.source_from && c.source_from <= c.source_to && c.source_to <= std::ssize(job.source),
                      "a constraint is for the source words from {} to {}, but the source has {}", c.source_from,
                      c.source_to, job.source.size());
  }
}

void check_job(const SearchJob& job, const Stepper& stepper) {
  const model::VocabularyConfig& vocabulary = stepper.vocabulary();
  check_options(job.options, stepper.has_attention());
  check<UsageError>(job.options.trace == 0 || stepper.can_trace(),
                    "a trace shows the decoder of one model, but this search uses several");
  check<UsageError>(!job.source.empty(), "the source has no tokens, not even the end symbol");
  stepper.check_source(job.source.size());
  check_words("the source", job.source, vocabulary.source);
  check_words("the prefix", job.prefix, vocabulary.target);
  const auto end = std::ranges::find(job.prefix, static_cast<Id>(vocabulary.eos));
  check<UsageError>(end == job.prefix.end() || end + 1 == job.prefix.end(),
                    "the prefix continues after the end symbol, its token {}", end - job.prefix.begin() + 1);
  check_constraints(job, vocabulary);
  if (end != job.prefix.end()) return;
  check<UsageError>(job.max_length >= 1, "the maximum length is {} tokens, expected at least 1", job.max_length);
  check<UsageError>(static_cast<Index>(job.prefix.size()) <= job.max_length,
                    "the prefix of {} tokens is longer than the maximum length, {}", job.prefix.size(), job.max_length);
  const Index room = room_for(job);
  check<UsageError>(static_cast<Index>(job.prefix.size()) + room <= job.max_length,
                    "the prefix of {} tokens and the constraints, {} tokens, are longer than the maximum length, {}",
                    job.prefix.size(), room, job.max_length);
}

}  // namespace

struct Search::State {
  // A sentence in the search.
  struct Sentence {
    Ticket ticket = 0;
    Beam beam;
    Id source = 0;  // index of the source in the stepper
    Id first = 0;   // first row in the last step
    std::vector<Id> candidates;

    const SearchJob& job() const { return beam.job(); }
  };
  using Sentences = std::vector<std::unique_ptr<Sentence>>;

  explicit State(std::span<const model::Model* const> models) : stepper(models), finder(models) {}

  void clear();
  void stop_overdue();
  void admit();
  void advance();
  // Moves the sentences for which ended(sentence) is true out of a list, and adds their results to `finished`.
  template <class Ended>
  void collect(Sentences& list, bool stopped, Ended ended);

  Stepper stepper;
  CandidateFinder finder;
  Ticket next_ticket = 0;
  Sentences waiting, running, idle;  // idle: memory for reuse
  std::vector<std::pair<Ticket, SearchResult>> finished;
  std::vector<Ids> sources;
  std::vector<Beam::Row> rows;
  std::vector<TraceStep> traced;
  // By row of this step.
  std::vector<Id> parents, sentences, words;
  std::vector<Ids> candidates;
};

// Allocates nothing. May be called after an exception in admit() or collect(), which can leave null pointers in the
// lists.
void Search::State::clear() {
  waiting.clear(), running.clear(), finished.clear();
}

template <class Ended>
void Search::State::collect(Sentences& list, bool stopped, Ended ended) {
  for (auto& sentence : list) {
    if (!ended(*sentence)) continue;
    SearchResult& result = finished.emplace_back(sentence->ticket, SearchResult{.stopped = stopped}).second;
    if (!stopped) {
      result.hypotheses = sentence->beam.results();
      if (sentence->job().options.trace > 0) result.encoder_states = stepper.encoder_states(sentence->source);
    }
    idle.push_back(std::move(sentence));
  }
  std::erase(list, nullptr);
}

void Search::State::stop_overdue() {
  const auto overdue = [now = Clock::now()](const Sentence& sentence) {
    return sentence.job().stop.stop_requested() || sentence.job().deadline <= now;
  };
  collect(running, true, overdue);
  collect(waiting, true, overdue);
}

// Encodes the waiting sentences together and appends them to the running ones.
void Search::State::admit() {
  if (waiting.empty()) return;
  sources.clear(), sentences.clear();
  for (const auto& sentence : waiting) sources.push_back(sentence->job().source);
  for (const auto& sentence : running) sentences.push_back(sentence->source);
  Id row = stepper.join(sentences, sources);
  for (auto& sentence : waiting) {
    sentence->first = row++;
    running.push_back(std::move(sentence));
  }
  waiting.clear();
  for (std::size_t i = 0; i < running.size(); ++i) running[i]->source = static_cast<Id>(i);
}

// One word for every running hypothesis.
void Search::State::advance() {
  parents.clear(), sentences.clear(), words.clear(), candidates.clear();
  for (const auto& sentence : running) {
    const Id before = sentence->first;
    sentence->first = static_cast<Id>(parents.size());
    for (const Beam::Running& r : sentence->beam.running()) {
      parents.push_back(before + r.row);
      sentences.push_back(sentence->source);
      words.push_back(r.word);
      candidates.push_back(sentence->candidates.empty() ? Ids() : Ids(sentence->candidates));
    }
  }
  stepper.step(parents, sentences, words, candidates);
  for (const auto& sentence : running) {
    const std::size_t count = sentence->beam.running().size();
    const SearchJob& job = sentence->job();
    rows.clear(), traced.clear();
    for (std::size_t k = 0; k < count; ++k) {
      const Index row = sentence->first + static_cast<Index>(k);
      rows.push_back({stepper.log_probabilities(row), stepper.attention(row), stepper.candidates(row)});
      if (job.options.trace > 0) traced.push_back(stepper.trace(row, job.source.size(), job.options.trace));
    }
    sentence->beam.advance(rows, traced);
  }
}

Search::Search(std::span<const model::Model* const> models) : state_(std::make_unique<State>(models)) {}

Search::~Search() = default;

Search::Ticket Search::join(const SearchJob& job) {
  State& s = *state_;
  check_job(job, s.stepper);
  if (s.idle.empty()) s.idle.push_back(std::make_unique<State::Sentence>());
  auto sentence = std::move(s.idle.back());
  s.idle.pop_back();
  s.finder.find(job, {}, sentence->candidates);
  sentence->ticket = s.next_ticket++;
  sentence->beam.begin(job, s.stepper.vocabulary(), s.stepper.attention_width(job.source.size()));
  s.waiting.push_back(std::move(sentence));
  return s.waiting.back()->ticket;
}

void Search::step() try {
  State& s = *state_;
  s.stop_overdue();
  s.admit();
  if (s.running.empty()) return;
  s.advance();
  s.collect(s.running, false, [](const State::Sentence& sentence) { return sentence.beam.running().empty(); });
} catch (...) {
  state_->clear();
  throw;
}

bool Search::busy() const {
  return !state_->waiting.empty() || !state_->running.empty();
}

std::vector<std::pair<Search::Ticket, SearchResult>> Search::take_finished() {
  return std::exchange(state_->finished, {});
}

void Search::agreed_words(Ticket ticket, std::vector<Id>& words) const {
  words.clear();
  for (const auto& sentence : state_->running)
    if (sentence->ticket == ticket) sentence->beam.agreed_words(words);
}

void Search::cancel(Ticket ticket) {
  const auto matches = [&](const State::Sentence& sentence) { return sentence.ticket == ticket; };
  state_->collect(state_->waiting, true, matches);
  state_->collect(state_->running, true, matches);
}

std::vector<SearchResult> Search::run(std::span<const SearchJob> jobs) {
  State& s = *state_;
  check<UsageError>(!busy() && s.finished.empty(),
                    "run() was called while {} other jobs are unfinished or their results were not taken",
                    s.waiting.size() + s.running.size() + s.finished.size());
  const Ticket first = s.next_ticket;
  std::vector<SearchResult> results(jobs.size());
  try {
    for (const SearchJob& job : jobs) join(job);
    while (busy()) step();
  } catch (...) {
    s.clear();
    throw;
  }
  for (auto& [ticket, result] : take_finished()) results[ticket - first] = std::move(result);
  return results;
}

std::vector<std::vector<Hypothesis>> Search::run(std::span<const SearchJob> jobs, const SearchOptions& options) {
  std::vector<SearchJob> same(jobs.begin(), jobs.end());
  for (SearchJob& job : same) job.options = options;
  std::vector<std::vector<Hypothesis>> all;
  for (SearchResult& result : run(same)) all.push_back(std::move(result.hypotheses));
  return all;
}

}  // namespace heed::search
