// One direction of a text aligner on one sentence pair: the posterior probability that output word j comes from input
// word i, or from none (the null word), under one of two models. Emissions p(f_j | e_i) and p(f_j | null) are given.
//
// IBM model 1 (Brown et al., 1993): every output word chooses by itself, each of the I input words alike,
//   posterior(j, i) ∝ (1 - p0) / I · p(f_j | e_i),   null_posterior(j) ∝ p0 · p(f_j | null).
//
// HMM (Vogel, Ney and Tillmann, 1996): the next word tends to come from near where the last one did. State s is the
// position of the last input word used, 0 before the first, i + 1 at word i; null keeps it (Och and Ney, 2003):
//   a(s, i)         = (1 - p0) · jump(i + 1 - s) / Σ_i' jump(i' + 1 - s)       transition
//   alpha_0(0)      = 1
//   alpha_{j+1}(s)  = [ Σ_s' alpha_j(s') a(s', s - 1) p(f_j | e_{s-1}) + alpha_j(s) p0 p(f_j | null) ] / scale_j
//   beta_J(s)       = 1
//   beta_j(s)       = [ Σ_i a(s, i) p(f_j | e_i) beta_{j+1}(i + 1) + p0 p(f_j | null) beta_{j+1}(s) ] / scale_j
//   xi(s, i)        = Σ_j alpha_j(s) a(s, i) p(f_j | e_i) beta_{j+1}(i + 1) / scale_j      expected transitions
//   posterior(j, i) = Σ_s of the summands of xi at j
// scale_j makes alpha_{j+1} sum to 1, which keeps long sentences within the range of a float.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace heed::alignment {

// How likely each jump is: the position of an output word's input word minus that of the previous one, clamped to
// ±kMaxJump. Weights, not normalized.
class JumpDistribution {
 public:
  static constexpr int kMaxJump = 15;
  using Table = std::array<double, 2 * kMaxJump + 1>;

  JumpDistribution();  // all equally likely
  double weight(std::ptrdiff_t jump) const { return weights_[index(jump)]; }
  static std::size_t index(std::ptrdiff_t jump);
  void update(const Table& counts);

 private:
  Table weights_;
};

// Used by one thread; results are valid until the next call. Allocates only for a longer pair than any before.
class HmmAligner {
 public:
  // emission: a row per output word, a column per input word, neither empty; null_emission: per output word.
  void run_ibm1(std::span<const float> emission, std::span<const float> null_emission);
  void run_hmm(std::span<const float> emission, std::span<const float> null_emission, const JumpDistribution& jumps);

  std::span<const float> posterior() const { return posterior_; }  // rows and columns as emission
  std::span<const float> null_posterior() const { return null_posterior_; }
  const JumpDistribution::Table& jump_counts() const { return jump_counts_; }  // expected; after run_hmm() only

 private:
  void set_transitions(std::size_t inputs, const JumpDistribution& jumps);

  std::vector<float> posterior_, null_posterior_;
  JumpDistribution::Table jump_counts_ = {};
  std::vector<float> transition_;  // [state][input word]: a
  std::vector<float> alpha_;       // [output word + 1][state]
  std::vector<float> beta_;        // [state], of the present output word
  std::vector<float> next_;        // [input word]: p(f_j | e_i) beta_{j+1}(i + 1) / scale_j
  std::vector<float> xi_;          // [state][input word], without its factor a, which does not depend on j
  std::vector<float> scale_;       // [output word]
};

}  // namespace heed::alignment
