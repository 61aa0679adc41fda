#include "model/packing.h"

#include <algorithm>
#include <numeric>

namespace heed::model {

Packing pack(Arena& arena, std::span<const Ids> sentences) {
  check(!sentences.empty(), "a batch without sentences");
  const std::size_t batch = sentences.size();
  const auto order = arena.array<Id>(batch), length = arena.array<Id>(batch);
  std::iota(order.begin(), order.end(), Id{0});
  const auto size = [&](Id place) { return sentences[static_cast<std::size_t>(place)].size(); };
  std::ranges::sort(order, [&](Id a, Id b) { return size(a) != size(b) ? size(a) > size(b) : a < b; });
  Packing packing{.batch = static_cast<Index>(batch)};
  for (std::size_t b = 0; b < batch; ++b) {
    check(size(order[b]) > 0, "sentence {} of the batch is empty", order[b]);
    length[b] = static_cast<Id>(size(order[b]));
    packing.rows += length[b];
  }
  check(packing.rows < (Index{1} << 31), "a batch of {} words is too large", packing.rows);
  packing.steps = length[0];
  const auto active = arena.array<Id>(static_cast<std::size_t>(packing.steps));
  const auto offset = arena.array<Id>(active.size());
  Id row = 0, running = static_cast<Id>(batch);
  for (std::size_t t = 0; t < active.size(); ++t) {
    while (length[static_cast<std::size_t>(running) - 1] <= static_cast<Id>(t)) --running;
    active[t] = running;
    offset[t] = row;
    row += running;
  }
  packing.order = order;
  packing.length = length;
  packing.active = active;
  packing.offset = offset;
  return packing;
}

Ids packed_words(Arena& arena, const Packing& packing, std::span<const Ids> sentences) {
  const auto words = arena.array<Id>(static_cast<std::size_t>(packing.rows));
  for (std::size_t t = 0; t < packing.active.size(); ++t)
    for (Id b = 0; b < packing.active[t]; ++b)
      words[static_cast<std::size_t>(packing.offset[t] + b)] =
          sentences[static_cast<std::size_t>(packing.order[static_cast<std::size_t>(b)])][t];
  return words;
}

std::span<const std::uint32_t> row_keys(Arena& arena, const Packing& packing,
                                        std::span<const std::uint32_t> sentence_keys) {
  constexpr std::uint32_t kMostPositions = 1 << 14;
  check(packing.steps <= kMostPositions, "a sentence of {} words is too long to train on", packing.steps);
  const auto keys = arena.array<std::uint32_t>(static_cast<std::size_t>(packing.rows));
  for (std::size_t t = 0; t < packing.active.size(); ++t)
    for (Id b = 0; b < packing.active[t]; ++b)
      keys[static_cast<std::size_t>(packing.offset[t] + b)] =
          sentence_keys[static_cast<std::size_t>(packing.order[static_cast<std::size_t>(b)])] * kMostPositions +
          static_cast<std::uint32_t>(t);
  return keys;
}

}  // namespace heed::model
