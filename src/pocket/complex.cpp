#include <utility>

#include "pocket/speaker.h"

namespace heed::pocket {
namespace {

// "main because other" or, fronted, "because other, main".
Phrase join(Speaker& speaker, const Idiom& conjunction, const Clause& main, const Clause& other, bool fronted) {
  Phrase sentence = fronted ? Phrase{} : order_words(main, Order::main);
  if (!fronted) add_german_comma(sentence);
  append(sentence, make_idiom(conjunction, speaker.ideas));
  append(sentence, order_words(other, Order::subordinate));
  if (fronted) {
    speaker.append_mark(sentence, ",");
    append(sentence, order_words(main, Order::inverted));
  }
  return speaker.close(std::move(sentence));
}

constexpr Idiom kBecause{"because/1", "weil/1"}, kAlthough{"although/1", "obwohl/1"}, kWhenever{"when/1", "wenn/1"},
    kWhenPast{"when/1", "als/1"}, kIf{"if/1", "wenn/1"}, kWhile{"while/1", "während/1"}, kBefore{"before/1", "bevor/1"};

// What somebody else is doing meanwhile. The subject is a noun if the topic is a pronoun.
Clause make_simultaneous(Speaker& speaker, const Subject& topic) {
  const Verb& verb = speaker.pick_verb(kind::person, Mood::ongoing);
  const Subject subject =
      topic.noun ? speaker.make_subject(verb.subject) : speaker.make_definite_subject(verb.subject, true);
  Clause clause = speaker.make_clause(verb, subject, Mood::ongoing);
  clause.time = {};
  return clause;
}

// Money only matters to those who buy or travel.
bool is_costly(const Verb& verb) {
  return (verb.traits & (trait::ridden | trait::giving)) && !(verb.object & kind::cooked);
}

// A reason for not doing something.
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

// Why somebody does something, or despite what.
Phrase reasoned(Speaker& speaker) {
  Dice& dice = speaker.dice;
  const Verb& verb = speaker.pick_verb(kind::person, Mood::event);
  const Subject topic = speaker.make_topic(verb.subject);
  const Subject again = speaker.refer_again(topic);
  const bool fronted = dice.percent(30);
  ClauseDraft main = speaker.make_clause(verb, fronted ? again : topic, Mood::event);
  const Subject& other = fronted ? topic : again;
  const Tense tense = main.tense == Tense::past ? Tense::past : Tense::simple;
  const auto finish = [&](const Idiom& conjunction, const Clause& reason) {
    return join(speaker, conjunction, main, reason, fronted);
  };
  const bool sleeps = verb.german.infinitive == "schlafen";
  if (main.negated) main.place = {};  // the reason applies to the whole clause, not to the place
  if (main.negated && sleeps) return finish(kAlthough, speaker.make_state(other, adjective("tired"), tense));
  if (main.negated) return finish(kBecause, make_obstacle(speaker, verb, other, tense));
  if (dice.percent(35)) {
    if (dice.percent(65)) return finish(kAlthough, make_obstacle(speaker, verb, other, tense));
    main.time = {};
    return finish(kAlthough, speaker.make_weather(tense == Tense::past ? Tense::past : Tense::progressive));
  }
  if (is_food_verb(verb) && dice.percent(50))
    return finish(kBecause, speaker.make_state(other, adjective("hungry"), tense));
  if (main.object && !fronted && main.place.empty() && main.complement.empty() && dice.percent(80)) {
    const Subject thing{
        .phrase = make_pronoun(pronoun_for(*main.object, main.object_plural), Case::nominative, speaker.ideas),
        .agreement = {.plural = main.object_plural}};
    for (;;) {
      const Adjective& quality = kAdjectives[dice.below(kAdjectives.size())];
      if (quality.predicative & main.object->kinds) return finish(kBecause, speaker.make_state(thing, quality, tense));
    }
  }
  if (sleeps) return finish(kBecause, speaker.make_state(other, adjective("tired"), tense));
  if (main.modal) return finish(kAlthough, make_obstacle(speaker, verb, other, tense));
  const Verb* wanted = &speaker.pick_verb(other.kinds, Mood::intention);
  while (!(wanted->traits & trait::enjoyable) || wanted->object == kind::clothing)
    wanted = &speaker.pick_verb(other.kinds, Mood::intention);
  Clause reason = speaker.make_clause(*wanted, other, Mood::intention);
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
  const Subject topic = speaker.make_topic(verb.subject);
  const Subject again = speaker.refer_again(topic);
  Clause main = speaker.make_clause(verb, fronted ? again : topic, mood);
  const Subject& other = fronted ? topic : again;
  const auto finish = [&](const Idiom& conjunction, const Clause& other_clause) {
    return join(speaker, conjunction, main, other_clause, fronted);
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
    return finish(kWhile, make_simultaneous(speaker, topic));
  }
  const Verb* second = &speaker.pick_verb(other.kinds, Mood::habit);
  while (second->prefix == "auf") second = &speaker.pick_verb(other.kinds, Mood::habit);  // one gets up first
  return finish(kBefore, speaker.make_clause(*second, other, Mood::habit));
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
    Clause main = speaker.make_clause(verb, fronted ? again : topic, Mood::past);
    main.time = {};
    // A habit or a lasting state goes with a long period (young, small): with a short one, German says wenn, not als.
    static constexpr std::string_view kStates[] = {"young", "small", "sick", "sad"};
    const bool lasting = !main.adverb.empty() || (verb.traits & trait::stative);
    const Adjective& state_word = adjective(kStates[dice.below(lasting ? 2 : 4)]);
    const Clause state = speaker.make_state(fronted ? topic : again, state_word, Tense::past);
    return join(speaker, kWhenPast, main, state, fronted);
  }
}

Phrase coordinated(Speaker& speaker) {
  const bool contrast = speaker.dice.percent(50);
  const Mood mood = contrast ? Mood::intention : Mood::ongoing;
  const Verb& verb = speaker.pick_verb(kind::person, mood);
  const Subject topic = speaker.make_topic(verb.subject);
  const Clause main = speaker.make_clause(verb, topic, mood);
  Phrase sentence = order_words(main, Order::main);
  if (contrast) {
    speaker.append_mark(sentence, ",");
    append(sentence, speaker.fixed("but/1", "aber/1"));
    append(sentence, order_words(make_obstacle(speaker, verb, speaker.refer_again(topic), main.tense), Order::main));
  } else {
    append(sentence, speaker.fixed("and/1", "und/1"));
    append(sentence, order_words(make_simultaneous(speaker, topic), Order::main));
  }
  return speaker.close(std::move(sentence));
}

}  // namespace heed::pocket
