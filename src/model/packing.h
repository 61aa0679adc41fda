// Sentences laid out for a recurrent network: sorted by length, longest first (ties in the given order), and packed
// step after step without padding. At step t the first active[t] sentences still run; their rows begin at offset[t].
#pragma once

#include "autograd/parameters.h"
#include "tensor/arena.h"

namespace heed::model {

struct Packing {
  Index batch = 0;  // B sentences
  Index steps = 0;  // the longest length
  Index rows = 0;   // N words in all
  Ids order;        // [B] the given place of each sorted sentence
  Ids length;       // [B] of each sorted sentence
  Ids active;       // [steps]
  Ids offset;       // [steps]

  // The row of word `step` of the sentence at sorted place b.
  Id row(Index b, Index step) const { return offset[static_cast<std::size_t>(step)] + static_cast<Id>(b); }
};

// The arrays live in the arena. ShapeError for an empty batch or an empty sentence.
Packing pack(Arena& arena, std::span<const Ids> sentences);

// The words of all rows, [N].
Ids packed_words(Arena& arena, const Packing& packing, std::span<const Ids> sentences);

// A number for each row that depends on the sentence's key and the position alone, for dropout masks.
std::span<const std::uint32_t> row_keys(Arena& arena, const Packing& packing,
                                        std::span<const std::uint32_t> sentence_keys);

}  // namespace heed::model
