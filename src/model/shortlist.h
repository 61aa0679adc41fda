// Vocabulary selection (L'Hostis et al. 2016): for every source word, the target words that may translate it. The
// output layer is then computed only for the candidates of a sentence, which are a small part of the vocabulary.
//
// Stored in a model file as three tensors of type I32; the words stay in the mapped file:
//   shortlist.begin   [S+1]  where the candidates of each source word begin in shortlist.words, and the end
//   shortlist.words   [N]    target words, ascending for each source word
//   shortlist.always  [F]    target words that are candidates of every sentence, ascending
// A source word without candidates is one that nothing is known about; then the whole vocabulary is used.
// Immutable and thread-safe; copies share the memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/safetensors.h"
#include "tensor/ids.h"

namespace heed::model {

inline constexpr std::array kShortlistTensors = {"shortlist.begin", "shortlist.words", "shortlist.always"};

class Shortlist {
 public:
  // candidates[s]: the target words of the source word s, in any order; duplicates are dropped.
  Shortlist(const std::vector<std::vector<Id>>& candidates, std::vector<Id> always);

  std::size_t source_words() const { return begin_.size() - 1; }
  Ids candidates(Id source) const {
    const auto s = static_cast<std::size_t>(source);
    return words_.subspan(static_cast<std::size_t>(begin_[s]), static_cast<std::size_t>(begin_[s + 1] - begin_[s]));
  }
  Ids always() const { return always_; }
  std::size_t bytes() const { return (begin_.size() + words_.size() + always_.size()) * sizeof(Id); }
  // The mean number of candidates per source word, without those of every sentence.
  double mean_candidates() const;

  // Views that are valid as long as this object.
  std::vector<StoredTensor> stored() const;
  // The shortlist of a model file with vocabularies of these sizes; nothing if it has none. `owner` keeps the file's
  // memory alive; without one, or if the numbers are not aligned, they are copied. InputError if tensors are missing or
  // of the wrong type or shape, or if a number is out of range or order.
  static std::optional<Shortlist> read(const Safetensors& file, Index source_words, Index target_words,
                                       const std::shared_ptr<const void>& owner);

 private:
  Shortlist() = default;

  Ids begin_, words_, always_;
  std::shared_ptr<const void> owner_;  // of the memory
};

// Above this part of the vocabulary, the product with all words, which uses every number of W many times, is as fast.
inline constexpr double kLargestShortlist = 0.25;

// A set of target words. Not thread-safe.
class WordSet {
 public:
  explicit WordSet(Index vocabulary) : bits_(static_cast<std::size_t>(vocabulary + 63) / 64) {}
  // InternalError for an id out of range, which a mapped file can have if another program writes to it.
  void add(Id word) {
    const auto i = static_cast<std::size_t>(word);
    check<InternalError>(i / 64 < bits_.size(), "the target word {} is not in the vocabulary", word);
    bits_[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  void add(Ids words) {
    for (const Id word : words) add(word);
  }
  // The candidates of a sentence, which ends in the end symbol. False if a word has none, because it was not in the
  // text that the shortlist comes from: then every word of the vocabulary is a candidate.
  bool add(const Shortlist& shortlist, Ids source);
  void clear() { std::ranges::fill(bits_, 0); }
  // Sets `words` to the words of the set, ascending, and empties the set.
  void take(std::vector<Id>& words);

 private:
  std::vector<std::uint64_t> bits_;
};

// How many tokens of reference translations are candidates of their sources, and how many candidates there are.
class ShortlistCoverage {
 public:
  ShortlistCoverage(const Shortlist& shortlist, Index target_words)
      : shortlist_(shortlist), vocabulary_(target_words), set_(target_words) {}
  void add(Ids source, Ids target);

  std::int64_t tokens() const { return tokens_; }
  // From 0 to 1; 1 without tokens.
  double covered() const { return tokens_ == 0 ? 1 : static_cast<double>(covered_) / static_cast<double>(tokens_); }
  // The fraction of sentences whose candidates are all words of the vocabulary, or too many to save time.
  double unused() const { return sentences_ == 0 ? 0 : static_cast<double>(unused_) / static_cast<double>(sentences_); }
  // The mean number of candidates per sentence.
  double mean_candidates() const {
    return sentences_ == 0 ? 0 : static_cast<double>(candidates_) / static_cast<double>(sentences_);
  }

 private:
  const Shortlist& shortlist_;
  const Index vocabulary_;
  WordSet set_;
  std::vector<Id> words_;
  std::int64_t sentences_ = 0, unused_ = 0, tokens_ = 0, covered_ = 0, candidates_ = 0;
};

}  // namespace heed::model
