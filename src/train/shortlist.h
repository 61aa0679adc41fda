// Learns the shortlist of a model (model/shortlist.h) from training text.
#pragma once

#include "data/examples.h"
#include "model/shortlist.h"
#include "text/vocabulary.h"

namespace heed::train {

// The result depends only on the text and the vocabularies. From a large text, it uses the pairs that show something
// new: time and memory are limited, but every word counts. Candidates of a source word are its most probable
// translations by IBM model 1 (alignment/translations.h) and the same word in the target vocabulary, as names,
// numbers and placeholders are copied; candidates of every sentence are the special symbols and the most frequent
// words. `extended`: another shortlist, for the first words of the same vocabularies, whose candidates are
// added; may be null.
model::Shortlist learn_shortlist(const data::ExampleStore& examples, const text::Vocabulary& source,
                                 const text::Vocabulary& target, const model::Shortlist* extended = nullptr);

}  // namespace heed::train
