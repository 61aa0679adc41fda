// Vocabulary selection: probabilities are those of the whole vocabulary, restricted to the candidates of the sentence
// and normalized again; everything that is forced is a candidate.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "search/candidates.h"
#include "search/same_results.h"
#include "search/search.h"
#include "search/what_if.h"
#include "support/small_models.h"

namespace heed::testing {
namespace {

const std::vector<Id> kShortlistSource = {3, 4, 5, 6, 7, 1};
constexpr int kTargetWords = 160;

std::set<Id> candidates_of(std::span<const model::Model* const> models, const search::SearchJob& job, Ids forced = {}) {
  std::vector<Id> words;
  search::CandidateFinder(models).find(job, forced, words);
  EXPECT_TRUE(std::ranges::is_sorted(words));
  return {words.begin(), words.end()};
}
std::set<Id> candidates_of(const model::Model& model, const search::SearchJob& job, Ids forced = {}) {
  const model::Model* const models[] = {&model};
  return candidates_of(models, job, forced);
}

// The union of the shortlists, with the symbols for the end and for unknown words.
std::set<Id> expected_candidates(std::span<const model::Model* const> models, Ids source) {
  std::set<Id> words = {1, 2};
  for (const model::Model* model : models) {
    for (const Id s : source)
      for (const Id word : model->shortlist()->candidates(s)) words.insert(word);
    for (const Id word : model->shortlist()->always()) words.insert(word);
  }
  return words;
}

search::SearchJob shortlist_job(const search::SearchOptions& options, Ids prefix = {}) {
  search::SearchJob job{.source = kShortlistSource, .prefix = prefix, .max_length = 9, .options = options};
  job.options.shortlist = true;
  return job;
}

search::Hypothesis best_hypothesis(std::span<const model::Model* const> models, const search::SearchJob& job) {
  return search::Search(models).run({&job, 1}).at(0).hypotheses.at(0);
}
search::Hypothesis best_hypothesis(const model::Model& model, const search::SearchJob& job) {
  const model::Model* const models[] = {&model};
  return best_hypothesis(models, job);
}

TEST(Candidates, AreTheWordsOfTheJobAndEverythingForced) {
  const auto gru = model_with_shortlist("bigru-deep-output", 1), lstm = model_with_shortlist("bahdanau-lstm", 2);
  const model::Model* const one[] = {gru.get()};
  const model::Model* const two[] = {gru.get(), lstm.get()};
  EXPECT_EQ(candidates_of(*gru, shortlist_job({})), expected_candidates(one, kShortlistSource));
  EXPECT_EQ(candidates_of(two, shortlist_job({})), expected_candidates(two, kShortlistSource));
  EXPECT_GT(expected_candidates(two, kShortlistSource).size(), expected_candidates(one, kShortlistSource).size());

  std::vector<Id> others;
  for (Id word = 0; word < kTargetWords; ++word)
    if (!expected_candidates(one, kShortlistSource).contains(word)) others.push_back(word);
  ASSERT_GT(others.size(), 10u);
  std::set<Id> all = expected_candidates(one, kShortlistSource);
  const search::Constraint constraints[] = {{.words = std::span(others).subspan(2, 2)},
                                            {.words = std::span(others).subspan(4, 1), .required = false}};
  search::SearchJob job = shortlist_job({}, std::span(others).first(2));
  job.constraints = constraints;
  std::vector<std::uint8_t> joins(kTargetWords, search::kJoinsPrevious | search::kJoinsNext);
  joins[static_cast<std::size_t>(others[6])] = search::kJoinsPrevious;  // ends a word: a separator
  job.joins = joins;
  all.insert(others.begin(), others.begin() + 7);
  EXPECT_EQ(candidates_of(*gru, job, std::span(others).subspan(5, 1)), all);
}

TEST(Candidates, AreAllWordsIfThereIsNothingToGain) {
  const auto model = model_with_shortlist("bigru-deep-output"), other = model_with_shortlist("bigru-deep-output", 2);
  search::SearchJob job = shortlist_job({});
  EXPECT_FALSE(candidates_of(*model, job).empty());
  job.options.shortlist = false;
  EXPECT_TRUE(candidates_of(*model, job).empty());
  job.options.shortlist = true;
  other->set_shortlist({});
  const model::Model* const mixed[] = {model.get(), other.get()};
  EXPECT_TRUE(candidates_of(mixed, job).empty()) << "a model without a shortlist";

  std::vector<std::vector<Id>> lists(12);
  for (Id word = 0; word < 40; ++word) lists[static_cast<std::size_t>(3 + word % 9)].push_back(word);
  std::vector<Id> source = {3, 4, 5, 6, 7, 8, 9, 10, 11, 1};
  job.source = source;
  other->set_shortlist(model::Shortlist(lists, {}));
  EXPECT_EQ(candidates_of(*other, job).size(), 40u);
  other->set_shortlist(model::Shortlist(lists, {40}));
  EXPECT_TRUE(candidates_of(*other, job).empty()) << "more than a quarter of the vocabulary";
  lists[7].clear();
  other->set_shortlist(model::Shortlist(lists, {}));
  EXPECT_TRUE(candidates_of(*other, job).empty()) << "nothing is known about a source word";
}

// Compares the probabilities of all words at every step of a forced decoding with those of the whole vocabulary.
void expect_restricted(std::span<const model::Model* const> models, double tolerance) {
  const std::set<Id> words = expected_candidates(models, kShortlistSource);
  const std::vector<Id> all(words.begin(), words.end());
  std::vector<Id> target = {all[3], all[5], all[all.size() - 1], all[4], 1};
  search::SearchJob job = shortlist_job({.beam = 1}, target);
  if (models.size() == 1) job.options.trace = kTargetWords;
  const search::Hypothesis chosen = best_hypothesis(models, job);
  job.options.shortlist = false;
  const search::Hypothesis whole = best_hypothesis(models, job);
  EXPECT_EQ(chosen.words, target);
  ASSERT_TRUE(same_bits(chosen.attention, whole.attention));
  for (std::size_t t = 0; models.size() == 1 && t < target.size(); ++t) {
    std::map<Id, double> expected;
    double sum = 0;
    for (const auto& choice : whole.trace[t].choices)
      if (words.contains(choice.word)) sum += expected[choice.word] = choice.probability;
    ASSERT_EQ(chosen.trace[t].choices.size(), words.size());
    EXPECT_NEAR(std::exp(chosen.word_log_probabilities[t]), expected[target[t]] / sum, tolerance);
    EXPECT_NEAR(chosen.trace[t].written.probability, expected[target[t]] / sum, tolerance);
    double total = 0;
    for (const auto& choice : chosen.trace[t].choices) {
      ASSERT_TRUE(words.contains(choice.word));
      EXPECT_NEAR(choice.probability, expected[choice.word] / sum, tolerance) << "step " << t;
      total += choice.probability;
    }
    EXPECT_NEAR(total, 1, 1e-5);
    const auto most = std::ranges::max_element(expected, {}, [](const auto& entry) { return entry.second; });
    EXPECT_EQ(chosen.trace[t].choices.front().word, most->first) << "step " << t;
  }
}

TEST(ShortlistSearch, ProbabilitiesAreThoseOfTheVocabularyNormalizedAgain) {
  for (const model::Preset& preset : model::presets())
    for (const DType type : {DType::f32, DType::f64}) {
      SCOPED_TRACE(preset.name);
      const auto model = model_with_shortlist(preset.name, 3, type);
      const model::Model* const one[] = {model.get()};
      expect_restricted(one, 2e-6);
    }
}

// An ensemble's probability is the mean of its members', each normalized over the same candidates.
TEST(ShortlistSearch, EnsemblesUseTheUnionOfTheirShortlists) {
  const auto gru = model_with_shortlist("bigru-deep-output", 1), lstm = model_with_shortlist("bahdanau-lstm", 2);
  const model::Model* const two[] = {gru.get(), lstm.get()};
  const std::set<Id> words = expected_candidates(two, kShortlistSource);
  std::vector<std::vector<Id>> lists(12);
  lists[3].assign(words.begin(), words.end());
  for (std::size_t s = 4; s < 12; ++s) lists[s] = {1};
  gru->set_shortlist(model::Shortlist(lists, {})), lstm->set_shortlist(model::Shortlist(lists, {}));
  const std::vector<Id> target = {*words.rbegin(), *std::next(words.begin(), 3), 1};
  const search::SearchJob job = shortlist_job({.beam = 1}, target);
  const search::Hypothesis a = best_hypothesis(*gru, job), b = best_hypothesis(*lstm, job),
                           both = best_hypothesis(two, job);
  for (std::size_t t = 0; t < target.size(); ++t)
    EXPECT_NEAR(std::exp(both.word_log_probabilities[t]),
                (std::exp(a.word_log_probabilities[t]) + std::exp(b.word_log_probabilities[t])) / 2, 1e-6);
  expect_restricted(two, 2e-6);
}

TEST(ShortlistSearch, ChoosesOnlyCandidates) {
  const auto model = model_with_shortlist("bigru-deep-output", 5);
  const model::Model* const one[] = {model.get()};
  const std::set<Id> words = expected_candidates(one, kShortlistSource);
  int outside = 0;
  for (std::int64_t seed = 1; seed <= 20; ++seed) {
    for (search::SearchOptions options :
         {search::SearchOptions{.beam = 1, .sample = true, .temperature = 3, .seed = seed},
          search::SearchOptions{.beam = 1, .sample = true, .top_k = 7, .seed = seed},
          search::SearchOptions{.beam = 4, .nbest = 4, .no_repeat = 1}}) {
      search::SearchJob job = shortlist_job(options);
      const std::vector<search::SearchResult> results = search::Search(*model).run({&job, 1});
      for (const search::Hypothesis& h : results.at(0).hypotheses)
        for (const Id word : h.words) EXPECT_TRUE(words.contains(word)) << word;
      job.options.shortlist = false;
      for (const Id word : best_hypothesis(*model, job).words) outside += words.contains(word) ? 0 : 1;
    }
  }
  EXPECT_GT(outside, 20) << "the test cannot fail if the model writes only candidates anyway";
}

TEST(ShortlistSearch, WritesPrefixesAndConstraintsThatAreNotInTheShortlist) {
  const auto model = model_with_shortlist("bigru-deep-output", 5);
  const model::Model* const one[] = {model.get()};
  const std::set<Id> words = expected_candidates(one, kShortlistSource);
  std::vector<Id> others;
  for (Id word = 3; word < kTargetWords; ++word)
    if (!words.contains(word)) others.push_back(word);
  const std::vector<Id> prefix = {others[0], others[1]}, phrase = {others[2], others[3]};
  const search::Constraint constraints[] = {{.words = phrase}};
  for (const bool sample : {false, true}) {
    search::SearchJob job = shortlist_job({.beam = sample ? 1 : 4, .sample = sample}, prefix);
    job.constraints = constraints;
    const search::Hypothesis h = best_hypothesis(*model, job);
    EXPECT_TRUE(std::equal(prefix.begin(), prefix.end(), h.words.begin()));
    EXPECT_NE(std::ranges::search(h.words, phrase).begin(), h.words.end());
    ASSERT_EQ(h.constraints.size(), 1u);
    EXPECT_GE(h.constraints[0], 2);
  }
}

TEST(ShortlistSearch, WhatIfWritesAnyWord) {
  const auto model = model_with_shortlist("bigru-deep-output", 5);
  const search::SearchJob job = shortlist_job({.beam = 3, .nbest = 3, .trace = 4});
  expect_same({search_with(*model, job, {}).hypotheses}, {search::Search(*model).run({&job, 1}).at(0).hypotheses},
              "no changes");
  const std::set<Id> words = candidates_of(*model, job);
  Id other = 3;
  while (words.contains(other)) ++other;
  search::Changes changes;
  changes.words[1] = other;
  changes.temperature = 2;
  for (const search::Hypothesis& h : search_with(*model, job, changes).hypotheses) EXPECT_EQ(h.words.at(1), other);
}

}  // namespace
}  // namespace heed::testing
