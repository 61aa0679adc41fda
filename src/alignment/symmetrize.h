// Combines two word alignments of a sentence pair, one from each direction of translation (Och and Ney, 2003; Koehn,
// Och and Marcu, 2003). Functions without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "alignment/links.h"

namespace heed::alignment {

// Both alignments have source words first: flip() the one of the reverse model. The methods:
//   intersection         links that are in both
//   union                links that are in either
//   grow-diag            the intersection and, repeatedly, links of the union that are next to a chosen link
//                        (horizontally, vertically or diagonally) and have a word that is not linked yet
//   grow-diag-final      then also links of the union that have a word that is not linked yet
//   grow-diag-final-and  then also links of the union whose words are both not linked yet
// Links are tried in order of target word, then source word. UsageError for a name not in symmetrizations().
Alignment symmetrize(std::string_view method, const Alignment& forward, const Alignment& backward);
std::vector<std::string> symmetrizations();

// The links with source and target exchanged.
Alignment flip(Alignment links);

}  // namespace heed::alignment
