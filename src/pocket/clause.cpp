#include "pocket/clause.h"

namespace heed::pocket {
namespace {

bool third_singular(Agreement agreement) {
  return !agreement.first && !agreement.plural;
}

struct EnglishVerb {
  Words auxiliary;  // empty if the main verb is finite
  Words main;
};

std::string_view english_be(const Clause& clause) {
  const Agreement agreement = clause.agreement;
  if (clause.tense == Tense::past) return agreement.plural ? "were" : "was";
  return agreement.plural ? "are" : agreement.first ? "am" : "is";
}

std::string_view english_do(const Clause& clause) {
  if (clause.tense == Tense::past) return "did";
  return third_singular(clause.agreement) ? "does" : "do";
}

// The inflected form if no auxiliary carries the tense.
std::string_view inflect(const Clause& clause, std::string_view base, std::string_view third, std::string_view past) {
  if (clause.tense == Tense::past) return past;
  return third_singular(clause.agreement) ? third : base;
}

EnglishVerb english_verb(const Clause& clause, bool needs_auxiliary) {
  const EnglishForms& forms = clause.verb->english;
  // A German prefix without an English particle belongs to the verb itself: invite, lädt ... ein.
  const Ideas main_idea = clause.verb_idea | (clause.verb->particle.empty() ? clause.prefix_idea : Ideas{0});
  const Ideas finite_idea = main_idea | clause.auxiliary_idea, auxiliary = clause.auxiliary_idea;

  if (clause.verb == &kBe) return {{{english_be(clause), {}, finite_idea}}, {}};
  if (const Modal* modal = clause.modal) {
    const Word base{forms.base, {}, main_idea};
    if (!modal->full) return {{{modal->english, {}, auxiliary}}, {base}};
    const Word to{"to", {}, clause.modal_idea};
    if (needs_auxiliary)
      return {{{english_do(clause), {}, auxiliary}}, {{modal->english, {}, clause.modal_idea}, to, base}};
    const auto finite = inflect(clause, modal->english, modal->english_third, modal->english_past);
    return {{}, {{finite, {}, clause.modal_idea}, to, base}};
  }
  if (clause.tense == Tense::progressive)
    return {{{english_be(clause), {}, auxiliary}}, {{forms.gerund, {}, main_idea}}};
  if (clause.tense == Tense::perfect)
    return {{{third_singular(clause.agreement) ? "has" : "have", {}, auxiliary}}, {{forms.participle, {}, main_idea}}};
  if (needs_auxiliary) return {{{english_do(clause), {}, auxiliary}}, {{forms.base, {}, main_idea}}};
  return {{}, {{inflect(clause, forms.base, forms.third, forms.past), {}, finite_idea}}};
}

struct GermanVerb {
  Word finite;
  Words rest;  // at the end of the clause: prefix, participle or infinitive
};

std::string_view german_finite(const GermanForms& forms, Agreement agreement) {
  if (agreement.plural) return forms.infinitive;
  return agreement.first ? forms.first : forms.third;
}

std::string_view german_modal(const Clause& clause) {
  const Modal& modal = *clause.modal;
  if (clause.tense == Tense::past) return clause.agreement.plural ? modal.german_past_plural : modal.german_past_third;
  if (clause.agreement.plural) return modal.german_plural;
  return clause.agreement.first ? modal.german_first : modal.german_third;
}

std::string_view german_auxiliary(const Clause& clause) {
  static constexpr GermanForms kHaben{"haben", "habe", "hat", ""}, kSein{"sind", "bin", "ist", ""};
  return german_finite(clause.verb->traits & trait::takes_being ? kSein : kHaben, clause.agreement);
}

GermanVerb german_verb(const Clause& clause, bool joined) {
  const Verb& verb = *clause.verb;
  const Ideas whole = clause.verb_idea | clause.prefix_idea;
  if (clause.modal && clause.modal != &kLikeTo)
    return {{german_modal(clause), {}, clause.auxiliary_idea | clause.modal_idea},
            {{verb.prefix, verb.german.infinitive, whole}}};

  const Ideas finite_idea = clause.verb_idea | clause.auxiliary_idea;
  if (clause.tense == Tense::past && !verb.past_third.empty())
    return {{clause.agreement.plural ? verb.past_plural : verb.past_third, {}, finite_idea}, {}};
  if (clause.tense == Tense::past || clause.tense == Tense::perfect)
    return {{german_auxiliary(clause), {}, clause.auxiliary_idea}, {{verb.german.participle, {}, whole}}};

  const std::string_view finite =
      &verb == &kBe && clause.agreement.plural ? "sind" : german_finite(verb.german, clause.agreement);
  if (verb.prefix.empty()) return {{finite, {}, finite_idea}, {}};
  if (joined) return {{verb.prefix, finite, whole | clause.auxiliary_idea}, {}};
  return {{finite, {}, finite_idea}, {{verb.prefix, {}, clause.prefix_idea}}};
}

// Everything between the two halves of the German verb, after the subject: pronouns and known things, time and adverb,
// what is new, then "nicht", manner, means, place and complement. But the place comes before a new object, and "nicht"
// before "gern".
Words middle_field(const Clause& clause) {
  const bool nicht = clause.negated && !clause.negation_in_noun;
  const bool gladly = clause.modal == &kLikeTo;
  // A known thing comes before the adverbs, a new one after the place.
  const bool early_object = clause.accusative_definite && (clause.negated || gladly || !clause.adverb.empty() ||
                                                           !clause.manner.empty() || !clause.place.empty());
  const bool late_object = !clause.accusative.empty() && !clause.accusative_definite && !gladly;
  Words words;
  if (clause.accusative_pronoun) append(words, clause.accusative.german);
  if (clause.dative_definite) append(words, clause.dative.german);
  if (early_object && !clause.accusative_pronoun) append(words, clause.accusative.german);
  append(words, clause.time.german);
  append(words, clause.adverb.german);
  const Word gern{"gern", {}, clause.modal_idea}, not_word{"nicht", {}, clause.negation_idea};
  if (gladly) {
    if (nicht) words.push_back(not_word);
    words.push_back(gern);
  }
  if (!clause.dative_definite) append(words, clause.dative.german);
  if (late_object) append(words, clause.place.german);
  if (!early_object && !clause.accusative_pronoun) append(words, clause.accusative.german);
  if (nicht && !gladly) words.push_back(not_word);
  append(words, clause.manner.german);
  append(words, clause.means.german);
  if (!late_object) append(words, clause.place.german);
  append(words, clause.complement.german);
  return words;
}

Words english_clause(const Clause& clause, bool inverted) {
  EnglishVerb verb = english_verb(clause, inverted || clause.negated);
  if (clause.negated) {
    if (clause.modal == &kCan && !inverted)
      verb.auxiliary = {{"cannot", {}, clause.auxiliary_idea | clause.negation_idea}};
    else if (!inverted)
      verb.auxiliary.push_back({"not", {}, clause.negation_idea});
    else
      verb.main.insert(verb.main.begin(), {"not", {}, clause.negation_idea});
  }
  Words words;
  if (inverted) append(words, verb.auxiliary);
  append(words, clause.subject.english);
  if (!inverted) append(words, verb.auxiliary);
  append(words, clause.adverb.english);
  append(words, verb.main);

  const std::string_view particle = clause.verb->particle;
  // "for" of "look for" is a preposition: it stays before a pronoun.
  const bool late = clause.accusative_pronoun && !clause.verb->prefix.empty();
  const Word particle_word{particle, {}, clause.verb->prefix.empty() ? clause.verb_idea : clause.prefix_idea};
  if (!particle.empty() && !late) words.push_back(particle_word);
  append(words, clause.dative.english);
  append(words, clause.accusative.english);
  if (!particle.empty() && late) words.push_back(particle_word);
  append(words, clause.manner.english);
  append(words, clause.complement.english);
  append(words, clause.means.english);
  append(words, clause.place.english);
  append(words, clause.time.english);
  return words;
}

Words german_clause(const Clause& clause, Order order) {
  const GermanVerb verb = german_verb(clause, order == Order::subordinate);
  Words words;
  if (order == Order::inverted || order == Order::question) words.push_back(verb.finite);
  append(words, clause.subject.german);
  if (order == Order::main) words.push_back(verb.finite);
  append(words, middle_field(clause));
  append(words, verb.rest);
  if (order == Order::subordinate) words.push_back(verb.finite);
  return words;
}

}  // namespace

Clause::Clause(const Verb& the_verb, IdeaSource& ideas, const Phrase& the_subject, Agreement subject_agreement,
               Tense the_tense)
    : verb(&the_verb),
      tense(the_tense),
      agreement(subject_agreement),
      subject(the_subject),
      auxiliary_idea(ideas.next()),
      verb_idea(ideas.next()),
      prefix_idea(ideas.next()),
      negation_idea(ideas.next()),
      modal_idea(ideas.next()) {}

Phrase order_words(const Clause& clause, Order order) {
  return {english_clause(clause, order == Order::question), german_clause(clause, order)};
}

}  // namespace heed::pocket
