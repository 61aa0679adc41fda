// Cutting a line that is too long for a model into chunks that are not.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "text/tokenizer.h"

namespace heed::translate {

// Where each chunk ends, the last at tokens.size(): as many whole sentences per chunk as fit into `limit` tokens; if
// one sentence does not fit, it is cut between words; if one word does not, at the limit. `limit` is at least 1.
// Takes linear time.
std::vector<std::size_t> split_into_chunks(std::span<const text::Token> tokens, std::size_t limit);

}  // namespace heed::translate
