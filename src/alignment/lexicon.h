// The translation table of word alignment without a translation model: p(target word | source word) and the reverse,
// for all pairs of words that co-occur in a sentence pair. Reading is thread-safe.
#pragma once

#include <array>
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
  std::size_t vocabulary() const { return vocabulary_; }  // the largest id + 1

 private:
  std::vector<WordId> words_;
  std::vector<std::size_t> begins_ = {0};
  std::size_t vocabulary_ = 0;
};

// Target given source, and source given target.
enum Direction : std::uint8_t { kForward, kBackward };
inline constexpr Direction kDirections[] = {kForward, kBackward};
template <class T>
using PerDirection = std::array<T, 2>;

class Lexicon {
 public:
  // Both texts have the same number of sentences. Starts with uniform probabilities. InputError for 2^32 cells or more.
  Lexicon(const EncodedText& source, const EncodedText& target);

  // The index of a pair of words, which must co-occur in a sentence pair.
  using Cell = std::uint32_t;
  Cell cell(WordId source, WordId target) const;
  std::size_t cells() const { return targets_.size(); }
  // The cells of a source word are those from first_cell(word) to first_cell(word + 1), ordered by their target words.
  Cell first_cell(WordId source) const { return static_cast<Cell>(rows_[source]); }
  WordId target(Cell cell) const { return targets_[cell]; }

  // p(word | partner)
  const PerDirection<float>& translation(Cell cell) const { return translation_[cell]; }
  // p(word | null) of each word
  const PerDirection<std::vector<float>>& null_translation() const { return null_translation_; }

  // Expected counts of links between two words, and between a word and null.
  struct Counts {
    std::vector<PerDirection<double>> translation;
    PerDirection<std::vector<double>> null_translation;
  };
  Counts zero_counts() const;
  // The M-step: sets the probabilities to relative frequencies.
  void update(const Counts& counts);

 private:
  void index_row(std::size_t target_words);

  std::vector<std::size_t> rows_;  // index of each source word's first cell, and the end
  std::vector<WordId> targets_;    // target word of each cell, ascending within a source word

  // A bit per target word that co-occurs with a source word, in blocks of 64, each with the number of bits before it:
  // finds a cell with one access to memory. Only for source words with many partners; others are searched.
  struct RankBlock {
    std::uint64_t bits = 0;
    std::uint32_t before = 0;
  };
  static constexpr std::uint32_t kNoBlocks = 0xffffffff;
  std::vector<RankBlock> blocks_;
  std::vector<std::uint32_t> first_block_;  // by source word; kNoBlocks if it has none
  std::vector<PerDirection<float>> translation_;
  PerDirection<std::vector<float>> null_translation_;
};

}  // namespace heed::alignment
