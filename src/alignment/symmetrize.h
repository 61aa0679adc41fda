// Two word alignments of one sentence pair, one from each direction of translation, made into one (Och and Ney, 2003;
// Koehn, Och and Marcu, 2003). Functions without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "alignment/links.h"

namespace heed::alignment {

// Both alignments count source words first: the one made by a model of the other direction must be flipped before.
// intersection: links that both have; union: that either has; the grow-diag ones start from the intersection and add
// links of the union that touch one already there, corners included, while a word of theirs is still without a link;
// then grow-diag-final adds links of the union of which a word is without link, grow-diag-final-and those of which both
// are. Links are looked at by target word, then source word. UsageError for a name that is not among symmetrizations().
Alignment symmetrize(std::string_view method, const Alignment& forward, const Alignment& backward);
std::vector<std::string> symmetrizations();

// The same links from the other side.
Alignment flip(Alignment links);

}  // namespace heed::alignment
