// What a text aligner knows about words: how likely each word of one language is the translation of each of the other,
// both ways, for every pair of words that ever stood in one pair of sentences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace heed {

using WordNumber = std::uint32_t;  // from 0, each language its own

// The sentences of one language as numbers.
class NumberedText {
 public:
  void add(std::span<const WordNumber> words);
  std::size_t size() const { return begins_.size() - 1; }
  std::span<const WordNumber> operator[](std::size_t i) const {
    return std::span(words_).subspan(begins_[i], begins_[i + 1] - begins_[i]);
  }
  std::size_t vocabulary() const { return vocabulary_; }  // one more than the greatest number

 private:
  std::vector<WordNumber> words_;
  std::vector<std::size_t> begins_ = {0};
  std::size_t vocabulary_ = 0;
};

// Something of the target given the source, and of the source given the target.
template <class T>
struct BothWays {
  T forward, backward;
};

class Lexicon {
 public:
  // Both texts have equally many sentences. All translations are equally likely. InputError for 2^32 cells or more.
  Lexicon(const NumberedText& source, const NumberedText& target);

  // Where a pair of words stands, which must have met in a pair of sentences.
  using Cell = std::uint32_t;
  Cell cell(WordNumber source, WordNumber target) const;
  std::size_t cells() const { return targets_.size(); }

  // p(word | its partner)
  const BothWays<float>& given_word(Cell cell) const { return given_word_[cell]; }
  // p(word | no partner), by word
  const BothWays<std::vector<float>>& given_none() const { return given_none_; }

  // How often each pair of words was linked, and each word was not, as far as one can know.
  struct Counts {
    std::vector<BothWays<double>> given_word;
    BothWays<std::vector<double>> given_none;
  };
  Counts no_counts() const;
  void update(const Counts& counts);

 private:
  std::vector<std::size_t> rows_;    // of source words: where their cells begin
  std::vector<WordNumber> targets_;  // by cell, rising in a row
  std::vector<BothWays<float>> given_word_;
  BothWays<std::vector<float>> given_none_;
};

}  // namespace heed
