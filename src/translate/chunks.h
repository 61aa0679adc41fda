// Splitting a line that is too long for a model into chunks that it can translate.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "text/tokenizer.h"

namespace heed::translate {

// The end of each chunk; the last is tokens.size(). A chunk is as many whole sentences as fit into `limit` tokens; a
// sentence that does not fit is split between words, and a word that does not fit at the limit. `limit` is at least 1.
// Takes linear time.
std::vector<std::size_t> split_into_chunks(std::span<const text::Token> tokens, std::size_t limit);

}  // namespace heed::translate
