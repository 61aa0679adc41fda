// Which words of a line its translation came from, by attention.
#pragma once

#include <string_view>

#include "alignment/links.h"
#include "text/attention_matrix.h"

namespace heed {

// Links between the words, parted by white space, of a line and of its translation, by the rule of from_attention.h.
// `parts` are the attention matrices of the line's parts in order, with spans in the whole line and translation; one
// where the line was translated whole. Takes memory in proportion to the line where there are several.
Alignment word_links(std::string_view line, std::string_view translation,
                     std::span<const AttentionMatrix* const> parts);

}  // namespace heed
