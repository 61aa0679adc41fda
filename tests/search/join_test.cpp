// Sentences that join and leave a running search: each gets the same result as alone, bit for bit, with its own
// options.
#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "search/same_results.h"
#include "search/search.h"
#include "support/allocations.h"
#include "support/small_models.h"

namespace heed::testing {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::vector<Id>> some_sources(std::uint32_t count) {
  std::vector<std::vector<Id>> sources;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Random random(3, Stream::test, i);
    sources.emplace_back();
    for (std::uint32_t t = 0; t < random.below(0, 8); ++t)
      sources.back().push_back(static_cast<Id>(3 + random.below(t + 1, 9)));
    sources.back().push_back(1);
  }
  return sources;
}

// Beams 1 and 5, n-best, coverage, sampling, prefixes and lengths, all in one search.
std::vector<search::SearchJob> some_jobs(const std::vector<std::vector<Id>>& sources, bool has_attention) {
  static const std::vector<Id> prefix = {5, 6}, whole = {7, 8, 1};
  std::vector<search::SearchJob> jobs;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    search::SearchJob& job =
        jobs.emplace_back(search::SearchJob{.source = sources[i], .max_length = static_cast<Index>(3 + i % 9)});
    if (i % 5 == 1) job.options.beam = 1;
    if (i % 5 == 2) job.options.nbest = 3;
    if (i % 5 == 3) job.options = {.beam = 1, .sample = true, .temperature = 2};
    if (i % 5 == 4) job.options = {.beam = 2, .coverage = has_attention ? 0.3 : 0, .attention = i % 2 == 0};
    if (i % 4 == 1) job.prefix = prefix;
    if (i % 7 == 3) job.prefix = whole;
    job.options.shortlist = i % 3 != 0;  // has no effect unless the models have one
  }
  return jobs;
}

void expect_same_alone_and_together(std::span<const model::Model* const> models) {
  const auto sources = some_sources(40);
  search::Search search(models);
  bool has_attention = false;
  for (const model::Model* model : models) has_attention = has_attention || model->config().attends();
  const std::vector<search::SearchJob> jobs = some_jobs(sources, has_attention);
  Results alone;
  for (const search::SearchJob& job : jobs) alone.push_back(search.run({&job, 1}).at(0).hypotheses);
  Results together;
  for (search::SearchResult& result : search.run(jobs)) together.push_back(std::move(result.hypotheses));
  expect_same(together, alone, "all at once");

  for (std::uint32_t schedule = 0; schedule < 4; ++schedule) {
    const Random random(4, Stream::test, schedule);
    std::map<search::Search::Ticket, std::size_t> whose;
    Results found(jobs.size());
    std::vector<search::Search::Ticket> canceled;
    std::size_t next = 0;
    for (std::uint64_t time = 0; next < jobs.size() || search.busy(); ++time) {
      // At some steps no job joins, at others several; some jobs are canceled, before or after a few steps.
      for (std::uint32_t n = random.below(3 * time, 4); n > 0 && next < jobs.size(); --n) {
        whose[search.join(jobs[next])] = next;
        ++next;
      }
      if (random.below(3 * time + 1, 3) == 0) canceled.push_back(search.join(jobs[time % jobs.size()]));
      if (!canceled.empty() && random.below(3 * time + 2, 2) == 0) search.cancel(canceled.back());
      search.step();
      for (auto& [ticket, result] : search.take_finished()) {
        if (whose.contains(ticket)) {
          EXPECT_FALSE(result.stopped);
          found[whose[ticket]] = std::move(result.hypotheses);
        } else {
          EXPECT_EQ(result.stopped, result.hypotheses.empty());
        }
      }
    }
    expect_same(found, alone, "schedule " + std::to_string(schedule));
  }
}

TEST(SearchJoin, GivesEverySentenceTheSameBitsAsAlone) {
  for (const model::Preset& preset : model::presets()) {
    SCOPED_TRACE(preset.name);
    model::Model model(small_config(preset.name));
    model.initialize(4);
    const model::Model* const one[] = {&model};
    expect_same_alone_and_together(one);
  }
}

TEST(SearchJoin, HoldsForJobsWithAndWithoutShortlist) {
  for (const model::Preset& preset : model::presets()) {
    SCOPED_TRACE(preset.name);
    const auto model = model_with_shortlist(preset.name, 4);
    const model::Model* const one[] = {model.get()};
    expect_same_alone_and_together(one);
  }
  const auto gru = model_with_shortlist("bigru-deep-output", 1), lstm = model_with_shortlist("bahdanau-lstm", 2);
  const model::Model* const two[] = {gru.get(), lstm.get()};
  expect_same_alone_and_together(two);
}

TEST(SearchJoin, HoldsForEnsemblesToo) {
  model::Model gru(small_config("bigru-deep-output")), lstm(small_config("bahdanau-lstm")),
      location(small_config("location-gru")), none(small_config("vanilla"));
  gru.initialize(1), lstm.initialize(2), location.initialize(3), none.initialize(4);
  const model::Model* const three[] = {&gru, &lstm, &none};
  expect_same_alone_and_together(three);
  const model::Model* const mixed[] = {&location, &lstm};
  expect_same_alone_and_together(mixed);
}

TEST(SearchJoin, StopsJobsBetweenSteps) {
  model::Model model(small_config("bigru-deep-output"));
  model.initialize(4);
  search::Search search(model);
  const search::SearchOptions longest{.beam = 1, .word_reward = 0};
  const std::vector<Id> prefix(30, 5);
  const search::SearchJob plain{.source = kSmallSources[2], .prefix = prefix, .max_length = 31, .options = longest};
  std::stop_source stop;
  search::SearchJob stoppable = plain, late = plain, early = plain;
  stoppable.stop = stop.get_token();
  late.deadline = Clock::now() - std::chrono::seconds(1);
  early.deadline = Clock::now() + std::chrono::hours(1);
  const auto first = search.join(stoppable), second = search.join(late), third = search.join(early);
  search.step();
  auto finished = search.take_finished();
  ASSERT_EQ(finished.size(), 1u);
  EXPECT_EQ(finished[0].first, second);
  EXPECT_TRUE(finished[0].second.stopped && finished[0].second.hypotheses.empty());
  search.step();
  stop.request_stop();
  search.step();
  finished = search.take_finished();
  ASSERT_EQ(finished.size(), 1u);
  EXPECT_EQ(finished[0].first, first);
  EXPECT_TRUE(finished[0].second.stopped);
  while (search.busy()) search.step();
  finished = search.take_finished();
  ASSERT_EQ(finished.size(), 1u);
  EXPECT_EQ(finished[0].first, third);
  EXPECT_FALSE(finished[0].second.stopped);
  EXPECT_EQ(finished[0].second.hypotheses.at(0).words.size(), 31u);
  search.cancel(third);  // already finished
  EXPECT_TRUE(search.take_finished().empty());

  const search::SearchJob both[] = {late, plain};
  const auto results = search.run(both);
  EXPECT_TRUE(results[0].stopped);
  EXPECT_FALSE(results[1].stopped);
}

#ifdef HEED_COUNTS_ALLOCATIONS
TEST(SearchJoin, CanBeUsedAgainAfterRunningOutOfMemory) {
  const auto owner = model_with_shortlist("bigru-deep-output", 4);
  const model::Model& model = *owner;
  const auto sources = some_sources(6);
  const std::vector<search::SearchJob> jobs = some_jobs(sources, true);
  const auto run = [&](search::Search& search) {
    Results results;
    for (search::SearchResult& result : search.run(jobs)) results.push_back(std::move(result.hypotheses));
    return results;
  };
  search::Search whole(model);
  const Results expected = run(whole);
  long failure = 0;
  for (bool failed = true; failed;) {
    search::Search search(model);
    failed = false;
    until_failure = ++failure;
    try {
      search.run(jobs);
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    until_failure = 0;
    ASSERT_FALSE(search.busy());
    expect_same(run(search), expected, "after failure " + std::to_string(failure));
  }
  EXPECT_GT(failure, 100);
}
#endif

}  // namespace
}  // namespace heed::testing
