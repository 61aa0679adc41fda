// The beam on numbers alone: a made-up model with known probabilities, compared with all possible translations.
#include "search/beam.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "search/made_up_model.h"

namespace heed::testing {
namespace {

const search::SearchOptions kSettings[] = {
    {.length_normalization = 0},
    {.length_normalization = 1},
    {.length_normalization = 0.6, .word_reward = 0.5},
    {.length_normalization = 0, .word_reward = 1.5},
    {.length_normalization = 1.4, .word_reward = -0.3},
    {.length_normalization = 1, .coverage = 0.4},
    {.length_normalization = 0, .word_reward = 0.2, .coverage = 2},
};

// A beam as large as the number of translations finds exactly the best ones, although it stops as early as it can.
TEST(Beam, FindsTheBestTranslationsDespiteStoppingEarly) {
  constexpr std::size_t kLimit = 4;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (search::SearchOptions options : kSettings) {
      for (const int nbest : {1, 3}) {
        MadeUpModel model(seed);
        options.beam = 1000;
        options.nbest = nbest;
        const auto expected = all_translations(model, options, kLimit);
        const Found found = search(model, options, {.source = kSource, .max_length = kLimit});
        ASSERT_EQ(found.best.size(), static_cast<std::size_t>(nbest));
        for (std::size_t k = 0; k < found.best.size(); ++k) {
          EXPECT_EQ(found.best[k].words, expected[k].words) << "seed " << seed << ", rank " << k;
          EXPECT_NEAR(found.best[k].score, expected[k].score, 1e-6);
        }
      }
    }
  }
}

// If nothing favors long translations, the search ends long before the limit.
TEST(Beam, StopsOnceTheBestCannotBeOvertaken) {
  int early = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    MadeUpModel model(seed);
    const Found found =
        search(model, {.beam = 3, .nbest = 1, .length_normalization = 0}, {.source = kSource, .max_length = 60});
    early += found.steps < 20 ? 1 : 0;
  }
  EXPECT_EQ(early, 10);
}

TEST(Beam, LargerBeamsScoreBetterOnAverage) {
  double narrow = 0, wide = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    MadeUpModel model(seed, 1);
    const search::SearchJob job{.source = kSource, .max_length = 6};
    narrow += search(model, {.beam = 1, .length_normalization = 0}, job).best[0].score;
    wide += search(model, {.beam = 8, .length_normalization = 0}, job).best[0].score;
  }
  EXPECT_GT(wide, narrow + 1);
}

TEST(Beam, OfSizeOneTakesTheMostProbableWord) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    MadeUpModel model(seed);
    const search::Hypothesis found = search(model, {.beam = 1}, {.source = kSource, .max_length = 8}).best.at(0);
    std::vector<Id> words;
    double p = 0;
    do {
      const auto& step = model.after(words).words;
      const auto best = std::ranges::max_element(step);
      p += static_cast<double>(*best);
      words.push_back(static_cast<Id>(best - step.begin()));
    } while (words.back() != kEnd && words.size() < 8);
    EXPECT_EQ(found.words, words);
    EXPECT_NEAR(found.log_probability, p, 1e-6);
    EXPECT_NEAR(found.score, p / static_cast<double>(words.size()), 1e-6);
    ASSERT_EQ(found.word_log_probabilities.size(), words.size());
    ASSERT_EQ(found.attention.size(), 3 * words.size());
    words.pop_back();
    EXPECT_EQ(found.attention[3 * words.size()], model.after(words).attention[0]);
  }
}

TEST(Beam, KeepsAPrefixAndScoresAForcedTranslation) {
  MadeUpModel model(5);
  const std::vector<Id> prefix = {3, 3}, whole = {4, 2, 1};
  for (const int beam : {1, 4}) {
    const auto found =
        search(model, {.beam = beam, .nbest = beam}, {.source = kSource, .prefix = prefix, .max_length = 6}).best;
    for (const search::Hypothesis& h : found) EXPECT_TRUE(h.words.size() > 2 && h.words[0] == 3 && h.words[1] == 3);
    const auto scored = search(model, {.beam = beam, .nbest = beam}, {.source = kSource, .prefix = whole}).best;
    ASSERT_EQ(scored.size(), 1u);
    EXPECT_EQ(scored[0].words, whole);
    EXPECT_NEAR(
        scored[0].log_probability,
        static_cast<double>(model.after({}).words[4] + model.after({4}).words[2] + model.after({4, 2}).words[1]), 1e-6);
  }
}

TEST(Beam, RepeatsNoNGram) {
  for (const int n : {1, 2, 3}) {
    int repeated_without = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      MadeUpModel model(seed, 6);
      for (const int no_repeat : {0, n}) {
        const search::SearchOptions options{
            .beam = 3, .length_normalization = 0, .word_reward = 5, .no_repeat = no_repeat};
        const std::vector<Id> words = search(model, options, {.source = kSource, .max_length = 12}).best.at(0).words;
        std::set<std::vector<Id>> seen;
        for (std::size_t i = 0; i + static_cast<std::size_t>(n) <= words.size(); ++i) {
          const bool fresh = seen.insert({words.begin() + static_cast<std::ptrdiff_t>(i),
                                          words.begin() + static_cast<std::ptrdiff_t>(i) + n})
                                 .second;
          EXPECT_TRUE(fresh || no_repeat == 0) << "n " << n << ", seed " << seed;
          repeated_without += fresh ? 0 : 1;
        }
      }
    }
    EXPECT_GT(repeated_without, 0) << "nothing was repeated without the option either";
  }
}

// NaN must not make a search hang or crash.
TEST(Beam, EndsIfNoWordHasAProbability) {
  for (const bool sample : {false, true}) {
    const search::SearchJob job{.source = kSource, .max_length = 5, .options = {.beam = 1, .sample = sample}};
    search::Beam beam;
    beam.begin(job, kVocabulary, 3);
    const std::vector<float> nothing(5, std::nanf(""));
    const search::Beam::Row row{nothing, nullptr};
    beam.advance({&row, 1});
    EXPECT_TRUE(beam.running().empty());
    EXPECT_EQ(beam.results().size(), 1u);
  }
}

// How often each word is sampled at the first step, over many seeds.
std::vector<double> sampled_frequencies(search::SearchOptions options, int draws) {
  std::vector<double> frequencies(5, 0);
  for (int i = 0; i < draws; ++i) {
    MadeUpModel model(3);
    options.beam = 1;
    options.sample = true;
    options.seed = i;
    const auto found = search(model, options, {.source = kSource, .max_length = 1}).best.at(0);
    frequencies[static_cast<std::size_t>(found.words.at(0))] += 1.0 / draws;
  }
  return frequencies;
}

TEST(Beam, SamplesWordsByTheirProbability) {
  MadeUpModel model(3);
  std::vector<double> p;
  for (const float x : model.after({}).words) p.push_back(std::exp(static_cast<double>(x)));
  const auto drawn = sampled_frequencies({}, 4000);
  for (std::size_t w = 0; w < 5; ++w) EXPECT_NEAR(drawn[w], p[w], 0.03) << w;

  // Temperature raises probabilities to a power; top-k and top-p keep the most probable words and renormalize.
  std::vector<double> sharp(5);
  double sum = 0;
  for (std::size_t w = 0; w < 5; ++w) sum += sharp[w] = p[w] * p[w];
  const auto cold = sampled_frequencies({.temperature = 0.5}, 4000);
  for (std::size_t w = 0; w < 5; ++w) EXPECT_NEAR(cold[w], sharp[w] / sum, 0.03) << w;

  std::vector<std::size_t> order = {0, 1, 2, 3, 4};
  std::ranges::sort(order, std::greater{}, [&](std::size_t w) { return p[w]; });
  const double two = p[order[0]] + p[order[1]];
  for (const search::SearchOptions& with :
       {search::SearchOptions{.top_k = 2}, search::SearchOptions{.top_p = p[order[0]] + 0.5 * p[order[1]]}}) {
    const auto top = sampled_frequencies(with, 4000);
    EXPECT_NEAR(top[order[0]], p[order[0]] / two, 0.03);
    EXPECT_NEAR(top[order[1]], p[order[1]] / two, 0.03);
    EXPECT_EQ(top[order[2]] + top[order[3]] + top[order[4]], 0);
  }
}

}  // namespace
}  // namespace heed::testing
