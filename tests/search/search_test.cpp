// The search with real models: scores agree with the model's loss, ensembles, invalid input.
#include "search/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/small_models.h"

namespace heed::testing {
namespace {

double log_probability(const model::Model& model, Ids source, Ids target) {
  autograd::Tape tape(model.parameters(), nullptr);
  tape.clear(autograd::Tape::Mode::forward_only);
  return -model.loss(tape, {{&source, 1}, {&target, 1}}, {}).loss;
}

// Every preset: the log-probability of a hypothesis is the model's own.
TEST(Search, ScoresAreTheModelsOwn) {
  for (const model::Preset& preset : model::presets()) {
    SCOPED_TRACE(preset.name);
    model::Model model(small_config(preset.name));
    model.initialize(4);
    search::Search search(model);
    const search::SearchJob job{.source = kSmallSources[2], .max_length = 9};
    const auto found = search.run({&job, 1}, {.beam = 4, .nbest = 4, .length_normalization = 0.5}).at(0);
    ASSERT_EQ(found.size(), 4u);
    for (const search::Hypothesis& h : found) {
      EXPECT_NEAR(h.log_probability, log_probability(model, job.source, h.words), 1e-4);
      EXPECT_NEAR(h.score, h.log_probability / std::sqrt(static_cast<double>(h.words.size())), 1e-9);
      if (h.words.back() != 1) continue;
      const search::SearchJob forced{.source = job.source, .prefix = h.words};
      const search::Hypothesis again = search.run({&forced, 1}, {}).at(0).at(0);
      EXPECT_EQ(again.words, h.words);
      EXPECT_NEAR(again.log_probability, h.log_probability, 1e-5);
      EXPECT_EQ(again.attention.size(), h.attention.size());
    }
    for (std::size_t k = 1; k < found.size(); ++k) EXPECT_LE(found[k].score, found[k - 1].score);
  }
}

TEST(Search, RunsInDoubleToo) {
  model::Model single(small_config("bigru-deep-output")), twice(small_config("bigru-deep-output"), DType::f64);
  single.initialize(4);
  twice.initialize(4);
  const search::SearchJob job{.source = kSmallSources[2], .max_length = 9};
  const search::Hypothesis a = search::Search(single).run({&job, 1}, {.beam = 3}).at(0).at(0);
  const search::Hypothesis b = search::Search(twice).run({&job, 1}, {.beam = 3}).at(0).at(0);
  EXPECT_EQ(a.words, b.words);
  EXPECT_NEAR(a.score, b.score, 1e-5);
}

TEST(Search, EnsemblesUseTheMeanOfTheProbabilities) {
  model::Model one(small_config("bigru-deep-output")), two(small_config("luong-dot")), none(small_config("vanilla"));
  one.initialize(1), two.initialize(2), none.initialize(3);
  const model::Model* const models[] = {&one, &two, &none};
  const std::vector<Id> target = {5, 1};
  const search::SearchJob job{.source = kSmallSources[0], .prefix = target};
  const search::Hypothesis together = search::Search(models).run({&job, 1}, {}).at(0).at(0);
  std::vector<search::Hypothesis> alone;
  for (const model::Model* model : models) alone.push_back(search::Search(*model).run({&job, 1}, {}).at(0).at(0));
  for (std::size_t t = 0; t < 2; ++t) {
    double p = 0;
    for (const search::Hypothesis& h : alone) p += std::exp(static_cast<double>(h.word_log_probabilities[t])) / 3;
    EXPECT_NEAR(together.word_log_probabilities[t], std::log(p), 1e-5);
  }
  ASSERT_EQ(together.attention.size(), alone[0].attention.size());
  EXPECT_TRUE(alone[2].attention.empty());
  for (std::size_t i = 0; i < together.attention.size(); ++i)
    EXPECT_NEAR(together.attention[i], (alone[0].attention[i] + alone[1].attention[i]) / 2, 1e-6);

  // A model three times is that model.
  const model::Model* const same[] = {&one, &one, &one};
  const search::SearchJob open{.source = kSmallSources[2], .max_length = 9};
  EXPECT_EQ(search::Search(same).run({&open, 1}, {.beam = 3}).at(0).at(0).words,
            search::Search(one).run({&open, 1}, {.beam = 3}).at(0).at(0).words);
}

TEST(Search, LocationAttentionKeepsItsWidth) {
  model::Model model(small_config("location-gru"));
  model.initialize(2);
  const search::SearchJob job{.source = kSmallSources[1], .max_length = 4};
  const search::Hypothesis h = search::Search(model).run({&job, 1}, {}).at(0).at(0);
  EXPECT_EQ(h.width, 9);
  EXPECT_EQ(h.attention.size(), 9 * h.words.size());
}

// A sample depends on the sentence: not on its position, the other sentences or earlier calls.
TEST(Search, SamplesBySeedAndSentence) {
  model::Model model(small_config("bigru-deep-output"));
  model.initialize(2);
  std::vector<search::SearchJob> jobs;
  for (const auto& source : kSmallSources) jobs.push_back({.source = source, .max_length = 12});
  search::SearchOptions options{.beam = 1, .sample = true, .temperature = 3, .seed = 7};
  search::Search search(model);
  const auto first = search.run(jobs, options);
  std::ranges::reverse(jobs);
  const auto second = search.run(jobs, options);
  options.seed = 8;
  const auto other = search.run(jobs, options);
  int different = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_EQ(first[i][0].words, second[jobs.size() - 1 - i][0].words);
    different += first[i][0].words != other[jobs.size() - 1 - i][0].words ? 1 : 0;
  }
  EXPECT_GT(different, 0);
}

TEST(Search, RefusesInvalidOptionsAndJobs) {
  model::Model model(small_config("bigru-deep-output")), plain(small_config("vanilla"));
  model::ModelConfig wider = small_config("vanilla");
  wider.vocabulary.target = 15;
  model::Model other(wider);
  const auto message = [&](const model::Model& m, const search::SearchOptions& options, const search::SearchJob& job) {
    try {
      search::Search(m).run({&job, 1}, options);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const search::SearchJob job{.source = kSmallSources[0], .max_length = 5};
  const std::vector<Id> beyond = {14}, early = {1, 3}, longer = {3, 3, 3}, far = {12, 1};
  const struct {
    search::SearchOptions options;
    search::SearchJob job;
    const char* says;
  } cases[] = {
      {{.beam = 0}, job, "beam is 0"},
      {{.beam = 2, .nbest = 3}, job, "3 hypotheses"},
      {{.length_normalization = -1}, job, "-1"},
      {{.length_normalization = std::nan("")}, job, "nan"},
      {{.word_reward = INFINITY}, job, "inf"},
      {{.coverage = -0.5}, job, "-0.5"},
      {{.no_repeat = -2}, job, "no-repeat is -2"},
      {{.trace = -1}, job, "-1 choices"},
      {{.beam = 2, .sample = true}, job, "beam of 2"},
      {{.beam = 1, .sample = true, .temperature = 0}, job, "temperature"},
      {{.beam = 1, .sample = true, .top_k = -1}, job, "top-k"},
      {{.beam = 1, .sample = true, .top_p = 0}, job, "top-p"},
      {{}, {.source = kSmallSources[0], .max_length = 0}, "maximum length is 0"},
      {{}, {.source = {}, .max_length = 5}, "has no tokens"},
      {{}, {.source = far, .max_length = 5}, "id 12"},
      {{}, {.source = kSmallSources[0], .prefix = beyond, .max_length = 5}, "id 14"},
      {{}, {.source = kSmallSources[0], .prefix = early, .max_length = 5}, "after the end symbol"},
      {{}, {.source = kSmallSources[0], .prefix = longer, .max_length = 2}, "longer than"},
  };
  for (const auto& c : cases)
    EXPECT_NE(message(model, c.options, c.job).find(c.says), std::string::npos)
        << c.says << ": " << message(model, c.options, c.job);
  EXPECT_NE(message(plain, {.coverage = 1}, job).find("attention"), std::string::npos);
  const model::Model* const unequal[] = {&plain, &other};
  EXPECT_THROW(search::Search{std::span(unequal)}, UsageError);
  EXPECT_TRUE(search::Search(model).run({}, {}).empty());

  const model::Model* const both[] = {&model, &model};
  const search::SearchJob traced{.source = kSmallSources[0], .max_length = 5, .options = {.trace = 1}};
  EXPECT_THROW(search::Search{both}.run({&traced, 1}), UsageError);
  model::Model location(small_config("location-gru"));
  const std::vector<Id> too_long(10, 1);
  EXPECT_NE(message(location, {}, {.source = too_long, .max_length = 5}).find("max_length, 9"), std::string::npos);
}

// A refused job has no effect, and run() does not mix with jobs that have joined.
TEST(Search, ContinuesAfterAnError) {
  model::Model model(small_config("bigru-deep-output"));
  model.initialize(2);
  search::Search search(model);
  const search::SearchJob good{.source = kSmallSources[0], .max_length = 5}, bad{.source = {}, .max_length = 5};
  const auto expected = search.run({&good, 1}).at(0).hypotheses.at(0).words;
  const search::SearchJob both[] = {good, bad};
  EXPECT_THROW(search.run(both), UsageError);
  EXPECT_FALSE(search.busy());
  search.join(good);
  EXPECT_THROW(search.join(bad), UsageError);
  EXPECT_THROW(search.run({&good, 1}), UsageError);
  while (search.busy()) search.step();
  EXPECT_EQ(search.take_finished().at(0).second.hypotheses.at(0).words, expected);
  EXPECT_EQ(search.run({&good, 1}).at(0).hypotheses.at(0).words, expected);
}

}  // namespace
}  // namespace heed::testing
