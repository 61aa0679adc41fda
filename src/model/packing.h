// Sentences laid out for a recurrent network: sorted by length, longest first (ties keep their order), and packed step
// by step without padding. At step t the first active[t] sentences still have words; their rows begin at offset[t].
#pragma once

#include "autograd/parameters.h"
#include "tensor/arena.h"

namespace heed::model {

struct Packing {
  Index batch = 0;  // B sentences
  Index steps = 0;  // the longest length
  Index rows = 0;   // N words in all
  Ids order;        // [B] the original index of each sorted sentence
  Ids length;       // [B] of each sorted sentence
  Ids active;       // [steps]
  Ids offset;       // [steps]

  // The row of word `step` of the sentence with sorted index b.
  Id row(Index b, Index step) const { return offset[static_cast<std::size_t>(step)] + static_cast<Id>(b); }
  // Calls visit(t, b, row) for every row, in order: word t of the sentence with sorted index b.
  template <class Visit>
  void for_each_row(Visit visit) const {
    std::size_t row = 0;
    for (std::size_t t = 0; t < active.size(); ++t)
      for (std::size_t b = 0; b < static_cast<std::size_t>(active[t]); ++b) visit(t, b, row++);
  }
};

// The arrays live in the arena. ShapeError for an empty batch or an empty sentence.
Packing pack(Arena& arena, std::span<const Ids> sentences);

// The words of all rows, [N].
Ids packed_words(Arena& arena, const Packing& packing, std::span<const Ids> sentences);

// A number for each row, for dropout masks, that depends only on the sentence's key and the position. ShapeError for a
// sentence of more than 16,384 words.
std::span<const std::uint32_t> row_keys(Arena& arena, const Packing& packing,
                                        std::span<const std::uint32_t> sentence_keys);

}  // namespace heed::model
