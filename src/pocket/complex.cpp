#include "pocket/sentence.h"

namespace heed::pocket {

void close(Speaker& speaker, Phrase& sentence, std::string_view mark) {
  const Ideas idea = speaker.ideas.next();
  // The comma behind a relative clause gives way to the mark.
  if (sentence.german.back().stem == ",") sentence.german.pop_back();
  sentence.english.push_back({mark, {}, idea});
  sentence.german.push_back({mark, {}, idea});
}

Phrase fixed(Speaker& speaker, std::string_view english, std::string_view german) {
  return make_idiom({english, german}, speaker.ideas);
}

void add_german_comma(Phrase& phrase) {
  phrase.german.push_back({",", {}, 0});
}

Phrase main_clause(const Clause& clause) {
  return {english_clause(clause, false), german_clause(clause, Order::subject_first)};
}

Phrase inverted_clause(const Clause& clause) {
  return {english_clause(clause, false), german_clause(clause, Order::verb_first)};
}

Phrase subordinate_clause(const Clause& clause) {
  return {english_clause(clause, false), german_clause(clause, Order::verb_last)};
}

Phrase question_clause(const Clause& clause) {
  return {english_clause(clause, true), german_clause(clause, Order::verb_first)};
}

Subject make_topic(Speaker& speaker, Kinds kinds, bool with_adjective) {
  for (;;) {
    Subject subject = speaker.dice.percent(15) ? speaker.make_pronoun_subject()
                                               : speaker.make_subject(kinds & kind::person, with_adjective);
    if (subject.again) return subject;
  }
}

namespace {

// Joins two clauses: "main because other" or, fronted, "Because other, main".
Phrase join(Speaker& speaker, const Idiom& conjunction, const Clause& first, const Clause& second, bool fronted) {
  Phrase sentence;
  if (fronted) {
    sentence = make_idiom(conjunction, speaker.ideas);
    append(sentence, subordinate_clause(first));
    const Ideas idea = speaker.ideas.next();
    append(sentence, {{{",", {}, idea}}, {{",", {}, idea}}});
    append(sentence, inverted_clause(second));
  } else {
    sentence = main_clause(first);
    add_german_comma(sentence);
    append(sentence, make_idiom(conjunction, speaker.ideas));
    append(sentence, subordinate_clause(second));
  }
  close(speaker, sentence, ".");
  return sentence;
}

constexpr Idiom kBecause{"because/1", "weil/1"}, kAlthough{"although/1", "obwohl/1"}, kWhenever{"when/1", "wenn/1"},
    kWhenPast{"when/1", "als/1"}, kIf{"if/1", "wenn/1"}, kWhile{"while/1", "während/1"}, kBefore{"before/1", "bevor/1"};

// Somebody else than the topic, who is a noun where the topic is a pronoun.
Subject make_other(Speaker& speaker, const Subject& topic, Kinds kinds) {
  return topic.noun ? speaker.make_subject(kinds) : speaker.make_definite_subject(kinds, true);
}

// Money only matters to those who buy or travel.
bool is_costly(const Verb& verb) {
  return (verb.traits & (trait::ridden | trait::giving)) && !(verb.object & kind::cooked);
}

// What keeps somebody from doing a thing.
Clause make_obstacle(Speaker& speaker, const Verb& verb, const Subject& subject, Tense tense) {
  const std::uint32_t roll = speaker.dice.below(100);
  if (verb.german.infinitive == "schlafen") return speaker.make_having(subject, noun("time"), Determiner::no, tense);
  if (is_costly(verb) && roll < 50) return speaker.make_having(subject, noun("money"), Determiner::no, tense);
  if (roll < 30) return speaker.make_state(subject, adjective("tired"), tense);
  if (roll < 50 || verb.prefix == "auf") return speaker.make_state(subject, adjective("sick"), tense);
  return speaker.make_having(subject, noun("time"), Determiner::no, tense);
}

bool is_food_verb(const Verb& verb) {
  return (verb.object & (kind::snack | kind::cooked)) && !(verb.object & kind::text);
}

}  // namespace

// Why somebody does a thing, or does it all the same.
Phrase reasoned(Speaker& speaker) {
  Dice& dice = speaker.dice;
  const Verb& verb = speaker.pick_verb(kind::person, Mood::event);
  const Subject topic = make_topic(speaker, verb.subject, false);
  const Subject again = speaker.refer_again(topic);
  const bool fronted = dice.percent(30);
  Made made = speaker.make_clause(verb, fronted ? again : topic, Mood::event);
  Clause& main = made.clause;
  const Subject& other = fronted ? topic : again;
  const Tense tense = main.tense == Tense::past ? Tense::past : Tense::simple;
  const auto finish = [&](const Idiom& conjunction, const Clause& reason) {
    return fronted ? join(speaker, conjunction, reason, main, true) : join(speaker, conjunction, main, reason, false);
  };
  const bool sleeps = verb.german.infinitive == "schlafen";
  if (main.negated) main.place = {};  // the reason is for the whole, not for the place
  if (main.negated && sleeps) return finish(kAlthough, speaker.make_state(other, adjective("tired"), tense));
  if (main.negated) return finish(kBecause, make_obstacle(speaker, verb, other, tense));
  if (dice.percent(35)) {
    if (dice.percent(65)) return finish(kAlthough, make_obstacle(speaker, verb, other, tense));
    main.time = {};
    return finish(kAlthough, speaker.make_weather(tense == Tense::past ? Tense::past : Tense::progressive));
  }
  if (is_food_verb(verb) && dice.percent(50))
    return finish(kBecause, speaker.make_state(other, adjective("hungry"), tense));
  if (made.object && !fronted && main.place.empty() && main.complement.empty() && dice.percent(80)) {
    Subject thing{make_pronoun(pronoun_for(*made.object, made.object_plural), Case::nominative, speaker.ideas),
                  {false, made.object_plural},
                  made.object->kinds,
                  {},
                  Determiner::none,
                  nullptr};
    for (;;) {
      const Adjective& quality = adjectives()[dice.below(adjectives().size())];
      if (quality.predicative & made.object->kinds) return finish(kBecause, speaker.make_state(thing, quality, tense));
    }
  }
  if (sleeps) return finish(kBecause, speaker.make_state(other, adjective("tired"), tense));
  if (main.modal) return finish(kAlthough, make_obstacle(speaker, verb, other, tense));
  const Verb* wanted = &speaker.pick_verb(other.kinds, Mood::intention);
  while (!(wanted->traits & trait::enjoyable) || wanted->object == kind::clothing)
    wanted = &speaker.pick_verb(other.kinds, Mood::intention);
  Clause reason = speaker.make_clause(*wanted, other, Mood::intention).clause;
  if (main.tense == Tense::past) reason.modal = &kWant;
  reason.tense = tense;
  reason.time = {};
  return finish(kBecause, reason);
}

// What happens whenever, if, while or before something else does.
Phrase timed(Speaker& speaker) {
  Dice& dice = speaker.dice;
  const std::uint32_t roll = dice.below(100);
  const bool fronted = dice.percent(45);
  const Mood mood = roll < 30 ? Mood::habit : roll < 55 ? Mood::future : roll < 75 ? Mood::ongoing : Mood::habit;
  const Verb* picked = &speaker.pick_verb(kind::person, mood);
  while (picked->frame == Frame::located) picked = &speaker.pick_verb(kind::person, mood);  // arriving has no "when"
  const Verb& verb = *picked;
  const Subject topic = make_topic(speaker, verb.subject, false);
  const Subject again = speaker.refer_again(topic);
  Clause main = speaker.make_clause(verb, fronted ? again : topic, mood).clause;
  const Subject& other = fronted ? topic : again;
  const auto finish = [&](const Idiom& conjunction, const Clause& clause) {
    return fronted ? join(speaker, conjunction, clause, main, true) : join(speaker, conjunction, main, clause, false);
  };
  if (roll < 30) {
    static constexpr std::string_view kStates[] = {"tired", "sad"};
    if (dice.percent(30)) return finish(kWhenever, speaker.make_weather(Tense::simple));
    if (dice.percent(30))
      return finish(kWhenever, speaker.make_having(other, noun("time"), Determiner::none, Tense::simple));
    return finish(kWhenever, speaker.make_state(other, adjective(kStates[dice.below(2)]), Tense::simple));
  }
  if (roll < 55) {
    if (verb.prefix == "auf" || dice.percent(50)) {
      Clause weather = speaker.make_weather(Tense::simple);
      if (main.time.empty()) weather.time = speaker.pick_time(when::future | when::negated);
      return finish(kIf, weather);
    }
    const Noun& means = noun(is_costly(verb) ? "money" : "time");
    return finish(kIf, speaker.make_having(other, means, Determiner::none, Tense::simple));
  }
  if (roll < 75) {
    main.time = {};
    main.subject = topic.phrase;
    const Verb& second = speaker.pick_verb(kind::person, Mood::ongoing);
    const Subject subject = make_other(speaker, topic, second.subject);
    Clause clause = speaker.make_clause(second, subject, Mood::ongoing).clause;
    clause.time = {};
    return finish(kWhile, clause);
  }
  const Verb* second = &speaker.pick_verb(other.kinds, Mood::habit);
  while (second->prefix == "auf") second = &speaker.pick_verb(other.kinds, Mood::habit);  // one gets up first
  const Clause clause = speaker.make_clause(*second, other, Mood::habit).clause;
  return finish(kBefore, clause);
}

// "When the king was young, he lived in Berlin."
Phrase remembered(Speaker& speaker) {
  Dice& dice = speaker.dice;
  const bool fronted = dice.percent(60);
  for (;;) {
    const Verb& verb = speaker.pick_verb(kind::person, Mood::any);
    const bool once = !verb.prefix.empty() && (verb.traits & trait::takes_being);
    if (once || verb.english.past == verb.english.base || (verb.traits & trait::present_only)) continue;
    const Subject topic = dice.percent(40) ? speaker.make_pronoun_subject()
                                           : speaker.make_definite_subject(verb.subject & kind::person, false);
    if (!topic.again) continue;
    const Subject again = speaker.refer_again(topic);
    Clause main = speaker.make_clause(verb, fronted ? again : topic, Mood::past).clause;
    main.time = {};
    // What happens often happens in a long time: German would say wenn, not als, of a short one.
    static constexpr std::string_view kStates[] = {"young", "small", "sick", "sad"};
    const bool lasting = !main.adverb.empty() || (verb.traits & trait::stative);
    const Adjective& state_word = adjective(kStates[dice.below(lasting ? 2 : 4)]);
    const Clause state = speaker.make_state(fronted ? topic : again, state_word, Tense::past);
    return fronted ? join(speaker, kWhenPast, state, main, true) : join(speaker, kWhenPast, main, state, false);
  }
}

Phrase coordinated(Speaker& speaker) {
  const bool contrast = speaker.dice.percent(50);
  const Verb& verb = speaker.pick_verb(kind::person, contrast ? Mood::intention : Mood::ongoing);
  const Subject topic = make_topic(speaker, verb.subject, false);
  Phrase sentence;
  if (contrast) {
    Clause main = speaker.make_clause(verb, topic, Mood::intention).clause;
    sentence = main_clause(main);
    const Ideas idea = speaker.ideas.next();
    append(sentence, {{{",", {}, idea}}, {{",", {}, idea}}});
    append(sentence, fixed(speaker, "but/1", "aber/1"));
    append(sentence, main_clause(make_obstacle(speaker, verb, speaker.refer_again(topic), main.tense)));
  } else {
    sentence = main_clause(speaker.make_clause(verb, topic, Mood::ongoing).clause);
    append(sentence, fixed(speaker, "and/1", "und/1"));
    const Verb& second = speaker.pick_verb(kind::person, Mood::ongoing);
    const Subject subject = make_other(speaker, topic, second.subject);
    Clause clause = speaker.make_clause(second, subject, Mood::ongoing).clause;
    clause.time = {};
    append(sentence, main_clause(clause));
  }
  close(speaker, sentence, ".");
  return sentence;
}

}  // namespace heed::pocket
