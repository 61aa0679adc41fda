#include "model/packing.h"

#include <algorithm>
#include <numeric>

namespace heed::model {

Packing pack(Arena& arena, std::span<const Ids> sentences) {
  check(!sentences.empty(), "a batch without sentences");
  const std::size_t batch = sentences.size();
  const auto order = arena.array<Id>(batch), length = arena.array<Id>(batch);
  std::iota(order.begin(), order.end(), Id{0});
  const auto size = [&](Id sentence) { return sentences[static_cast<std::size_t>(sentence)].size(); };
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
  packing.for_each_row([&](std::size_t t, std::size_t b, std::size_t row) {
    words[row] = sentences[static_cast<std::size_t>(packing.order[b])][t];
  });
  return words;
}

std::span<const std::uint32_t> row_keys(Arena& arena, const Packing& packing,
                                        std::span<const std::uint32_t> sentence_keys) {
  constexpr std::uint32_t kMaxPositions = 1 << 14;
  check(packing.steps <= kMaxPositions, "a sentence of {} words is too long to train on, expected at most {}",
        packing.steps, kMaxPositions);
  const auto keys = arena.array<std::uint32_t>(static_cast<std::size_t>(packing.rows));
  packing.for_each_row([&](std::size_t t, std::size_t b, std::size_t row) {
    keys[row] =
        sentence_keys[static_cast<std::size_t>(packing.order[b])] * kMaxPositions + static_cast<std::uint32_t>(t);
  });
  return keys;
}

}  // namespace heed::model
