// Counts the n-grams that two texts share. Texts are sequences of symbols: characters, or the numbers of words.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed::metrics {

// Numbers the words of a sentence and its references: equal words get equal numbers. Not thread-safe.
class WordNumbers {
 public:
  using Split = std::vector<std::u32string_view>(std::u32string_view text);
  // Returns the numbers of the text's words. Keeps the text.
  std::vector<std::uint32_t> add(std::u32string text, Split* split);

 private:
  std::deque<std::u32string> texts_;  // the keys are views of these
  std::unordered_map<std::u32string_view, std::uint32_t> numbers_;
};

// The n-grams of one hypothesis with their counts, for n = 1 to max_order: a trie whose edges are in one hash table, so
// that an n-gram is found from its first n - 1 symbols in one step. Not thread-safe.
class NgramMatcher {
 public:
  NgramMatcher(std::span<const std::uint32_t> hypothesis, std::size_t max_order);

  // Adds to matched[n - 1] the number of n-grams in common: the sum of min(count in hypothesis, count in reference).
  void match(std::span<const std::uint32_t> reference, std::span<double> matched);
  // The same over several references, with one call for each: the reference that has an n-gram most often counts.
  void match_best(std::span<const std::uint32_t> reference, std::span<double> matched);

 private:
  struct Edge {
    std::uint64_t key = 0;   // the node it leaves and its symbol
    std::uint32_t node = 0;  // the node it leads to; 0: no edge
  };
  struct Node {
    std::uint32_t in_hypothesis = 0;
    std::uint32_t in_reference = 0;       // counted in pass `pass`
    std::uint32_t in_best_reference = 0;  // the maximum of match_best() so far
    std::uint32_t pass = 0;
  };

  Edge& edge(std::uint32_t node, std::uint32_t symbol);
  template <class Count>
  void visit(std::span<const std::uint32_t> reference, Count count);

  std::size_t max_order_;
  std::vector<Edge> edges_;  // open addressing: the size is a power of 2, at most half of it used
  std::vector<Node> nodes_;  // node 0 is the root
  std::uint32_t pass_ = 0;
};

// The number of n-grams in a text of `length` symbols.
inline double ngram_count(std::size_t length, std::size_t n) {
  return length >= n ? static_cast<double>(length - n + 1) : 0;
}

}  // namespace heed::metrics
