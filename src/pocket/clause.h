// One clause of the pocket corpus: its parts in both languages, and their order in each. A value without shared state.
#pragma once

#include "pocket/phrase.h"

namespace heed::pocket {

// Each English tense has one German counterpart: the past becomes the perfect, except for haben, sein and wollen.
enum class Tense : std::uint8_t { simple, progressive, past, perfect };

struct Agreement {
  bool first = false, plural = false;  // neither: third person singular
};

struct Clause {
  Clause(const Verb& the_verb, IdeaSource& ideas, const Phrase& the_subject = {}, Agreement subject_agreement = {},
         Tense the_tense = Tense::simple);

  const Verb* verb;
  const Modal* modal = nullptr;
  Tense tense;
  Agreement agreement;
  bool negated = false;
  bool negation_in_noun = false;  // expressed by kein
  bool accusative_pronoun = false, accusative_definite = false;
  bool dative_definite = true;  // a pronoun or a known person

  Phrase subject, accusative, dative;
  Phrase complement;  // what the verb needs: a destination, a place, a prepositional object, a predicate
  Phrase adverb;      // often, never, already: before the English verb
  Phrase manner, means, place, time;

  Ideas auxiliary_idea, verb_idea, prefix_idea, negation_idea, modal_idea;
};

enum class Order : std::uint8_t {
  main,         // the man sees the dog       der Mann sieht den Hund
  inverted,     // (today) the man sees ...   (heute) sieht der Mann den Hund
  subordinate,  // (because) the man sees ... (weil) der Mann den Hund sieht
  question,     // does the man see ...       sieht der Mann den Hund
};
// The words of the clause, without the question word, fronted time or conjunction before it.
Phrase order_words(const Clause& clause, Order order);

}  // namespace heed::pocket
