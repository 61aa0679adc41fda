// Learns subwords from a corpus, before the corpus is read for training.
#pragma once

#include "data/corpus.h"
#include "text/subwords.h"
#include "text/text_config.h"

namespace heed::data {

// Learns what config.tokenizer asks for from the corpus's normalized lines (those whose beginnings `selection` takes,
// up to its number of pairs; lengths are not known yet). Empty if it asks for no subwords. UsageError for standard
// input, which cannot be read twice; else as PairReader and train_subwords().
text::SubwordModels learn_subwords(const CorpusFiles& files, const PairSelection& selection,
                                   const text::TextConfig& config, int threads);

}  // namespace heed::data
