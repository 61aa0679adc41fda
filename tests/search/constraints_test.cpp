// Constraints: every required one is met, compared with all possible translations of a made-up model.
#include "search/constraints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "search/made_up_model.h"
#include "search/same_results.h"
#include "search/search.h"
#include "support/small_models.h"

namespace heed::testing {
namespace {

using Phrases = std::vector<std::vector<Id>>;

std::vector<search::Constraint> constraints_of(const Phrases& phrases, bool required = true) {
  std::vector<search::Constraint> all;
  for (const std::vector<Id>& words : phrases) all.push_back({.words = words, .required = required});
  return all;
}

// Whether the words contain all phrases, without overlaps.
bool contains(const std::vector<Id>& words, const Phrases& phrases, std::size_t first = 0, std::uint64_t used = 0) {
  if (first == phrases.size()) return true;
  const std::size_t size = phrases[first].size();
  for (std::size_t i = 0; i + size <= words.size(); ++i) {
    const std::uint64_t mask = ((std::uint64_t{1} << size) - 1) << i;
    if ((used & mask) == 0 &&
        std::equal(phrases[first].begin(), phrases[first].end(), words.begin() + static_cast<std::ptrdiff_t>(i)) &&
        contains(words, phrases, first + 1, used | mask))
      return true;
  }
  return false;
}

// What the hypothesis says about its constraints is true, and none shares a word with another.
void expect_met(const search::Hypothesis& h, const Phrases& phrases) {
  ASSERT_EQ(h.constraints.size(), phrases.size());
  std::vector<bool> used(h.words.size());
  for (std::size_t c = 0; c < phrases.size(); ++c) {
    ASSERT_GE(h.constraints[c], 0) << "constraint " << c;
    const auto from = static_cast<std::size_t>(h.constraints[c]);
    ASSERT_LE(from + phrases[c].size(), h.words.size());
    for (std::size_t k = 0; k < phrases[c].size(); ++k) {
      EXPECT_EQ(h.words[from + k], phrases[c][k]);
      EXPECT_FALSE(used[from + k]);
      used[from + k] = true;
    }
  }
}

const std::vector<Phrases> kPhrases = {{{3}},         {{3, 4}},      {{3}, {4}},    {{3}, {3}},
                                       {{3}, {3, 4}}, {{3, 4}, {4}}, {{2, 2}, {2}}, {{4, 3, 4}}};

TEST(Constraints, AWideBeamFindsTheBestTranslationThatHasThem) {
  constexpr std::size_t kLimit = 4;
  for (std::uint64_t seed = 1; seed <= 8; ++seed)
    for (const Phrases& phrases : kPhrases)
      for (const double length : {0.0, 1.0}) {
        MadeUpModel model(seed);
        const search::SearchOptions options{.beam = 1000, .nbest = 2, .length_normalization = length};
        auto expected = all_translations(model, options, kLimit);
        std::erase_if(expected, [&](const Scored& s) { return !contains(s.words, phrases); });
        const auto constraints = constraints_of(phrases);
        const Found found =
            search(model, options, {.source = kSource, .max_length = kLimit, .constraints = constraints});
        ASSERT_EQ(found.best.size(), std::min<std::size_t>(2, expected.size()));
        for (std::size_t k = 0; k < found.best.size(); ++k) {
          EXPECT_EQ(found.best[k].words, expected[k].words) << "seed " << seed << ", rank " << k;
          EXPECT_NEAR(found.best[k].score, expected[k].score, 1e-6);
          expect_met(found.best[k], phrases);
        }
      }
}

// With every kind of search, and with a limit that leaves just enough room.
TEST(Constraints, AreAlwaysMet) {
  const search::SearchOptions kinds[] = {{.beam = 1},
                                         {.beam = 2, .nbest = 2},
                                         {.beam = 5, .nbest = 3, .coverage = 0.3},
                                         {.beam = 3, .no_repeat = 1},
                                         {.beam = 1, .sample = true, .temperature = 2}};
  const std::vector<Id> prefix = {4, 3};
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (const Phrases& phrases : kPhrases)
      for (const search::SearchOptions& options : kinds)
        for (const bool has_prefix : {false, true}) {
          MadeUpModel model(seed);
          const auto constraints = constraints_of(phrases);
          std::size_t room = has_prefix ? prefix.size() : 0;
          for (const auto& words : phrases) room += words.size();
          for (const std::size_t limit : {room, room + 1, room + 20}) {
            const Found found = search(model, options,
                                       {.source = kSource,
                                        .prefix = has_prefix ? Ids(prefix) : Ids(),
                                        .max_length = static_cast<Index>(limit),
                                        .constraints = constraints});
            ASSERT_FALSE(found.best.empty());
            for (const search::Hypothesis& h : found.best) {
              expect_met(h, phrases);
              EXPECT_LE(h.words.size(), limit);
            }
          }
        }
}

TEST(Constraints, APrefixMeetsThem) {
  MadeUpModel model(3);
  const std::vector<Id> prefix = {4, 3, 4};
  const Phrases phrases = {{3, 4}};
  const auto constraints = constraints_of(phrases);
  const search::Hypothesis h =
      search(model, {.beam = 2}, {.source = kSource, .prefix = prefix, .max_length = 5, .constraints = constraints})
          .best.at(0);
  EXPECT_EQ(h.constraints, std::vector<Index>{1});
  // A prefix that is the whole translation is only scored.
  const std::vector<Id> whole = {4, kEnd};
  EXPECT_EQ(search(model, {}, {.source = kSource, .prefix = whole, .constraints = constraints}).best.at(0).words,
            whole);
}

// 3 is a subword that begins a word, 4 one that continues it: 3 alone must be a word.
TEST(Constraints, AreMetBetweenWordBoundaries) {
  const std::vector<std::uint8_t> joins = {0, 0, search::kJoinsNext, search::kJoinsNext,
                                           search::kJoinsPrevious | search::kJoinsNext};
  const Phrases phrases = {{3}, {3, 4}};
  const auto constraints = constraints_of(phrases);
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    for (const search::SearchOptions& options :
         {search::SearchOptions{.beam = 1}, {.beam = 4}, {.sample = true, .temperature = 3}}) {
      MadeUpModel model(seed, 1);
      search::SearchOptions own = options;
      if (own.sample) own.beam = 1;
      const search::Hypothesis h =
          search(model, own, {.source = kSource, .max_length = 9, .constraints = constraints, .joins = joins})
              .best.at(0);
      expect_met(h, phrases);
      for (std::size_t c = 0; c < 2; ++c) {
        const auto after = static_cast<std::size_t>(h.constraints[c]) + phrases[c].size();
        EXPECT_TRUE(after == h.words.size() || h.words[after] != 4) << "seed " << seed;
      }
    }
}

// Characters: a word of letters (3 and 4) needs a separator (2) before the next.
TEST(Constraints, LeaveRoomForSeparators) {
  constexpr std::uint8_t kLetter = search::kJoinsPrevious | search::kJoinsNext;
  const std::vector<std::uint8_t> joins = {0, 0, 0, kLetter, kLetter};
  const Phrases phrases = {{3, 4}, {4}, {3}};
  const auto constraints = constraints_of(phrases);
  const search::SearchJob job{.source = kSource, .max_length = 7, .constraints = constraints, .joins = joins};
  EXPECT_EQ(search::room_for(job), 7);
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    for (const search::SearchOptions& options :
         {search::SearchOptions{.beam = 1}, {.beam = 4}, {.beam = 1, .sample = true}}) {
      MadeUpModel model(seed, 1);
      expect_met(search(model, options, job).best.at(0), phrases);
    }
}

TEST(Constraints, BeginWhenTheirSourceIsAttendedTo) {
  // The same words for two occurrences: each goes where its source word is attended to.
  search::Constraints constraints;
  const std::vector<Id> word = {4};
  const std::vector<search::Constraint> same = {{.words = word, .source_from = 2, .source_to = 3},
                                                {.words = word, .source_from = 0, .source_to = 1}};
  constraints.begin({.source = kSource, .constraints = same}, 0);
  search::ConstraintProgress progress = constraints.start();
  const float first[] = {0.9F, 0.1F, 0.0F}, last[] = {0.0F, 0.1F, 0.9F};
  constraints.advance(progress, 0, 4, 0, first);
  constraints.advance(progress, 4, 3, 1, first);
  EXPECT_EQ(progress.missing, 1);
  constraints.advance(progress, 3, 4, 2, last);
  EXPECT_EQ(progress.starts, (std::vector<Index>{2, 0}));
  EXPECT_EQ(progress.missing, 0);
}

// A hypothesis that begins a constraint and does not complete it ranks as if it had written another word there.
TEST(Constraints, BegunButNotMetGainNothing) {
  search::Constraints constraints;
  const std::vector<Id> words = {4, 5};
  const std::vector<search::Constraint> one = {{.words = words, .source_from = 0, .source_to = 1, .required = false}};
  const std::vector<std::uint8_t> joins(8, search::kJoinsPrevious | search::kJoinsNext);
  constraints.begin({.source = kSource, .constraints = one}, 0);
  const float attended[] = {0.9F, 0.1F, 0.0F}, elsewhere[] = {0.0F, 0.1F, 0.9F};
  const auto after = [&](std::initializer_list<Id> written) {
    search::ConstraintProgress progress = constraints.start();
    Index time = 0;
    for (Id previous = 0; const Id word : written) {
      constraints.advance(progress, previous, word, time, time == 0 ? attended : elsewhere);
      previous = word;
      ++time;
    }
    return std::pair(progress.agreement, progress.bonus);
  };
  EXPECT_GT(after({4, 5}), after({3, 3}));
  EXPECT_EQ(after({4, 3}), after({3, 3}));
  // "Hund" followed by "e" is another word.
  constraints.begin({.source = kSource, .constraints = one, .joins = joins}, 0);
  EXPECT_EQ(after({4, 5, 6}), after({3, 3, 3}));
}

// A preferred constraint is met more often than by chance, but a hopeless one is left out.
TEST(Constraints, PreferredOnesAreMoreProbableButNotForced) {
  int without = 0, with = 0, runs = 0;
  const Phrases phrases = {{3, 4}};
  const auto constraints = constraints_of(phrases, false);
  for (std::uint64_t seed = 1; seed <= 60; ++seed, ++runs) {
    MadeUpModel model(seed, 6);
    const search::SearchOptions options{.beam = 3, .nbest = 1};
    const search::SearchJob free{.source = kSource, .max_length = 6};
    search::SearchJob job = free;
    job.constraints = constraints;
    const search::Hypothesis h = search(model, options, job).best.at(0);
    without += contains(search(model, options, free).best.at(0).words, phrases);
    with += h.constraints[0] >= 0;
    if (h.constraints[0] >= 0) expect_met(h, phrases);
  }
  EXPECT_GT(with, without + 10);
  EXPECT_LT(with, runs);
}

// Bit for bit the same, whatever else is in the search; and jobs without constraints are not affected.
TEST(Constraints, ResultsDoNotDependOnTheBatch) {
  for (const char* preset : {"bigru-deep-output", "luong-dot", "vanilla"}) {
    model::Model one(small_config(preset)), two(small_config(preset));
    one.initialize(4), two.initialize(5);
    const model::Model* const both[] = {&one, &two};
    for (const std::size_t models : {1, 2})
      for (const search::SearchOptions& options :
           {search::SearchOptions{.beam = 1}, {.beam = 4, .nbest = 2}, {.beam = 1, .sample = true}}) {
        search::Search search{std::span<const model::Model* const>(both).first(models)};
        const std::vector<Id> a = {5, 6}, b = {7};
        const std::vector<search::Constraint> constraints = {{.words = a, .source_from = 0, .source_to = 1},
                                                             {.words = b}};
        std::vector<search::SearchJob> jobs;
        for (std::size_t i = 0; i < 3; ++i) {
          jobs.push_back({.source = kSmallSources[i], .max_length = 9, .constraints = constraints});
          jobs.push_back({.source = kSmallSources[i], .max_length = 9});
        }
        Results alone;
        for (const search::SearchJob& job : jobs) alone.push_back(search.run({&job, 1}, options).at(0));
        expect_same(search.run(jobs, options), alone, "together");
        std::ranges::reverse(jobs);
        std::ranges::reverse(alone);
        expect_same(search.run(jobs, options), alone, "in reverse order");
        for (std::size_t i = 0; i < jobs.size(); ++i)
          for (const search::Hypothesis& h : alone[i]) {
            if (jobs[i].constraints.empty())
              EXPECT_TRUE(h.constraints.empty());
            else
              expect_met(h, {a, b});
          }
      }
  }
}

TEST(Constraints, RejectsInvalidOnes) {
  model::Model model(small_config("luong-dot"));
  model.initialize(1);
  search::Search search(model);
  const auto rejects = [&](std::vector<Id> words, Index limit, Index to, const char* message) {
    const search::Constraint c{.words = words, .source_from = 0, .source_to = to};
    const search::SearchJob job{.source = kSmallSources[0], .max_length = limit, .constraints = {&c, 1}};
    try {
      search.run({&job, 1});
      ADD_FAILURE() << message;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  };
  rejects({}, 9, 0, "no words");
  rejects({14}, 9, 0, "the id 14");
  rejects({4, 1}, 9, 0, "the end symbol");
  rejects({4}, 9, 5, "from 0 to 5");
  rejects({4, 5, 6}, 2, 0, "longer than the maximum length, 2");
}

}  // namespace
}  // namespace heed::testing
