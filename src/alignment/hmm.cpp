#include "alignment/hmm.h"

#include <algorithm>

namespace heed::alignment {
namespace {

constexpr float kNull = 0.1F;            // p0: the prior of the null word
constexpr float kNegligible = 1e-6F;     // states with a lower alpha are skipped
constexpr double kClampedJumps = 5;      // assumed number of jumps in the first, and in the last, entry of a table
constexpr double kJumpSmoothing = 1e-3;  // additive smoothing
constexpr float kTiny = 1e-30F;          // prevents a division by zero

std::ptrdiff_t jump_to(std::size_t input, std::size_t state) {
  return static_cast<std::ptrdiff_t>(input + 1) - static_cast<std::ptrdiff_t>(state);
}

// Eight sums side by side, so that the compiler can use SIMD instructions.
float dot(const float* a, const float* b, std::size_t count) {
  float sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (std::size_t k = 0; k < 8; ++k) sums[k] += a[i + k] * b[i + k];
  for (std::size_t k = 0; i < count; ++i, ++k) sums[k] += a[i] * b[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace

std::size_t JumpDistribution::index(std::ptrdiff_t jump) {
  return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(jump, -kMaxJump, kMaxJump) + kMaxJump);
}

void JumpDistribution::update(const Table& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) weights_[i] = counts[i] + kJumpSmoothing;
  weights_.front() /= kClampedJumps;
  weights_.back() /= kClampedJumps;
}

void HmmAligner::run_ibm1(std::span<const float> emission, std::span<const float> null_emission) {
  const std::size_t outputs = null_emission.size(), inputs = emission.size() / outputs;
  posterior_.assign(emission.begin(), emission.end());
  null_posterior_.resize(outputs);
  const float prior = (1 - kNull) / static_cast<float>(inputs);
  for (std::size_t j = 0; j < outputs; ++j) {
    const std::span row = std::span(posterior_).subspan(j * inputs, inputs);
    float sum = kNull * null_emission[j] + kTiny;
    for (const float p : row) sum += prior * p;
    for (float& p : row) p *= prior / sum;
    null_posterior_[j] = kNull * null_emission[j] / sum;
  }
}

void HmmAligner::set_transitions(std::size_t inputs, const JumpDistribution& jumps) {
  transition_.resize((inputs + 1) * inputs);
  for (std::size_t state = 0; state <= inputs; ++state) {
    const std::span row = std::span(transition_).subspan(state * inputs, inputs);
    double sum = 0;
    for (std::size_t i = 0; i < inputs; ++i) {
      const double weight = jumps.weight(jump_to(i, state));
      row[i] = static_cast<float>(weight);
      sum += weight;
    }
    for (float& p : row) p *= (1 - kNull) / static_cast<float>(sum);
  }
}

void HmmAligner::run_hmm(std::span<const float> emission, std::span<const float> null_emission,
                         const JumpDistribution& jumps) {
  const std::size_t outputs = null_emission.size(), inputs = emission.size() / outputs, states = inputs + 1;
  set_transitions(inputs, jumps);
  posterior_.resize(outputs * inputs);
  null_posterior_.resize(outputs);
  scale_.resize(outputs);
  alpha_.assign((outputs + 1) * states, 0);
  alpha_[0] = 1;
  for (std::size_t j = 0; j < outputs; ++j) {  // forward; a row of posterior_ holds the linked part of alpha_{j+1}
    const float *alpha = &alpha_[j * states], *emitted = &emission[j * inputs];
    float *alpha_next = &alpha_[(j + 1) * states], *word = &posterior_[j * inputs];
    std::fill_n(word, inputs, 0.0F);
    float sum = kTiny;
    for (std::size_t state = 0; state < states; ++state) {
      if (alpha[state] < kNegligible) continue;
      const float* a = &transition_[state * inputs];
      for (std::size_t i = 0; i < inputs; ++i) word[i] += alpha[state] * a[i];
      alpha_next[state] = alpha[state] * kNull * null_emission[j];
      sum += alpha_next[state];
    }
    for (std::size_t i = 0; i < inputs; ++i) {
      word[i] *= emitted[i];
      alpha_next[i + 1] += word[i];
      sum += word[i];
    }
    for (std::size_t i = 0; i < inputs; ++i) word[i] /= sum;
    for (std::size_t state = 0; state < states; ++state) alpha_next[state] /= sum;
    scale_[j] = sum;
  }
  beta_.assign(states, 1);
  next_.resize(inputs);
  xi_.assign(states * inputs, 0);
  for (std::size_t j = outputs; j-- > 0;) {  // backward
    const float *alpha = &alpha_[j * states], *emitted = &emission[j * inputs];
    float *word = &posterior_[j * inputs], linked = 0;
    for (std::size_t i = 0; i < inputs; ++i) {
      word[i] *= beta_[i + 1];
      linked += word[i];
      next_[i] = emitted[i] * beta_[i + 1] / scale_[j];
    }
    null_posterior_[j] = std::max(0.0F, 1 - linked);
    for (std::size_t state = 0; state < states; ++state) {
      if (alpha[state] < kNegligible) {
        beta_[state] = 0;
        continue;
      }
      const float* a = &transition_[state * inputs];
      float* xi = &xi_[state * inputs];
      for (std::size_t i = 0; i < inputs; ++i) xi[i] += alpha[state] * next_[i];
      beta_[state] = dot(a, next_.data(), inputs) + beta_[state] * kNull * null_emission[j] / scale_[j];
    }
  }
  jump_counts_.fill(0);
  for (std::size_t state = 0; state < states; ++state)
    for (std::size_t i = 0; i < inputs; ++i)
      jump_counts_[JumpDistribution::index(jump_to(i, state))] +=
          static_cast<double>(transition_[state * inputs + i] * xi_[state * inputs + i]);
}

}  // namespace heed::alignment
