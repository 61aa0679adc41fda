// The chain's sums against every way there is of making a short output from a short input, counted out in double.
#include "alignment/chain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace heed {
namespace {

constexpr double kNone = 0.1;  // as the chain has it

struct Expected {
  std::vector<double> from_word, from_none;
  Steps::Table steps = {};
  double all = 0;
};

struct Example {
  std::size_t inputs, outputs;
  std::vector<float> given_word, given_none;

  Example(std::size_t in, std::size_t out, std::uint64_t seed) : inputs(in), outputs(out) {
    const Random random(seed, Stream::test);
    for (std::size_t i = 0; i < inputs * outputs; ++i) given_word.push_back(0.05F + random.uniform(i));
    for (std::size_t j = 0; j < outputs; ++j) given_none.push_back(0.05F + random.uniform(1000 + j));
  }

  double move(std::ptrdiff_t place, std::size_t to, const Steps& steps) const {
    double all = 0;
    for (std::size_t i = 0; i < inputs; ++i) all += steps.weight(static_cast<std::ptrdiff_t>(i) - place);
    return (1 - kNone) * steps.weight(static_cast<std::ptrdiff_t>(to) - place) / all;
  }

  // choice: input word of each output word, or `inputs` for none.
  void visit(std::vector<std::size_t>& choice, std::ptrdiff_t place, double probability, const Steps& steps,
             Expected& sums) const {
    const std::size_t j = choice.size();
    if (j == outputs) {
      std::ptrdiff_t at = -1;
      for (std::size_t k = 0; k < outputs; ++k) {
        if (choice[k] == inputs) {
          sums.from_none[k] += probability;
          continue;
        }
        sums.from_word[k * inputs + choice[k]] += probability;
        sums.steps[Steps::place(static_cast<std::ptrdiff_t>(choice[k]) - at)] += probability;
        at = static_cast<std::ptrdiff_t>(choice[k]);
      }
      sums.all += probability;
      return;
    }
    for (std::size_t i = 0; i <= inputs; ++i) {
      const bool none = i == inputs;
      const double p = none ? kNone * static_cast<double>(given_none[j])
                            : move(place, i, steps) * static_cast<double>(given_word[j * inputs + i]);
      choice.push_back(i);
      visit(choice, none ? place : static_cast<std::ptrdiff_t>(i), probability * p, steps, sums);
      choice.pop_back();
    }
  }

  Expected count(const Steps& steps) const {
    Expected sums{std::vector<double>(inputs * outputs), std::vector<double>(outputs)};
    std::vector<std::size_t> choice;
    visit(choice, -1, 1, steps, sums);
    for (double& p : sums.from_word) p /= sums.all;
    for (double& p : sums.from_none) p /= sums.all;
    for (double& p : sums.steps) p /= sums.all;
    return sums;
  }
};

Steps forward_steps() {
  Steps::Table counts = {};
  counts[Steps::place(1)] = 6;
  counts[Steps::place(2)] = 2;
  counts[Steps::place(0)] = 1;
  counts[Steps::place(-1)] = 0.5;
  Steps steps;
  steps.update(counts);
  return steps;
}

TEST(Chain, ChainedIsTheSumOverAllWays) {
  Chain chain;  // one for all, the longest not last: nothing may be left over
  for (const auto& [inputs, outputs] : {std::pair{3, 4}, {5, 4}, {1, 3}, {4, 1}, {2, 2}}) {
    const Example example(static_cast<std::size_t>(inputs), static_cast<std::size_t>(outputs), 7);
    for (const Steps& steps : {Steps(), forward_steps()}) {
      chain.read_chained(example.given_word, example.given_none, steps);
      const Expected expected = example.count(steps);
      ASSERT_EQ(chain.from_word().size(), expected.from_word.size());
      ASSERT_EQ(chain.from_none().size(), expected.from_none.size());
      for (std::size_t i = 0; i < expected.from_word.size(); ++i)
        EXPECT_NEAR(static_cast<double>(chain.from_word()[i]), expected.from_word[i], 1e-5) << inputs << 'x' << outputs;
      for (std::size_t j = 0; j < expected.from_none.size(); ++j)
        EXPECT_NEAR(static_cast<double>(chain.from_none()[j]), expected.from_none[j], 1e-5) << inputs << 'x' << outputs;
      for (std::size_t k = 0; k < expected.steps.size(); ++k)
        EXPECT_NEAR(chain.steps_taken()[k], expected.steps[k], 1e-4) << inputs << 'x' << outputs << " step " << k;
    }
  }
}

TEST(Chain, AloneEveryWordChoosesByItself) {
  const Example example(3, 2, 3);
  Chain chain;
  chain.read_alone(example.given_word, example.given_none);
  for (std::size_t j = 0; j < 2; ++j) {
    double all = kNone * static_cast<double>(example.given_none[j]);
    for (std::size_t i = 0; i < 3; ++i) all += (1 - kNone) / 3 * static_cast<double>(example.given_word[j * 3 + i]);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(static_cast<double>(chain.from_word()[j * 3 + i]),
                  (1 - kNone) / 3 * static_cast<double>(example.given_word[j * 3 + i]) / all, 1e-6);
    EXPECT_NEAR(static_cast<double>(chain.from_none()[j]), kNone * static_cast<double>(example.given_none[j]) / all,
                1e-6);
  }
}

// The least that a lexicon gives, over and over: nothing vanishes and nothing overflows. Where every word is as likely
// as none, a word comes from none as often as it may.
TEST(Chain, LongPairsOfUnlikelyWordsStayFinite) {
  constexpr std::size_t kWords = 256;
  const std::vector<float> given_word(kWords * kWords, 1e-9F), given_none(kWords, 1e-9F);
  Chain chain;
  chain.read_chained(given_word, given_none, forward_steps());
  for (const float none : chain.from_none()) EXPECT_NEAR(static_cast<double>(none), kNone, 1e-3);
}

// Forward and backward in double with no place passed over.
std::vector<double> from_word_in_full(const Example& example, const Steps& steps) {
  const std::size_t places = example.inputs + 1;
  std::vector<std::vector<double>> ahead(example.outputs + 1, std::vector<double>(places)), behind = ahead;
  const auto word = [&](std::size_t j, std::size_t place, std::size_t i) {
    return example.move(static_cast<std::ptrdiff_t>(place) - 1, i, steps) *
           static_cast<double>(example.given_word[j * example.inputs + i]);
  };
  const auto none = [&](std::size_t j) { return kNone * static_cast<double>(example.given_none[j]); };
  ahead[0][0] = 1;
  for (std::size_t j = 0; j < example.outputs; ++j)
    for (std::size_t place = 0; place < places; ++place) {
      ahead[j + 1][place] += ahead[j][place] * none(j);
      for (std::size_t i = 0; i < example.inputs; ++i) ahead[j + 1][i + 1] += ahead[j][place] * word(j, place, i);
    }
  behind.back().assign(places, 1);
  for (std::size_t j = example.outputs; j-- > 0;)
    for (std::size_t place = 0; place < places; ++place) {
      behind[j][place] = none(j) * behind[j + 1][place];
      for (std::size_t i = 0; i < example.inputs; ++i) behind[j][place] += word(j, place, i) * behind[j + 1][i + 1];
    }
  std::vector<double> found(example.outputs * example.inputs);
  for (std::size_t j = 0; j < example.outputs; ++j)
    for (std::size_t place = 0; place < places; ++place)
      for (std::size_t i = 0; i < example.inputs; ++i)
        found[j * example.inputs + i] += ahead[j][place] * word(j, place, i) * behind[j + 1][i + 1] / behind[0][0];
  return found;
}

// Long enough, and sure enough of most words, for places to be passed over.
TEST(Chain, WhatIsPassedOverDoesNotMatter) {
  Example example(40, 40, 5);
  for (std::size_t j = 0; j < 40; ++j)
    for (std::size_t i = 0; i < 40; ++i)
      if (j % 5 != 0 && i != (j * 7) % 40) example.given_word[j * 40 + i] *= 1e-4F;
  Chain chain;
  chain.read_chained(example.given_word, example.given_none, forward_steps());
  const auto expected = from_word_in_full(example, forward_steps());
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(static_cast<double>(chain.from_word()[k]), expected[k], 1e-3) << k / 40 << " from " << k % 40;
}

// The last entry stands for several lengths of step, and what was never seen may still be.
TEST(Steps, WeighAsTheyWereCounted) {
  Steps::Table counts = {};
  counts[Steps::place(1)] = counts[Steps::place(Steps::kReach)] = counts[Steps::place(-Steps::kReach)] = 10;
  Steps steps;
  steps.update(counts);
  EXPECT_NEAR(steps.weight(1) / steps.weight(Steps::kReach), 5, 1e-9);
  EXPECT_NEAR(steps.weight(1) / steps.weight(-1000), 5, 1e-9);
  EXPECT_GT(steps.weight(2), 0);
  EXPECT_LT(steps.weight(2), steps.weight(1) / 1000);
}

TEST(Steps, FarOnesShareAPlace) {
  EXPECT_EQ(Steps::place(-100), Steps::place(-Steps::kReach));
  EXPECT_EQ(Steps::place(100), Steps::place(Steps::kReach));
  EXPECT_NE(Steps::place(0), Steps::place(1));
}

}  // namespace
}  // namespace heed
