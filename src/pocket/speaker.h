// The choices within a sentence: who does what to whom, when and where. One Speaker makes one sentence and remembers
// the nouns it has used, so that none is repeated. Internal to the pocket corpus.
#pragma once

#include <optional>
#include <vector>

#include "pocket/clause.h"
#include "pocket/grammar.h"

namespace heed::pocket {

// Somebody or something that a clause is about, and how the next clause refers back.
struct Subject {
  Phrase phrase{};
  Agreement agreement{};
  Kinds kinds = 0;
  std::optional<Pronoun> again{};     // none if both es and sie are possible (das Mädchen)
  Determiner own = Determiner::none;  // the possessive of the subject: his, her, ...
  const Noun* noun = nullptr;         // nullptr for a pronoun
  bool vague = false;                 // "a girl", "six lamps": negation would be ambiguous
};

// The kind of clause that a caller needs.
enum class Mood : std::uint8_t { any, event, ongoing, habit, past, future, intention };
// The part that a question asks about, which the clause then does not contain.
enum class Gap : std::uint8_t { none, truth, object, dative, place, time };

// A clause, and what the choice of its other parts and of a second clause depends on.
struct ClauseDraft : Clause {
  using Clause::Clause;
  const Noun* object = nullptr;  // the accusative if it is a known thing without an adjective
  bool object_plural = false;
  bool habitual = false;  // happens again and again
};

class Speaker {
 public:
  explicit Speaker(Dice& the_dice) : dice(the_dice) {}

  Dice& dice;
  IdeaSource ideas;

  const Verb& pick_verb(Kinds subject, Mood mood);
  Subject make_subject(Kinds kinds, bool with_adjective = true);
  Subject make_pronoun_subject();
  Subject make_definite_subject(Kinds kinds, bool with_adjective);
  Subject make_asked_subject(Kinds kinds);  // never I or we, which people seldom ask about
  // A person, or several, that the next clause can call he, she or they.
  Subject make_topic(Kinds kinds, bool with_adjective = false);
  Subject refer_again(const Subject& subject);  // subject.again must be set
  ClauseDraft make_clause(const Verb& verb, const Subject& subject, Mood mood, Gap gap = Gap::none);

  Phrase fixed(std::string_view english, std::string_view german) { return make_idiom({english, german}, ideas); }
  // A punctuation mark of both languages.
  void append_mark(Phrase& phrase, std::string_view mark);
  // The sentence with its final punctuation mark.
  Phrase close(Phrase sentence, std::string_view mark = ".");

  // "is tired", "has no time", "it is raining".
  Clause make_state(const Subject& subject, const Adjective& adjective, Tense tense);
  Clause make_having(const Subject& subject, const Noun& noun, Determiner determiner, Tense tense);
  Clause make_weather(Tense tense);

  NounPhrase pick_noun_phrase(Kinds kinds, Determiner own, bool negated);
  NounPhrase pick_definite_phrase(Kinds kinds, Determiner own);
  const Adjective* pick_adjective(const Noun& noun, std::uint32_t percent);  // nullptr: none
  const Noun& pick_noun(Kinds kinds);
  // A time that fits all of `uses`; empty if there is none.
  Phrase pick_time(std::uint8_t uses, bool punctual = false);
  // `definite`: a known place, as after nicht. `outside`: in front of a building or behind it, not in it.
  Phrase locate(Kinds kinds, Determiner own, bool definite, bool outside = false);

 private:
  void choose_tense(ClauseDraft& clause, const Subject& subject, Mood mood, Gap gap);
  void choose_present(ClauseDraft& clause, bool may_negate, Gap gap);
  void choose_modal(ClauseDraft& clause, Mood mood, bool may_negate);
  void choose_perfect(ClauseDraft& clause, bool may_negate);
  void choose_habit(ClauseDraft& clause);
  void add_object(ClauseDraft& clause, const Subject& subject);
  void add_dative(ClauseDraft& clause, const Subject& subject);
  void add_complement(ClauseDraft& clause, const Subject& subject);
  void add_extras(ClauseDraft& clause, const Subject& subject, Gap gap);
  Phrase pick_object_pronoun(Case grammatical_case, const Subject& subject);
  void settle_object(ClauseDraft& clause, NounPhrase& phrase, const Subject& subject);
  void add_object_tail(ClauseDraft& clause, const NounPhrase& phrase, const Subject& subject);
  const Place& pick_place(Kinds kinds);
  template <class Row, class NounOf>
  const Row& pick_unused(std::span<const Row> rows, Kinds kinds, NounOf noun_of);
  Subject make_noun_subject(const NounPhrase& phrase);
  Phrase direct(Kinds kinds, bool definite);
  Phrase coordinate_object(const NounPhrase& first, Kinds kinds);
  bool is_used(const Noun& noun) const;

  std::vector<const Noun*> used_;
  const Verb* used_verb_ = nullptr;
};

// Sentences of two clauses.
Phrase reasoned(Speaker& speaker);     // because, although
Phrase timed(Speaker& speaker);        // when, if, while, before
Phrase remembered(Speaker& speaker);   // when, in the past
Phrase coordinated(Speaker& speaker);  // and, but

}  // namespace heed::pocket
