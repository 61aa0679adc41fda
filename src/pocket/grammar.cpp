#include "pocket/grammar.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "pocket/speaker.h"

namespace heed::pocket {
namespace {

// A main clause; if it has a time, sometimes with that in front.
Phrase open_clause(Speaker& speaker, Clause& clause) {
  if (clause.time.german.empty() || !speaker.dice.percent(45)) return order_words(clause, Order::main);
  // "Sometimes" stands before the verb in English; German treats it as a time.
  Words& english = clause.time.english.empty() ? clause.adverb.english : clause.time.english;
  Phrase sentence{std::exchange(english, {}), std::exchange(clause.time.german, {})};
  append(sentence, order_words(clause, Order::inverted));
  return sentence;
}

// "The man who lives in Berlin": German puts commas around the clause and its verb at the end.
void add_relative(Speaker& speaker, Subject& subject) {
  const bool person = subject.kinds & kind::person;
  const Verb& verb = speaker.pick_verb(subject.kinds, Mood::any);
  Subject gap = subject;
  gap.phrase = {};
  Clause clause = speaker.make_clause(verb, gap, Mood::any);
  const Phrase relative = order_words(clause, Order::subordinate);
  const bool asleep = verb.german.infinitive == "schlafen";  // nobody does anything else meanwhile
  if (asleep || clause.negated || clause.tense == Tense::perfect || relative.english.size() > 7) return;
  const Ideas idea = speaker.ideas.next();
  subject.phrase.english.push_back({person ? "who" : "that", {}, idea});
  add_german_comma(subject.phrase);
  const auto pronoun = relative_pronoun(subject.noun->gender, subject.agreement.plural, Case::nominative);
  subject.phrase.german.push_back({pronoun, {}, idea});
  append(subject.phrase, relative);
  add_german_comma(subject.phrase);
}

Phrase statement(Speaker& speaker) {
  const Verb& verb = speaker.pick_verb(~Kinds{0}, Mood::any);
  Subject subject = speaker.make_subject(verb.subject);
  if (subject.noun && (subject.kinds & (kind::adult | kind::youngster | kind::animal)) && speaker.dice.percent(9))
    add_relative(speaker, subject);
  Clause clause = speaker.make_clause(verb, subject, Mood::any);
  return speaker.close(open_clause(speaker, clause));
}

bool is_passing(const Adjective& adjective) {
  return (adjective.predicative & (kind::kin | kind::hot)) != 0;
}

// "The soup is very cold", "The children are at home": a clause with the verb to be.
Clause being(Speaker& speaker, Gap gap = Gap::none) {
  Dice& dice = speaker.dice;
  const Tense tense = dice.percent(30) ? Tense::past : Tense::simple;
  Clause clause(kBe, speaker.ideas);
  bool passing = true, vague = false;
  if (dice.percent(30)) {
    const Kinds who = dice.percent(75) ? Kinds{kind::person} : Kinds{kind::animal};
    const Subject subject = gap == Gap::none ? speaker.make_subject(who) : speaker.make_asked_subject(who);
    vague = subject.vague;
    clause.subject = subject.phrase;
    clause.agreement = subject.agreement;
    const Kinds where =
        who == kind::animal ? Kinds{kind::green} : kind::home | kind::green | kind::city | kind::building;
    clause.complement = dice.percent(25) && who != kind::animal ? speaker.fixed("at/1 home/2", "zu/1 Hause/2")
                                                                : speaker.locate(where, Determiner::none, true);
  } else {
    const Adjective& adjective = kAdjectives[dice.below(kAdjectives.size())];
    passing = is_passing(adjective);
    const bool person = (adjective.predicative & kind::adult) && gap == Gap::none && dice.percent(30);
    const Subject subject =
        person ? speaker.make_pronoun_subject() : speaker.make_definite_subject(adjective.predicative, false);
    clause = speaker.make_state(subject, adjective, tense);
    const bool graded = adjective.english != "red" && adjective.english != "black";
    if (graded && dice.percent(30)) {
      static constexpr std::string_view kExcessive[] = {"old", "small", "big", "cold", "hot", "expensive"};
      const bool excessive =
          std::ranges::find(kExcessive, adjective.english) != std::end(kExcessive) && dice.percent(50);
      Phrase degree = excessive ? speaker.fixed("too/1", "zu/1") : speaker.fixed("very/1", "sehr/1");
      append(degree, clause.complement);
      clause.complement = degree;
    }
  }
  clause.tense = tense;
  clause.negated = gap != Gap::truth && !vague && dice.percent(20);
  if (passing && dice.percent(40))
    clause.time = speaker.pick_time((tense == Tense::past ? when::past : when::now) | when::state);
  return clause;
}

Phrase being_statement(Speaker& speaker) {
  Clause clause = being(speaker);
  return speaker.close(open_clause(speaker, clause));
}

// What "That is ..." refers to. The adjective is picked first, so that each occurs in all its forms.
NounPhrase pick_shown(Speaker& speaker) {
  Dice& dice = speaker.dice;
  constexpr Kinds kShown =
      kind::animal | kind::text | kind::letter | kind::thing | kind::clothing | kind::vehicle | kind::colored;
  static constexpr Determiner kOwners[] = {Determiner::my, Determiner::our, Determiner::his, Determiner::her,
                                           Determiner::their};
  const Adjective* adjective = &kAdjectives[dice.below(kAdjectives.size())];
  Kinds kinds = adjective->attributive & (kShown | kind::person);
  if (!kinds || dice.percent(20)) {
    adjective = nullptr;
    kinds = kShown | kind::kin;
  }
  NounPhrase what{.noun = &speaker.pick_noun(kinds), .adjective = adjective};
  what.plural = !what.noun->english_plural.empty() && dice.percent(25);
  const bool person = what.noun->kinds & (kind::adult | kind::youngster);
  const bool owned = (what.noun->kinds & kind::kin) || (!person && dice.percent(what.plural ? 80 : 45));
  what.determiner = owned ? kOwners[dice.below(std::size(kOwners))] : what.plural ? Determiner::the : Determiner::a;
  return what;
}

// "That is a new coat", "Those are not my keys".
Phrase presentation(Speaker& speaker) {
  Dice& dice = speaker.dice;
  const NounPhrase what = pick_shown(speaker);
  const Ideas is = speaker.ideas.next(), that = speaker.ideas.next(), negation = speaker.ideas.next();
  const bool asks = dice.percent(25), negated = !asks && dice.percent(25);
  const bool in_noun = negated && what.determiner == Determiner::a;
  const Phrase object = make_noun(what, Case::nominative, speaker.ideas, in_noun ? negation : Ideas{0});
  const Word english_is{what.plural ? "are" : "is", {}, is}, ist{what.plural ? "sind" : "ist", {}, is};
  const Word english_that{what.plural ? "those" : "that", {}, that}, das{"das", {}, that};
  Phrase sentence{{english_that, english_is}, {das, ist}};
  if (asks) sentence = {{english_is, english_that}, {ist, das}};
  if (negated) sentence.english.push_back({"not", {}, negation});
  if (negated && !in_noun) sentence.german.push_back({"nicht", {}, negation});
  append(sentence, object);
  return speaker.close(std::move(sentence), asks ? "?" : ".");
}

// "Nobody is sleeping": an indefinite subject.
Phrase indefinite_statement(Speaker& speaker) {
  const bool nobody = speaker.dice.percent(50);
  const Subject subject{
      .phrase = nobody ? speaker.fixed("nobody/1", "niemand/1") : speaker.fixed("somebody/1", "jemand/1"),
      .kinds = kind::person};
  const Verb& verb = speaker.pick_verb(kind::person, Mood::ongoing);
  const Mood mood = speaker.dice.percent(40)   ? Mood::ongoing
                    : speaker.dice.percent(50) ? Mood::future
                                               : Mood::intention;
  Clause clause = speaker.make_clause(verb, subject, mood);
  if (nobody && clause.modal == &kMust) clause.modal = &kWant;  // "nobody must" forbids, niemand muss does not
  return speaker.close(order_words(clause, Order::main));
}

const Place& pick_place(Speaker& speaker, Kinds kinds) {
  for (;;) {
    const Place& place = kPlaces[speaker.dice.below(kPlaces.size())];
    if (place.noun.kinds & kinds) return place;
  }
}

// "There are two hotels in the village", "In the village there are ...", "Is there a hotel ...?"
Phrase existence(Speaker& speaker) {
  Dice& dice = speaker.dice;
  const bool wild = dice.percent(25);
  NounPhrase what{wild ? &noun(dice.percent(50) ? "bear" : "bird") : &pick_place(speaker, kind::building).noun};
  what.plural = wild || dice.percent(50);
  const std::uint32_t roll = dice.below(100);
  what.determiner = roll < 20 ? Determiner::no : !what.plural ? Determiner::a : Determiner::number;
  if (what.plural && roll >= 20 && roll < 50) what.determiner = Determiner::many;
  what.number = kNumbers[dice.below(6)];
  what.adjective = speaker.pick_adjective(*what.noun, 35);
  const Phrase object = make_noun(what, Case::accusative, speaker.ideas);

  const Kinds towns = what.determiner == Determiner::no ? Kinds{kind::town} : kind::town | kind::city;
  const Place& place = pick_place(speaker, wild ? Kinds{kind::green} : towns);
  NounPhrase where = place_phrase(place);
  if (where.determiner == Determiner::the && dice.percent(25)) where.determiner = Determiner::this_one;
  const Phrase location = make_prepositional(place.at, where, speaker.ideas);

  const Ideas there = speaker.ideas.next(), is = speaker.ideas.next();
  const Word english_is{what.plural ? "are" : "is", {}, is}, gibt{"gibt", {}, is}, es{"es", {}, there};
  const Word english_there{"there", {}, there};
  const bool asks = what.determiner != Determiner::no && dice.percent(25);
  if (!asks && dice.percent(50)) {
    Phrase sentence = location;
    append(sentence, {{english_there, english_is}, {gibt, es}});
    append(sentence, object);
    return speaker.close(std::move(sentence));
  }
  Phrase sentence{{english_there, english_is}, {es, gibt}};
  if (asks) sentence = {{english_is, english_there}, {gibt, es}};
  append(sentence.english, object.english);
  append(sentence, location);
  append(sentence.german, object.german);
  return speaker.close(std::move(sentence), asks ? "?" : ".");
}

Phrase yes_no_question(Speaker& speaker) {
  if (speaker.dice.percent(20)) return speaker.close(order_words(being(speaker, Gap::truth), Order::question), "?");
  const Verb& verb = speaker.pick_verb(~Kinds{0}, Mood::any);
  const Subject subject = speaker.make_asked_subject(verb.subject);
  return speaker.close(order_words(speaker.make_clause(verb, subject, Mood::any, Gap::truth), Order::question), "?");
}

// A question with a question word; `front` is empty if the question word is the subject of the clause.
struct Question {
  Phrase front;
  Clause clause;
};

Question subject_question(Speaker& speaker) {
  const Subject who{.phrase = speaker.fixed("who/1", "wer/1"), .kinds = kind::person};
  const Verb& verb = speaker.pick_verb(kind::person, Mood::any);
  return {{}, speaker.make_clause(verb, who, Mood::any)};
}

// "Which book", "how many eggs": the noun itself is in front.
Phrase asked_noun(Speaker& speaker, Kinds kinds) {
  NounPhrase phrase{&speaker.pick_noun(kinds & ~kind::uncounted), Determiner::which};
  phrase.plural = !phrase.noun->english_plural.empty() && speaker.dice.percent(50);
  if (phrase.plural && speaker.dice.percent(70)) phrase.determiner = Determiner::how_many;
  return make_noun(phrase, Case::accusative, speaker.ideas);
}

Question object_question(Speaker& speaker) {
  Dice& dice = speaker.dice;
  for (;;) {
    const Verb& verb = speaker.pick_verb(~Kinds{0}, Mood::any);
    const bool dative = verb.frame == Frame::dative_object;
    if (!dative && (verb.frame != Frame::transitive && verb.frame != Frame::placing)) continue;
    const bool person = verb.object & kind::person,
               thing = verb.object & ~kind::person & ~(kind::uncounted | kind::pale);
    const Subject subject = speaker.make_asked_subject(verb.subject);
    Question question{{}, speaker.make_clause(verb, subject, Mood::any, dative ? Gap::dative : Gap::object)};
    if (dative)
      question.front = speaker.fixed("who/1", "wem/1");
    else if (person && (!thing || dice.percent(50)))
      question.front = speaker.fixed("who/1", "wen/1");
    else if (thing && ((verb.traits & trait::no_what) || dice.percent(50)))
      question.front = asked_noun(speaker, verb.object & ~kind::person);
    else if (verb.traits & trait::no_what)
      continue;
    else
      question.front = speaker.fixed("what/1", "was/1");
    return question;
  }
}

Question place_question(Speaker& speaker) {
  for (;;) {
    const Verb& verb = speaker.pick_verb(~Kinds{0}, Mood::any);
    const bool directed = verb.frame == Frame::directed;
    // "Where is he coming?" and "Where is he arriving?" sound odd.
    if (verb.frame == Frame::placing || !verb.places || verb.german.infinitive == "kommen") continue;
    const Subject subject = speaker.make_asked_subject(verb.subject);
    return {directed ? speaker.fixed("where/1", "wohin/1") : speaker.fixed("where/1", "wo/1"),
            speaker.make_clause(verb, subject, Mood::any, Gap::place)};
  }
}

Question adverb_question(Speaker& speaker) {
  const bool why = speaker.dice.percent(50);
  if (why && speaker.dice.percent(30)) return {speaker.fixed("why/1", "warum/1"), being(speaker, Gap::time)};
  const Verb& verb = speaker.pick_verb(~Kinds{0}, Mood::event);
  const Subject subject = speaker.make_asked_subject(verb.subject);
  Clause clause = speaker.make_clause(verb, subject, Mood::event, why ? Gap::none : Gap::time);
  return {why ? speaker.fixed("why/1", "warum/1") : speaker.fixed("when/1", "wann/1"), clause};
}

Question pick_question(Speaker& speaker) {
  const std::uint32_t roll = speaker.dice.below(100);
  if (roll < 22) return subject_question(speaker);
  if (roll < 55) return object_question(speaker);
  if (roll < 75) return place_question(speaker);
  return adverb_question(speaker);
}

Phrase word_question(Speaker& speaker) {
  Question question = pick_question(speaker);
  Phrase sentence = question.front;
  append(sentence, order_words(question.clause, sentence.empty() ? Order::main : Order::question));
  return speaker.close(std::move(sentence), "?");
}

// Somebody says, believes, hopes, knows or asks something.
Phrase reported(Speaker& speaker) {
  Dice& dice = speaker.dice;
  const std::uint32_t roll = dice.below(100);
  const bool asks = roll < 45;
  static constexpr const Verb* kTelling[] = {&kSay, &kBelieve, &kHope, &kKnow};
  const Verb& verb = asks ? (roll < 20 ? kAsk : kKnow) : *kTelling[dice.below(std::size(kTelling))];
  // Not a girl or a child: whether "her sister" is then seine or ihre Schwester is a matter of taste.
  const Subject speaking = speaker.make_topic(kind::person, true);
  Clause outer(verb, speaker.ideas, speaking.phrase, speaking.agreement);
  outer.negated = &verb == &kKnow && asks ? true : &verb == &kBelieve && dice.percent(25);
  Phrase sentence = order_words(outer, Order::main);
  add_german_comma(sentence);
  if (asks && dice.percent(55)) {
    Question question = pick_question(speaker);
    append(sentence, question.front);
    append(sentence, order_words(question.clause, Order::subordinate));
  } else {
    append(sentence, asks ? speaker.fixed("if/1", "ob/1") : speaker.fixed("that/1", "dass/1"));
    const Gap gap = asks ? Gap::truth : Gap::none;
    if (dice.percent(20)) {
      append(sentence, order_words(being(speaker, gap), Order::subordinate));
    } else {
      const Verb& inner = speaker.pick_verb(~Kinds{0}, Mood::any);
      const bool about_us = (inner.subject & kind::adult) && dice.percent(20);
      const Subject subject = about_us ? speaker.make_pronoun_subject() : speaker.make_subject(inner.subject);
      Clause clause = speaker.make_clause(inner, subject, Mood::any, gap);
      const bool duty = clause.modal == &kMust || clause.modal == &kMustNot || clause.modal == &kShould;
      if (&verb == &kHope && duty) clause.modal = &kWill;  // one hopes for events, not for duties
      append(sentence, order_words(clause, Order::subordinate));
    }
  }
  return speaker.close(std::move(sentence));
}

Phrase weather_report(Speaker& speaker) {
  Dice& dice = speaker.dice;
  const bool past = dice.percent(30), state = dice.percent(40);
  const Phrase where = speaker.locate(kind::city, Determiner::none, true);
  Clause clause = speaker.make_weather(past ? Tense::past : Tense::progressive);
  if (state) {
    const Subject it{.phrase = make_pronoun(Pronoun::it_neuter, Case::nominative, speaker.ideas)};
    clause = speaker.make_state(it, adjective(dice.percent(50) ? "cold" : "hot"), past ? Tense::past : Tense::simple);
  }
  clause.negated = dice.percent(15);
  if (dice.percent(60)) clause.time = speaker.pick_time((past ? when::past : when::now) | when::state);
  Phrase sentence;
  if (state && dice.percent(50)) {
    sentence = where;  // "In Vienna it is cold": German does not put the place in the middle
    append(sentence, order_words(clause, Order::inverted));
  } else {
    if (!state && !clause.negated && dice.percent(50)) clause.place = where;
    sentence = open_clause(speaker, clause);
  }
  return speaker.close(std::move(sentence));
}

}  // namespace

Phrase compose_sentence(Dice& dice) {
  struct Row {
    std::uint32_t percent;
    Phrase (*compose)(Speaker&);
  };
  static constexpr Row kRows[] = {{28, statement},     {7, being_statement},
                                  {7, presentation},   {1, indefinite_statement},
                                  {4, existence},      {11, yes_no_question},
                                  {11, word_question}, {9, reported},
                                  {7, reasoned},       {6, timed},
                                  {2, remembered},     {5, coordinated},
                                  {2, weather_report}};
  std::uint32_t roll = dice.below(100);
  Speaker speaker(dice);
  for (const Row& row : kRows) {
    if (roll < row.percent) return row.compose(speaker);
    roll -= row.percent;
  }
  return statement(speaker);
}

}  // namespace heed::pocket
