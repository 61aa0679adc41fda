// What the sentences of the pocket corpus share, and those of two clauses. Internal to the pocket corpus.
#pragma once

#include "pocket/speaker.h"

namespace heed::pocket {

// Ends the sentence with a mark.
void close(Speaker& speaker, Phrase& sentence, std::string_view mark);
Phrase fixed(Speaker& speaker, std::string_view english, std::string_view german);
// German sets commas where English has none.
void add_german_comma(Phrase& phrase);

// A person or several people that the next clause can call he, she or they.
Subject make_topic(Speaker& speaker, Kinds kinds, bool with_adjective);

Phrase main_clause(const Clause& clause);
// Behind a fronted time or clause: English keeps its order, German has its verb first.
Phrase inverted_clause(const Clause& clause);
Phrase subordinate_clause(const Clause& clause);
Phrase question_clause(const Clause& clause);

// Sentences of two clauses.
Phrase reasoned(Speaker& speaker);     // because, although
Phrase timed(Speaker& speaker);        // when, if, while, before
Phrase remembered(Speaker& speaker);   // when, in the past
Phrase coordinated(Speaker& speaker);  // and, but

}  // namespace heed::pocket
