// Whether the pairs of all files of a corpus go in the same direction.
#pragma once

#include "data/corpus.h"

namespace heed::data {

// Compares the words of files that do not name their languages with those of files that do, in the first few hundred
// pairs of each. InputError if the words of one clearly are those of the other side. Does nothing if the user chose the
// languages or the columns, and unless all are regular files: others can be read only once.
void check_directions(const CorpusFiles& files);

}  // namespace heed::data
