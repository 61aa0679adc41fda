// One clause of the pocket corpus: the parts in both languages, and the two word orders. A value; no shared state.
#pragma once

#include "pocket/phrase.h"

namespace heed::pocket {

// Each English tense has one German one. The past becomes the German perfect, except for haben, sein and wollen.
enum class Tense : std::uint8_t { simple, progressive, past, perfect };

struct Agreement {
  bool first = false, plural = false;  // neither: third person singular
};

struct Clause {
  Clause(const Verb& verb, IdeaSource& ideas);

  const Verb* verb;
  const Modal* modal = nullptr;
  Tense tense = Tense::simple;
  Agreement agreement{};
  bool negated = false;
  bool negation_in_noun = false;  // kein says it already
  bool accusative_pronoun = false, accusative_definite = false;
  bool dative_definite = true;  // a pronoun or a known person

  Phrase subject, accusative, dative;
  Phrase complement;  // what the verb needs: a destination, a place, a prepositional object, a predicate
  Phrase adverb;      // often, never, already: before the English verb
  Phrase manner, means, place, time;

  Ideas auxiliary_idea, verb_idea, prefix_idea, negation_idea, modal_idea;
};

// Without what stands in front of the clause (a question word, a fronted time, a conjunction).
Words english_clause(const Clause& clause, bool inverted);

enum class Order : std::uint8_t {
  subject_first,  // der Mann sieht den Hund
  verb_first,     // (heute) sieht der Mann den Hund
  verb_last,      // (weil) der Mann den Hund sieht
};
Words german_clause(const Clause& clause, Order order);

}  // namespace heed::pocket
