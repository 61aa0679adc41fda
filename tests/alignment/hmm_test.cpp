// Compares forward-backward with the sum over all alignments of a short pair, in double.
#include "alignment/hmm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace heed {
namespace {

constexpr double kNull = 0.1;  // as in the aligner

struct Expected {
  std::vector<double> posterior, null_posterior;
  alignment::JumpDistribution::Table jumps = {};
  double all = 0;
};

struct Example {
  std::size_t inputs, outputs;
  std::vector<float> emission, null_emission;

  Example(std::size_t in, std::size_t out, std::uint64_t seed) : inputs(in), outputs(out) {
    const Random random(seed, Stream::test);
    for (std::size_t i = 0; i < inputs * outputs; ++i) emission.push_back(0.05F + random.uniform(i));
    for (std::size_t j = 0; j < outputs; ++j) null_emission.push_back(0.05F + random.uniform(1000 + j));
  }

  double transition(std::ptrdiff_t state, std::size_t to, const alignment::JumpDistribution& jumps) const {
    double all = 0;
    for (std::size_t i = 0; i < inputs; ++i) all += jumps.weight(static_cast<std::ptrdiff_t>(i) - state);
    return (1 - kNull) * jumps.weight(static_cast<std::ptrdiff_t>(to) - state) / all;
  }

  // choice: input word of each output word, or `inputs` for none.
  void visit(std::vector<std::size_t>& choice, std::ptrdiff_t state, double probability,
             const alignment::JumpDistribution& jumps, Expected& sums) const {
    const std::size_t j = choice.size();
    if (j == outputs) {
      std::ptrdiff_t at = -1;
      for (std::size_t k = 0; k < outputs; ++k) {
        if (choice[k] == inputs) {
          sums.null_posterior[k] += probability;
          continue;
        }
        sums.posterior[k * inputs + choice[k]] += probability;
        sums.jumps[alignment::JumpDistribution::index(static_cast<std::ptrdiff_t>(choice[k]) - at)] += probability;
        at = static_cast<std::ptrdiff_t>(choice[k]);
      }
      sums.all += probability;
      return;
    }
    for (std::size_t i = 0; i <= inputs; ++i) {
      const bool none = i == inputs;
      const double p = none ? kNull * static_cast<double>(null_emission[j])
                            : transition(state, i, jumps) * static_cast<double>(emission[j * inputs + i]);
      choice.push_back(i);
      visit(choice, none ? state : static_cast<std::ptrdiff_t>(i), probability * p, jumps, sums);
      choice.pop_back();
    }
  }

  Expected count(const alignment::JumpDistribution& jumps) const {
    Expected sums{std::vector<double>(inputs * outputs), std::vector<double>(outputs)};
    std::vector<std::size_t> choice;
    visit(choice, -1, 1, jumps, sums);
    for (double& p : sums.posterior) p /= sums.all;
    for (double& p : sums.null_posterior) p /= sums.all;
    for (double& p : sums.jumps) p /= sums.all;
    return sums;
  }
};

alignment::JumpDistribution forward_jumps() {
  alignment::JumpDistribution::Table counts = {};
  counts[alignment::JumpDistribution::index(1)] = 6;
  counts[alignment::JumpDistribution::index(2)] = 2;
  counts[alignment::JumpDistribution::index(0)] = 1;
  counts[alignment::JumpDistribution::index(-1)] = 0.5;
  alignment::JumpDistribution jumps;
  jumps.update(counts);
  return jumps;
}

TEST(HmmAligner, PosteriorsAreSumsOverAllAlignments) {
  alignment::HmmAligner aligner;  // one for all, the longest not last: nothing may be left over
  for (const auto& [inputs, outputs] : {std::pair{3, 4}, {5, 4}, {1, 3}, {4, 1}, {2, 2}}) {
    const Example example(static_cast<std::size_t>(inputs), static_cast<std::size_t>(outputs), 7);
    for (const alignment::JumpDistribution& jumps : {alignment::JumpDistribution(), forward_jumps()}) {
      aligner.run_hmm(example.emission, example.null_emission, jumps);
      const Expected expected = example.count(jumps);
      ASSERT_EQ(aligner.posterior().size(), expected.posterior.size());
      ASSERT_EQ(aligner.null_posterior().size(), expected.null_posterior.size());
      for (std::size_t i = 0; i < expected.posterior.size(); ++i)
        EXPECT_NEAR(static_cast<double>(aligner.posterior()[i]), expected.posterior[i], 1e-5)
            << inputs << 'x' << outputs;
      for (std::size_t j = 0; j < expected.null_posterior.size(); ++j)
        EXPECT_NEAR(static_cast<double>(aligner.null_posterior()[j]), expected.null_posterior[j], 1e-5)
            << inputs << 'x' << outputs;
      for (std::size_t k = 0; k < expected.jumps.size(); ++k)
        EXPECT_NEAR(aligner.jump_counts()[k], expected.jumps[k], 1e-4) << inputs << 'x' << outputs << " jump " << k;
    }
  }
}

TEST(HmmAligner, Model1TreatsWordsIndependently) {
  const Example example(3, 2, 3);
  alignment::HmmAligner aligner;
  aligner.run_ibm1(example.emission, example.null_emission);
  for (std::size_t j = 0; j < 2; ++j) {
    double all = kNull * static_cast<double>(example.null_emission[j]);
    for (std::size_t i = 0; i < 3; ++i) all += (1 - kNull) / 3 * static_cast<double>(example.emission[j * 3 + i]);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(static_cast<double>(aligner.posterior()[j * 3 + i]),
                  (1 - kNull) / 3 * static_cast<double>(example.emission[j * 3 + i]) / all, 1e-6);
    EXPECT_NEAR(static_cast<double>(aligner.null_posterior()[j]),
                kNull * static_cast<double>(example.null_emission[j]) / all, 1e-6);
  }
}

// With the smallest probability of a lexicon everywhere, nothing underflows or overflows, and the null word has its
// prior.
TEST(HmmAligner, LongPairsOfUnlikelyWordsStayFinite) {
  constexpr std::size_t kWords = 256;
  const std::vector<float> emission(kWords * kWords, 1e-9F), null_emission(kWords, 1e-9F);
  alignment::HmmAligner aligner;
  aligner.run_hmm(emission, null_emission, forward_jumps());
  for (const float none : aligner.null_posterior()) EXPECT_NEAR(static_cast<double>(none), kNull, 1e-3);
}

// Forward-backward in double, without skipping states.
std::vector<double> posterior_in_full(const Example& example, const alignment::JumpDistribution& jumps) {
  const std::size_t states = example.inputs + 1;
  std::vector<std::vector<double>> alpha(example.outputs + 1, std::vector<double>(states)), beta = alpha;
  const auto word = [&](std::size_t j, std::size_t state, std::size_t i) {
    return example.transition(static_cast<std::ptrdiff_t>(state) - 1, i, jumps) *
           static_cast<double>(example.emission[j * example.inputs + i]);
  };
  const auto none = [&](std::size_t j) { return kNull * static_cast<double>(example.null_emission[j]); };
  alpha[0][0] = 1;
  for (std::size_t j = 0; j < example.outputs; ++j)
    for (std::size_t state = 0; state < states; ++state) {
      alpha[j + 1][state] += alpha[j][state] * none(j);
      for (std::size_t i = 0; i < example.inputs; ++i) alpha[j + 1][i + 1] += alpha[j][state] * word(j, state, i);
    }
  beta.back().assign(states, 1);
  for (std::size_t j = example.outputs; j-- > 0;)
    for (std::size_t state = 0; state < states; ++state) {
      beta[j][state] = none(j) * beta[j + 1][state];
      for (std::size_t i = 0; i < example.inputs; ++i) beta[j][state] += word(j, state, i) * beta[j + 1][i + 1];
    }
  std::vector<double> found(example.outputs * example.inputs);
  for (std::size_t j = 0; j < example.outputs; ++j)
    for (std::size_t state = 0; state < states; ++state)
      for (std::size_t i = 0; i < example.inputs; ++i)
        found[j * example.inputs + i] += alpha[j][state] * word(j, state, i) * beta[j + 1][i + 1] / beta[0][0];
  return found;
}

// A long pair with sharp emissions, so that states are skipped.
TEST(HmmAligner, SkippedStatesDoNotMatter) {
  Example example(40, 40, 5);
  for (std::size_t j = 0; j < 40; ++j)
    for (std::size_t i = 0; i < 40; ++i)
      if (j % 5 != 0 && i != (j * 7) % 40) example.emission[j * 40 + i] *= 1e-4F;
  alignment::HmmAligner aligner;
  aligner.run_hmm(example.emission, example.null_emission, forward_jumps());
  const auto expected = posterior_in_full(example, forward_jumps());
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(static_cast<double>(aligner.posterior()[k]), expected[k], 1e-3) << k / 40 << " from " << k % 40;
}

// The outer entries stand for several jumps, and unseen jumps keep a small weight.
TEST(JumpDistribution, UpdateWeighsByCounts) {
  alignment::JumpDistribution::Table counts = {};
  counts[alignment::JumpDistribution::index(1)] =
      counts[alignment::JumpDistribution::index(alignment::JumpDistribution::kMaxJump)] =
          counts[alignment::JumpDistribution::index(-alignment::JumpDistribution::kMaxJump)] = 10;
  alignment::JumpDistribution jumps;
  jumps.update(counts);
  EXPECT_NEAR(jumps.weight(1) / jumps.weight(alignment::JumpDistribution::kMaxJump), 5, 1e-9);
  EXPECT_NEAR(jumps.weight(1) / jumps.weight(-1000), 5, 1e-9);
  EXPECT_GT(jumps.weight(2), 0);
  EXPECT_LT(jumps.weight(2), jumps.weight(1) / 1000);
}

TEST(JumpDistribution, FarJumpsShareAnEntry) {
  EXPECT_EQ(alignment::JumpDistribution::index(-100),
            alignment::JumpDistribution::index(-alignment::JumpDistribution::kMaxJump));
  EXPECT_EQ(alignment::JumpDistribution::index(100),
            alignment::JumpDistribution::index(alignment::JumpDistribution::kMaxJump));
  EXPECT_NE(alignment::JumpDistribution::index(0), alignment::JumpDistribution::index(1));
}

}  // namespace
}  // namespace heed
