// Combines two word alignments of a sentence pair, one from each direction of translation (Och and Ney, 2003; Koehn,
// Och and Marcu, 2003). Functions without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "alignment/links.h"

namespace heed::alignment {

// Both alignments have source words first: flip() that of a model of the other direction. The methods:
//   intersection         links that are in both
//   union                links that are in either
//   grow-diag            the intersection and, repeatedly, links of the union that are next to a chosen link,
//   diagonally
//                        too, and have a word without a link
//   grow-diag-final      then also links of the union that have a word without a link
//   grow-diag-final-and  then also links of the union of which both words have no link
// Links are tried in order of target word, then source word. UsageError for a name not in symmetrizations().
Alignment symmetrize(std::string_view method, const Alignment& forward, const Alignment& backward);
std::vector<std::string> symmetrizations();

// The links with source and target exchanged.
Alignment flip(Alignment links);

}  // namespace heed::alignment
