// Learns subwords from a corpus in a pass of its own, before the corpus is read for training.
#pragma once

#include "data/corpus.h"
#include "text/subwords.h"
#include "text/text_config.h"

namespace heed::data {

// Trains the subword models of config.tokenizer on the normalized lines of the corpus that match the part and the
// prefixes of `selection`, up to its number of pairs (lengths are not known yet); a line counts as often as its weight
// says. Of more than 400,000 pairs, evenly spaced ones, so that memory is limited. Empty if that tokenizer has no
// subwords. UsageError for standard input, which cannot be read twice; otherwise as PairReader and train_subwords().
text::SubwordModels learn_subwords(const CorpusFiles& files, const PairSelection& selection,
                                   const text::TextConfig& config, int threads);

}  // namespace heed::data
