// One direction of a text aligner on one pair of sentences: how likely each word of the output came from each word of
// the input, or from none. Two models: alone, where every output word chooses by itself (Brown et al., 1993, model 1),
// and chained, where the next word tends to come from near where the last one did (Vogel, Ney and Tillmann, 1996; a
// word from none keeps the place, as in Och and Ney, 2003).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace heed {

// How far the input word of an output word lies from that of the one before, by how often: -kReach or less, …, kReach
// or more. From before the first word, a step of 1 leads to it.
class Steps {
 public:
  static constexpr int kReach = 15;
  using Table = std::array<double, 2 * kReach + 1>;

  Steps();  // all equally likely
  double weight(std::ptrdiff_t step) const { return weights_[place(step)]; }
  static std::size_t place(std::ptrdiff_t step);
  void update(const Table& counts);

 private:
  Table weights_;
};

// Used by one thread; what it finds is valid until the next call. Allocates only for a longer pair than any before.
class Chain {
 public:
  // given_word: a row for each output word, a column for each input word, neither empty; given_none: by output word.
  void read_alone(std::span<const float> given_word, std::span<const float> given_none);
  void read_chained(std::span<const float> given_word, std::span<const float> given_none, const Steps& steps);

  std::span<const float> from_word() const { return from_word_; }   // rows and columns as given_word
  std::span<const float> from_none() const { return from_none_; }   // by output word
  const Steps::Table& steps_taken() const { return steps_taken_; }  // expected number of each; chained only

 private:
  void set_moves(std::size_t inputs, const Steps& steps);

  std::vector<float> from_word_, from_none_;
  Steps::Table steps_taken_ = {};
  // Place 0 is before the first input word, place i + 1 at input word i.
  std::vector<float> moves_;   // [place][input word]: that the next output word comes from it
  std::vector<float> ahead_;   // [output word + 1][place]: having read up to it, scaled to sum to 1
  std::vector<float> behind_;  // [place]: of what is still to come
  std::vector<float> next_;    // [input word]
  std::vector<float> pairs_;   // [place][input word]: expected moves
  std::vector<float> scales_;  // [output word]
};

}  // namespace heed
