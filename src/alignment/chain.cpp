#include "alignment/chain.h"

#include <algorithm>

namespace heed {
namespace {

constexpr float kNone = 0.1F;          // that an output word comes from no input word
constexpr float kNegligible = 1e-6F;   // places less likely than this are passed over
constexpr double kBeyond = 5;          // how many lengths of step the first and the last entry of a table stand for
constexpr double kUnseenStep = 1e-3;   // a step that was never taken still may be
constexpr float kImpossible = 1e-30F;  // keeps a division from zero

}  // namespace

Steps::Steps() {
  weights_.fill(1);
}

std::size_t Steps::place(std::ptrdiff_t step) {
  return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(step, -kReach, kReach) + kReach);
}

void Steps::update(const Table& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) weights_[i] = counts[i] + kUnseenStep;
  weights_.front() /= kBeyond;
  weights_.back() /= kBeyond;
}

void Chain::read_alone(std::span<const float> given_word, std::span<const float> given_none) {
  const std::size_t outputs = given_none.size(), inputs = given_word.size() / outputs;
  from_word_.assign(given_word.begin(), given_word.end());
  from_none_.resize(outputs);
  const float each = (1 - kNone) / static_cast<float>(inputs);
  for (std::size_t j = 0; j < outputs; ++j) {
    const std::span row = std::span(from_word_).subspan(j * inputs, inputs);
    float all = kNone * given_none[j] + kImpossible;
    for (const float p : row) all += each * p;
    for (float& p : row) p *= each / all;
    from_none_[j] = kNone * given_none[j] / all;
  }
}

void Chain::set_moves(std::size_t inputs, const Steps& steps) {
  moves_.resize((inputs + 1) * inputs);
  for (std::size_t place = 0; place <= inputs; ++place) {
    const std::span row = std::span(moves_).subspan(place * inputs, inputs);
    double all = 0;
    for (std::size_t i = 0; i < inputs; ++i) {
      const double weight = steps.weight(static_cast<std::ptrdiff_t>(i + 1) - static_cast<std::ptrdiff_t>(place));
      row[i] = static_cast<float>(weight);
      all += weight;
    }
    for (float& move : row) move *= (1 - kNone) / static_cast<float>(all);
  }
}

// Forward and backward through the output words. Whether the last word came from an input word or from none makes no
// difference to what follows, only the place does, so both are summed in `ahead_`.
void Chain::read_chained(std::span<const float> given_word, std::span<const float> given_none, const Steps& steps) {
  const std::size_t outputs = given_none.size(), inputs = given_word.size() / outputs, places = inputs + 1;
  set_moves(inputs, steps);
  from_word_.resize(outputs * inputs);
  from_none_.resize(outputs);
  scales_.resize(outputs);
  ahead_.assign((outputs + 1) * places, 0);
  ahead_[0] = 1;
  for (std::size_t j = 0; j < outputs; ++j) {
    const float *before = &ahead_[j * places], *emitted = &given_word[j * inputs];
    float *after = &ahead_[(j + 1) * places], *word = &from_word_[j * inputs];
    std::fill_n(word, inputs, 0.0F);
    float all = kImpossible;
    for (std::size_t place = 0; place < places; ++place) {
      if (before[place] < kNegligible) continue;
      const float* move = &moves_[place * inputs];
      for (std::size_t i = 0; i < inputs; ++i) word[i] += before[place] * move[i];
      after[place] = before[place] * kNone * given_none[j];
      all += after[place];
    }
    for (std::size_t i = 0; i < inputs; ++i) {
      word[i] *= emitted[i];
      after[i + 1] += word[i];
      all += word[i];
    }
    for (std::size_t i = 0; i < inputs; ++i) word[i] /= all;
    for (std::size_t place = 0; place < places; ++place) after[place] /= all;
    scales_[j] = all;
  }
  behind_.assign(places, 1);
  next_.resize(inputs);
  pairs_.assign(places * inputs, 0);
  for (std::size_t j = outputs; j-- > 0;) {
    const float *before = &ahead_[j * places], *emitted = &given_word[j * inputs];
    float *word = &from_word_[j * inputs], linked = 0;
    for (std::size_t i = 0; i < inputs; ++i) {
      word[i] *= behind_[i + 1];
      linked += word[i];
      next_[i] = emitted[i] * behind_[i + 1] / scales_[j];
    }
    from_none_[j] = std::max(0.0F, 1 - linked);
    for (std::size_t place = 0; place < places; ++place) {
      if (before[place] < kNegligible) {
        behind_[place] = 0;
        continue;
      }
      const float* move = &moves_[place * inputs];
      float *pair = &pairs_[place * inputs], onward = 0;
      for (std::size_t i = 0; i < inputs; ++i) {
        onward += move[i] * next_[i];
        pair[i] += before[place] * next_[i];
      }
      behind_[place] = onward + behind_[place] * kNone * given_none[j] / scales_[j];
    }
  }
  steps_taken_.fill(0);
  for (std::size_t place = 0; place < places; ++place)
    for (std::size_t i = 0; i < inputs; ++i)
      steps_taken_[Steps::place(static_cast<std::ptrdiff_t>(i + 1) - static_cast<std::ptrdiff_t>(place))] +=
          static_cast<double>(moves_[place * inputs + i] * pairs_[place * inputs + i]);
}

}  // namespace heed
