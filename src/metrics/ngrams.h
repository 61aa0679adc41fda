// Counting the n-grams that two texts share. Texts are sequences of symbols: characters, or words by number.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed::metrics {

// Numbers for the words of a hypothesis. Words that it does not have get kUnknownSymbol, which matches nothing.
constexpr std::uint32_t kUnknownSymbol = 0xFFFFFFFF;
class WordNumbers {
 public:
  // The views must outlive the object.
  std::vector<std::uint32_t> add(std::span<const std::u32string_view> words);
  std::vector<std::uint32_t> find(std::span<const std::u32string_view> words) const;

 private:
  std::unordered_map<std::u32string_view, std::uint32_t> numbers_;
};

// The n-grams of one hypothesis with their counts, for n = 1 to max_order: a trie whose edges are in one hash table, so
// that an n-gram is found from its first n - 1 symbols in one step, and exactly. One thread at a time.
class NgramMatcher {
 public:
  NgramMatcher(std::span<const std::uint32_t> hypothesis, std::size_t max_order);

  // Adds to matched[n - 1] how often the reference meets an n-gram of the hypothesis, at most as often as that has it.
  void match(std::span<const std::uint32_t> reference, std::span<double> matched);
  // The same over several references of which each n-gram counts as often as in the one that has it most.
  void match_best(std::span<const std::uint32_t> reference, std::span<double> matched);

 private:
  struct Edge {
    std::uint64_t key = 0;   // the node it leaves and its symbol
    std::uint32_t node = 0;  // where it leads; 0: no edge
  };
  struct Node {
    std::uint32_t in_hypothesis = 0;
    std::uint32_t in_reference = 0;       // of the pass `pass`
    std::uint32_t in_best_reference = 0;  // match_best()'s maximum so far
    std::uint32_t pass = 0;
  };

  Edge& edge(std::uint32_t node, std::uint32_t symbol);
  template <class Count>
  void visit(std::span<const std::uint32_t> reference, Count count);

  std::size_t max_order_;
  std::vector<Edge> edges_;  // open addressing; the size is a power of 2, at most half full
  std::vector<Node> nodes_;  // 0 is the root
  std::uint32_t pass_ = 0;
};

// How many n-grams a text of `length` symbols has.
inline double ngram_count(std::size_t length, std::size_t n) {
  return length >= n ? static_cast<double>(length - n + 1) : 0;
}

}  // namespace heed::metrics
