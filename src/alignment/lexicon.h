// The translation table of a text aligner: p(target word | source word) and the reverse, for every pair of words that
// occur in one sentence pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace heed::alignment {

using WordId = std::uint32_t;  // from 0, separate for each language

// The sentences of one language as word ids.
class EncodedText {
 public:
  void add(std::span<const WordId> words);
  std::size_t size() const { return begins_.size() - 1; }
  std::span<const WordId> operator[](std::size_t i) const {
    return std::span(words_).subspan(begins_[i], begins_[i + 1] - begins_[i]);
  }
  std::size_t vocabulary() const { return vocabulary_; }  // one more than the greatest id

 private:
  std::vector<WordId> words_;
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
  // Both texts have the same number of sentences. All translations are equally likely at first. InputError for 2^32
  // cells or more.
  Lexicon(const EncodedText& source, const EncodedText& target);

  // The entry of two words, which must occur together in some sentence pair.
  using Cell = std::uint32_t;
  Cell cell(WordId source, WordId target) const;
  std::size_t cells() const { return targets_.size(); }

  // p(word | partner)
  const BothWays<float>& translation(Cell cell) const { return translation_[cell]; }
  // p(word | null), by word
  const BothWays<std::vector<float>>& null_translation() const { return null_translation_; }

  // Expected counts: how often two words were linked, and each word was linked to null.
  struct Counts {
    std::vector<BothWays<double>> translation;
    BothWays<std::vector<double>> null_translation;
  };
  Counts zero_counts() const;
  // The M-step: relative frequencies.
  void update(const Counts& counts);

 private:
  std::vector<std::size_t> rows_;  // of source words: where their cells begin
  std::vector<WordId> targets_;    // by cell, rising in a row
  std::vector<BothWays<float>> translation_;
  BothWays<std::vector<float>> null_translation_;
};

}  // namespace heed::alignment
