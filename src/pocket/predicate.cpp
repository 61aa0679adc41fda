#include <iterator>

#include "pocket/speaker.h"

namespace heed::pocket {
namespace {

bool has(const Verb& verb, Traits traits) {
  return (verb.traits & traits) != 0;
}

bool is_arrival(const Verb& verb) {
  return verb.frame == Frame::located && !verb.prefix.empty();
}

constexpr Idiom kHabits[] = {
    {"often/1", "oft/1"}, {"always/1", "immer/1"}, {"sometimes/1", "manchmal/1"}, {"never/1", "nie/1"}};

// The kind of times that fit the clause.
std::uint8_t time_use(const Clause& clause) {
  if (clause.modal == &kWill) return when::future;
  if (clause.tense == Tense::past) return when::past;
  if (clause.modal && clause.modal != &kLikeTo) return when::modal;
  return clause.tense == Tense::progressive ? when::now : when::habit;
}

}  // namespace

const Verb& Speaker::pick_verb(Kinds subject, Mood mood) {
  const auto rows = kVerbs;
  // The separable verbs close the table and count double: they have the most forms to learn.
  const auto total = static_cast<std::uint32_t>(rows.size()), separable = kSeparableVerbs;
  for (;;) {
    std::uint32_t row = dice.below(total + separable);
    if (row >= total) row -= separable;
    const Verb& verb = rows[row];
    if (!(verb.subject & subject) || &verb == used_verb_) continue;
    if (mood != Mood::any && has(verb, trait::stative | trait::present_only)) continue;
    // Getting up and arriving take no time and need no plan; arriving needs no reason either.
    if (mood == Mood::event && verb.frame == Frame::located) continue;
    if ((mood == Mood::intention || mood == Mood::ongoing) && !verb.prefix.empty() && has(verb, trait::takes_being))
      continue;
    used_verb_ = &verb;
    return verb;
  }
}

// "Sometimes" behaves like a time in German and like "often" in English.
void Speaker::choose_habit(ClauseDraft& clause) {
  const Phrase habit = make_idiom(kHabits[dice.below(std::size(kHabits))], ideas);
  const bool sometimes = habit.german.front().stem == "manchmal";
  clause.adverb.english = habit.english;
  (sometimes ? clause.time : clause.adverb).german = habit.german;
}

void Speaker::choose_perfect(ClauseDraft& clause, bool may_negate) {
  clause.tense = Tense::perfect;
  const std::uint32_t roll = dice.below(100);
  if (roll < 50 || !may_negate) {
    clause.adverb = make_idiom({"already/1", "schon/1"}, ideas);
  } else if (roll < 75 && clause.verb->prefix != "auf") {
    clause.adverb = make_idiom({"never/1", "noch/1 nie/1"}, ideas);
  } else {
    // English puts "yet" last, German puts "noch" before "nicht".
    clause.negated = true;
    const Phrase yet = make_idiom({"yet/1", "noch/1"}, ideas);
    clause.adverb.german = yet.german;
    clause.time.english = yet.english;
  }
}

void Speaker::choose_modal(ClauseDraft& clause, Mood mood, bool may_negate) {
  static constexpr const Modal* kAny[] = {&kCan, &kMust, &kShould, &kWill, &kWant};
  static constexpr const Modal* kIntended[] = {&kMust, &kWant};
  const bool stative = has(*clause.verb, trait::stative);  // "must live", "can have" mean something else
  if (mood == Mood::intention)
    clause.modal = kIntended[dice.below(2)];
  else if (clause.verb->german.infinitive == "haben")
    clause.modal = &kWant;
  else if (is_arrival(*clause.verb))
    clause.modal = dice.percent(50) ? &kMust : &kWill;  // one cannot want to arrive
  else
    clause.modal = stative ? kAny[3 + dice.below(2)] : kAny[dice.below(5)];
  clause.negated = may_negate && mood != Mood::intention && dice.percent(18);
  if (clause.negated && clause.modal == &kMust) clause.modal = &kMustNot;
  if (clause.modal == &kWant && dice.percent(25)) clause.tense = Tense::past;
}

void Speaker::choose_present(ClauseDraft& clause, bool may_negate, Gap gap) {
  const Verb& verb = *clause.verb;
  if (has(verb, trait::stative)) {
    clause.negated = may_negate && dice.percent(20);
  } else if (gap == Gap::time || has(verb, trait::present_only) || dice.percent(55)) {
    clause.tense = Tense::progressive;
    clause.negated = may_negate && !is_arrival(verb) && dice.percent(20);
  } else if (has(verb, trait::enjoyable) && dice.percent(45)) {
    clause.modal = &kLikeTo;
    clause.negated = may_negate && dice.percent(20);
  } else {
    clause.habitual = true;
    const bool daily = verb.prefix == "auf" || is_arrival(verb);  // "always gets up" says nothing
    if (!daily && dice.percent(60))
      choose_habit(clause);
    else
      clause.time = pick_time(when::habit, has(verb, trait::punctual));
  }
}

void Speaker::choose_tense(ClauseDraft& clause, const Subject& subject, Mood mood, Gap gap) {
  const Verb& verb = *clause.verb;
  // "They read" may be present or past, so such verbs are in the past only with he, she or it.
  const bool past_shows =
      verb.english.past != verb.english.base || !(subject.agreement.first || subject.agreement.plural);
  const bool may_past = past_shows && !has(verb, trait::present_only);
  const bool may_negate = gap == Gap::none && !subject.vague;
  switch (mood) {
    case Mood::ongoing:
      clause.tense = Tense::progressive;
      return;
    case Mood::habit:
      clause.habitual = true;
      return;
    case Mood::past:
      clause.habitual = true;
      clause.tense = may_past ? Tense::past : Tense::progressive;
      if (!has(verb, trait::stative) && dice.percent(50)) clause.adverb = make_idiom(kHabits[dice.below(2)], ideas);
      return;
    case Mood::future:
      clause.modal = &kWill;
      return;
    case Mood::intention:
      return choose_modal(clause, mood, may_negate);
    case Mood::event:
      if (dice.percent(35)) return choose_modal(clause, mood, may_negate);
      clause.tense = may_past && dice.percent(50) ? Tense::past : Tense::progressive;
      clause.negated = may_negate && dice.percent(25);
      return;
    case Mood::any:
      break;
  }
  const std::uint32_t roll = dice.below(100);
  if (has(verb, trait::present_only) || roll < 46) return choose_present(clause, may_negate, gap);
  if (roll < 68 && may_past) {
    clause.tense = Tense::past;
    clause.negated = may_negate && dice.percent(20);
    return;
  }
  if (roll < 78 && !has(verb, trait::stative) && (gap == Gap::none || gap == Gap::truth))
    return choose_perfect(clause, may_negate);
  choose_modal(clause, mood, may_negate);
}

Phrase Speaker::coordinate_object(const NounPhrase& first, Kinds kinds) {
  NounPhrase second{&pick_noun(kinds), first.determiner};
  Phrase both = make_noun(first, Case::accusative, ideas);
  if (second.noun == first.noun) return both;
  second.adjective = nullptr;
  append(both, make_idiom({"and/1", "und/1"}, ideas));
  append(both, make_noun(second, Case::accusative, ideas));
  return both;
}

// Fits the article to the clause: likes and habits are about food or books in general, a negated "a" becomes kein.
void Speaker::settle_object(ClauseDraft& clause, NounPhrase& phrase, const Subject& subject) {
  const Verb& verb = *clause.verb;
  const Kinds kinds = phrase.noun->kinds;
  constexpr Kinds kConsumed = kind::snack | kind::meal | kind::drink | kind::text | kind::letter;
  const bool likes = clause.modal == &kLikeTo, alive = kinds & (kind::person | kind::animal);
  const bool general = !likes && !clause.habitual && verb.german.infinitive == "mögen";
  if (general && phrase.determiner == Determiner::a && alive) {
    phrase.determiner = Determiner::the;
  } else if ((clause.habitual && (kinds & kConsumed)) || (likes && !alive) ||
             (general && phrase.determiner == Determiner::a)) {
    phrase.plural = !phrase.noun->english_plural.empty();
    phrase.determiner = Determiner::none;
  } else if (clause.habitual && (phrase.determiner == Determiner::a || clause.tense == Tense::past) && !alive &&
             verb.object != kind::clothing && !phrase.noun->english_plural.empty()) {
    phrase.plural = true;
    phrase.determiner = Determiner::none;
  } else if (verb.object == kind::clothing) {
    // Each person wears one item, so several people wear several.
    phrase.plural = subject.agreement.plural;
    if (phrase.plural) phrase.determiner = subject.own == Determiner::none ? Determiner::the : subject.own;
    if (!is_definite(phrase.determiner)) phrase.determiner = Determiner::a;
  } else if ((kinds & kind::person) && !is_definite(phrase.determiner) &&
             (clause.negated || phrase.determiner == Determiner::none)) {
    phrase.determiner = Determiner::the;
  }
  clause.accusative_definite = is_definite(phrase.determiner);
  if (clause.accusative_definite) {
    clause.object = (kinds & kind::person) || phrase.adjective ? nullptr : phrase.noun;
    clause.object_plural = phrase.plural;
  } else if (clause.negated && clause.modal != &kLikeTo) {
    clause.negation_in_noun = true;
    if (phrase.determiner == Determiner::none && !has(verb, trait::stative) && !clause.modal)
      phrase.determiner = Determiner::any;
  }
}

void Speaker::add_object(ClauseDraft& clause, const Subject& subject) {
  const Verb& verb = *clause.verb;
  const Kinds people = verb.object & kind::person, things = verb.object & ~kind::person;
  const bool person = people && (!things || dice.percent(50));
  if (person && dice.percent(25)) {
    clause.accusative = pick_object_pronoun(Case::accusative, subject);
    clause.accusative_pronoun = clause.accusative_definite = true;
    return;
  }
  NounPhrase phrase = pick_noun_phrase(person ? people : things, subject.own, clause.negated);
  settle_object(clause, phrase, subject);
  const bool plain = phrase.determiner == Determiner::none && !clause.negated;
  const Kinds siblings = verb.object & (kind::meal | kind::drink) & phrase.noun->kinds;
  if (plain && siblings && dice.percent(15)) {
    clause.accusative = coordinate_object(phrase, siblings);
    return;
  }
  clause.accusative =
      make_noun(phrase, Case::accusative, ideas, clause.negation_in_noun ? clause.negation_idea : Ideas{0});
  if (!clause.accusative_definite && !person) add_object_tail(clause, phrase, subject);
}

// Soup with bread, an apple for the child.
void Speaker::add_object_tail(ClauseDraft& clause, const NounPhrase& phrase, const Subject& subject) {
  const Kinds kinds = phrase.noun->kinds;
  const bool served = (kinds & kind::hot) && !(kinds & kind::pale) && phrase.determiner == Determiner::none;
  if (has(*clause.verb, trait::serving) && served && !clause.negated && dice.percent(80)) {
    NounPhrase side{&noun(kinds & kind::meal ? "bread" : "milk"), Determiner::none};
    side.adjective = pick_adjective(*side.noun, 100);
    append(clause.accusative, make_prepositional({"with", "mit", Case::dative}, side, ideas));
  } else if (has(*clause.verb, trait::giving) && dice.percent(20)) {
    const NounPhrase receiver = pick_definite_phrase(kind::person, subject.own);
    append(clause.accusative, make_prepositional({"for", "für", Case::accusative}, receiver, ideas));
  }
}

void Speaker::add_dative(ClauseDraft& clause, const Subject& subject) {
  if (dice.percent(30)) {
    clause.dative = pick_object_pronoun(Case::dative, subject);
    return;
  }
  const Verb& verb = *clause.verb;
  const Kinds kinds = verb.frame == Frame::dative_object ? verb.object : Kinds{kind::person};
  NounPhrase phrase = pick_noun_phrase(kinds, subject.own, true);
  if (!is_definite(phrase.determiner) && (phrase.plural || clause.negated)) phrase.determiner = Determiner::the;
  clause.dative_definite = is_definite(phrase.determiner);
  clause.dative = make_noun(phrase, Case::dative, ideas);
}

void Speaker::add_complement(ClauseDraft& clause, const Subject& subject) {
  const Verb& verb = *clause.verb;
  if (verb.frame == Frame::located) {
    clause.complement = locate(verb.places, subject.own, clause.negated);
  } else if (verb.frame == Frame::directed) {
    clause.complement = direct(verb.places, clause.negated || !verb.prefix.empty());
  } else if (verb.frame == Frame::placing) {
    NounPhrase phrase{&pick_noun(kind::surface)};
    phrase.adjective = pick_adjective(*phrase.noun, 20);
    clause.complement = make_prepositional(
        dice.percent(60) ? Preposition{"on", "auf", Case::accusative} : Preposition{"under", "unter", Case::accusative},
        phrase, ideas);
  } else {
    clause.complement = make_prepositional(verb.preposition, pick_definite_phrase(verb.object, subject.own), ideas);
  }
}

void Speaker::add_extras(ClauseDraft& clause, const Subject& subject, Gap gap) {
  const Verb& verb = *clause.verb;
  const bool late_object = !clause.accusative.empty() && !clause.accusative_definite;
  if (!clause.negated && !late_object && clause.modal != &kLikeTo && clause.adverb.empty()) {
    if (has(verb, trait::unhurried) && dice.percent(22))
      clause.manner =
          make_idiom(dice.percent(50) ? Idiom{"slowly/1", "langsam/1"} : Idiom{"quickly/1", "schnell/1"}, ideas);
    else if (has(verb, trait::quiet) && dice.percent(18))
      clause.manner = make_idiom({"quietly/1", "leise/1"}, ideas);
  }
  if (has(verb, trait::ridden) && dice.percent(45))
    clause.means = make_idiom(
        dice.percent(50) ? Idiom{"by/1 train/2", "mit/1 dem/2 Zug/2"} : Idiom{"by/1 bus/2", "mit/1 dem/2 Bus/2"},
        ideas);
  if (has(verb, trait::company) && dice.percent(55)) {
    const NounPhrase partner = pick_definite_phrase(kind::youngster | kind::animal | kind::toy, subject.own);
    clause.means = make_prepositional({"with", "mit", Case::dative}, partner, ideas);
  }
  const bool free_place = verb.frame != Frame::located && verb.frame != Frame::directed && verb.frame != Frame::placing;
  if (free_place && verb.places && gap != Gap::place && dice.percent(clause.accusative.german.size() > 3 ? 15 : 32)) {
    const bool at_home = (verb.places & kind::home) && dice.percent(20);
    clause.place = at_home ? make_idiom({"at/1 home/2", "zu/1 Hause/2"}, ideas)
                           : locate(verb.places, subject.own, clause.negated,
                                    has(verb, trait::company) || verb.frame == Frame::prepositional);
  }
  const bool timeless = has(verb, trait::stative) && (verb.frame == Frame::located || !verb.places);
  const bool has_time = !clause.time.english.empty() || !clause.adverb.english.empty();
  const bool plain_present = clause.tense == Tense::simple && (!clause.modal || clause.modal == &kLikeTo);
  if (timeless || has_time || plain_present || clause.tense == Tense::perfect || gap == Gap::time || !dice.percent(38))
    return;
  const bool clock = verb.prefix == "auf" && clause.tense != Tense::progressive && !clause.negated;
  clause.time = pick_time(time_use(clause) | (clause.negated ? when::negated
                                              : clock        ? when::punctual
                                                             : 0),
                          has(verb, trait::punctual));
}

ClauseDraft Speaker::make_clause(const Verb& verb, const Subject& subject, Mood mood, Gap gap) {
  ClauseDraft clause(verb, ideas, subject.phrase, subject.agreement);
  choose_tense(clause, subject, mood, gap);
  const auto frame_is = [&](auto... frames) { return ((verb.frame == frames) || ...); };
  if (frame_is(Frame::dative_object, Frame::ditransitive) && gap != Gap::dative) add_dative(clause, subject);
  if (frame_is(Frame::transitive, Frame::ditransitive, Frame::placing, Frame::optional_object) && gap != Gap::object &&
      (!frame_is(Frame::optional_object) || dice.percent(60)))
    add_object(clause, subject);
  if (frame_is(Frame::placing, Frame::prepositional, Frame::located, Frame::directed) && gap != Gap::place)
    add_complement(clause, subject);
  add_extras(clause, subject, gap);
  return clause;
}

Clause Speaker::make_state(const Subject& subject, const Adjective& adjective, Tense tense) {
  Clause clause(kBe, ideas, subject.phrase, subject.agreement, tense);
  const Ideas idea = ideas.next();
  clause.complement = {{{adjective.english, {}, idea}}, {{adjective.german, {}, idea}}};
  return clause;
}

Clause Speaker::make_having(const Subject& subject, const Noun& noun, Determiner determiner, Tense tense) {
  Clause clause(verb("have"), ideas, subject.phrase, subject.agreement, tense);
  clause.accusative = make_noun({&noun, determiner}, Case::accusative, ideas);
  return clause;
}

Clause Speaker::make_weather(Tense tense) {
  const Verb& verb = dice.percent(60) ? kRain : kSnow;
  return Clause(verb, ideas, make_pronoun(Pronoun::it_neuter, Case::nominative, ideas), {}, tense);
}

}  // namespace heed::pocket
