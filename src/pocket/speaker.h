// The choices below the sentence: who does what to whom, when and where. One Speaker makes one sentence and remembers
// the nouns it has used, so that none comes twice. Internal to the pocket corpus.
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
  std::optional<Pronoun> again{};     // none if German would hesitate between es and sie (das Mädchen)
  Determiner own = Determiner::none;  // his, her, ...: what belongs to the subject
  const Noun* noun = nullptr;         // none for a pronoun
  bool vague = false;                 // "a girl", "six lamps": nicht would leave open what it denies
};

// The clauses a caller can use.
enum class Mood : std::uint8_t { any, event, ongoing, habit, past, future, intention };
// What a question asks for: that part stays out of the clause.
enum class Gap : std::uint8_t { none, truth, object, dative, place, time };

struct Made {
  Clause clause;
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
  Subject make_asked_subject(Kinds kinds);      // neither I nor we: one seldom asks about oneself
  Subject refer_again(const Subject& subject);  // subject.again must be set
  Made make_clause(const Verb& verb, const Subject& subject, Mood mood, Gap gap = Gap::none);

  // "is tired", "has no time", "it is raining".
  Clause make_state(const Subject& subject, const Adjective& adjective, Tense tense);
  Clause make_having(const Subject& subject, const Noun& noun, Determiner determiner, Tense tense);
  Clause make_weather(Tense tense);

  NounPhrase pick_noun_phrase(Kinds kinds, Determiner own, bool negated);
  NounPhrase pick_definite_phrase(Kinds kinds, Determiner own);
  const Adjective* pick_adjective(const Noun& noun, std::uint32_t percent);  // nullptr: none
  const Noun& pick_noun(Kinds kinds);
  // `uses`: a time must fit all of them. Empty if none does.
  Phrase pick_time(std::uint8_t uses, bool punctual = false);
  // `definite`: a known place, as behind nicht. `outside`: in front of a building or behind it rather than in it.
  Phrase locate(Kinds kinds, Determiner own, bool definite, bool outside = false);

 private:
  void choose_tense(Made& made, const Subject& subject, Mood mood, Gap gap);
  void choose_present(Made& made, bool may_negate, Gap gap);
  void choose_modal(Made& made, Mood mood, bool may_negate);
  void choose_perfect(Made& made, bool may_negate);
  void choose_habit(Made& made);
  void add_object(Made& made, const Subject& subject);
  void add_dative(Made& made, const Subject& subject);
  void add_complement(Made& made, const Subject& subject);
  void add_extras(Made& made, const Subject& subject, Gap gap);
  Phrase pick_object_pronoun(Case grammatical_case, const Subject& subject);
  void settle_object(Made& made, NounPhrase& phrase, const Subject& subject);
  void add_object_tail(Made& made, const NounPhrase& phrase, const Subject& subject);
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

}  // namespace heed::pocket
