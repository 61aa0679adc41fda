// What all sentences of the pocket corpus need, and the sentences of two clauses. Internal to the pocket corpus.
#pragma once

#include "pocket/speaker.h"

namespace heed::pocket {

// The sentence with its final punctuation mark.
Phrase close(Speaker& speaker, Phrase sentence, std::string_view mark = ".");
Phrase fixed(Speaker& speaker, std::string_view english, std::string_view german);
// German needs commas that English does not have.
void add_german_comma(Phrase& phrase);

// A person or several people that the next clause can call he, she or they.
Subject make_topic(Speaker& speaker, Kinds kinds, bool with_adjective);

// Sentences of two clauses.
Phrase reasoned(Speaker& speaker);     // because, although
Phrase timed(Speaker& speaker);        // when, if, while, before
Phrase remembered(Speaker& speaker);   // when, in the past
Phrase coordinated(Speaker& speaker);  // and, but

}  // namespace heed::pocket
