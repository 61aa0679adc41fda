#include "metrics/ngrams.h"

#include <algorithm>
#include <bit>

namespace heed::metrics {

std::vector<std::uint32_t> WordNumbers::add(std::u32string text, Split* split) {
  std::vector<std::uint32_t> numbers;
  for (const auto word : split(texts_.emplace_back(std::move(text))))
    numbers.push_back(numbers_.try_emplace(word, static_cast<std::uint32_t>(numbers_.size())).first->second);
  return numbers;
}

NgramMatcher::NgramMatcher(std::span<const std::uint32_t> hypothesis, std::size_t max_order)
    : max_order_(max_order), edges_(std::bit_ceil(2 * hypothesis.size() * max_order + 1)), nodes_(1) {
  nodes_.reserve(hypothesis.size() * max_order / 2 + 1);
  for (std::size_t from = 0; from < hypothesis.size(); ++from) {
    const std::size_t end = std::min(from + max_order_, hypothesis.size());
    std::uint32_t node = 0;
    for (std::size_t i = from; i < end; ++i) {
      Edge& next = edge(node, hypothesis[i]);
      if (next.node == 0) {
        next.node = static_cast<std::uint32_t>(nodes_.size());
        nodes_.emplace_back();
      }
      node = next.node;
      ++nodes_[node].in_hypothesis;
    }
  }
}

NgramMatcher::Edge& NgramMatcher::edge(std::uint32_t node, std::uint32_t symbol) {
  const std::uint64_t key = (static_cast<std::uint64_t>(node) << 32) | symbol;
  // The finalizer of SplitMix64, so that similar keys do not cluster.
  std::uint64_t hash = key + 0x9E3779B97F4A7C15;
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EB;
  const std::size_t mask = edges_.size() - 1;
  for (std::size_t slot = (hash ^ (hash >> 31)) & mask;; slot = (slot + 1) & mask) {
    Edge& found = edges_[slot];
    if (found.node == 0) found.key = key;
    if (found.key == key) return found;
  }
}

template <class Count>
void NgramMatcher::visit(std::span<const std::uint32_t> reference, Count count) {
  ++pass_;
  for (std::size_t from = 0; from < reference.size(); ++from) {
    const std::size_t end = std::min(from + max_order_, reference.size());
    std::uint32_t node = 0;
    for (std::size_t i = from; i < end; ++i) {
      node = edge(node, reference[i]).node;
      if (node == 0) break;  // then the hypothesis has no n-gram that begins like this
      Node& found = nodes_[node];
      if (found.pass != pass_) {
        found.pass = pass_;
        found.in_reference = 0;
      }
      ++found.in_reference;
      count(found, i - from);
    }
  }
}

void NgramMatcher::match(std::span<const std::uint32_t> reference, std::span<double> matched) {
  visit(reference, [&](const Node& node, std::size_t order) {
    if (node.in_reference <= node.in_hypothesis) ++matched[order];
  });
}

void NgramMatcher::match_best(std::span<const std::uint32_t> reference, std::span<double> matched) {
  visit(reference, [&](Node& node, std::size_t order) {
    if (node.in_reference <= node.in_best_reference) return;
    node.in_best_reference = node.in_reference;
    if (node.in_reference <= node.in_hypothesis) ++matched[order];
  });
}

}  // namespace heed::metrics
