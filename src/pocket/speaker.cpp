#include "pocket/speaker.h"

#include <algorithm>

#include "base/error.h"

namespace heed::pocket {
namespace {

constexpr Preposition kOn{"on", "auf", Case::dative}, kUnder{"under", "unter", Case::dative},
    kNextTo{"next to", "neben", Case::dative}, kBehind{"behind", "hinter", Case::dative},
    kInFrontOf{"in front of", "vor", Case::dative};

// One of the rows that fit, all equally likely; null if none does.
template <class Row, class Fits>
const Row* pick(Dice& dice, std::span<const Row> rows, Fits fits) {
  const auto count = static_cast<std::uint32_t>(std::ranges::count_if(rows, fits));
  if (count == 0) return nullptr;
  std::uint32_t skip = dice.below(count);
  for (const Row& row : rows)
    if (fits(row) && skip-- == 0) return &row;
  return nullptr;
}

bool is_countable(const Noun& noun) {
  return !(noun.kinds & kind::uncounted);
}

// Possessives sound right with relatives and with what a person owns.
bool is_owned(const Noun& noun) {
  return noun.kinds & (kind::kin | kind::animal | kind::text | kind::thing | kind::clothing | kind::vehicle);
}

}  // namespace

bool Speaker::is_used(const Noun& noun) const {
  return std::ranges::find(used_, &noun) != used_.end();
}

template <class Row, class NounOf>
const Row& Speaker::pick_unused(std::span<const Row> rows, Kinds kinds, NounOf noun_of) {
  const auto fits = [&](const Row& row) { return (noun_of(row).kinds & kinds) != 0; };
  const Row* picked = pick(dice, rows, [&](const Row& row) { return fits(row) && !is_used(noun_of(row)); });
  if (!picked) picked = pick(dice, rows, fits);
  check<InternalError>(picked != nullptr, "the pocket lexicon has no word of kinds {:#x}", kinds);
  used_.push_back(&noun_of(*picked));
  return *picked;
}

const Noun& Speaker::pick_noun(Kinds kinds) {
  return pick_unused(kNouns, kinds, [](const Noun& row) -> const Noun& { return row; });
}

const Place& Speaker::pick_place(Kinds kinds) {
  return pick_unused(kPlaces, kinds, [](const Place& row) -> const Noun& { return row.noun; });
}

const Adjective* Speaker::pick_adjective(const Noun& noun, std::uint32_t percent) {
  if (!dice.percent(percent)) return nullptr;
  return pick(dice, kAdjectives, [&](const Adjective& row) { return (row.attributive & noun.kinds) != 0; });
}

NounPhrase Speaker::pick_definite_phrase(Kinds kinds, Determiner own) {
  NounPhrase phrase = pick_noun_phrase(kinds, own, true);
  if (!is_definite(phrase.determiner)) phrase.determiner = Determiner::the;
  return phrase;
}

NounPhrase Speaker::pick_noun_phrase(Kinds kinds, Determiner own, bool negated) {
  const Noun& noun = pick_noun(kinds);
  NounPhrase phrase{&noun};
  phrase.plural = !noun.english_plural.empty() && dice.percent(noun.kinds & kind::snack      ? 50
                                                               : noun.kinds & kind::clothing ? 10
                                                                                             : 25);
  const bool may_own = is_owned(noun) && own != Determiner::none;
  const std::uint32_t roll = dice.below(100);
  if (noun.kinds & kind::kin)
    phrase.determiner = own != Determiner::none && roll < 60 ? own : roll < 80 ? Determiner::my : Determiner::our;
  else if (!is_countable(noun))
    phrase.determiner = roll < 65 ? Determiner::none : Determiner::the;
  else if (may_own && roll < 20)
    phrase.determiner = own;
  else if (roll < 28)
    phrase.determiner = Determiner::this_one;
  else if (roll < 62)
    phrase.determiner = Determiner::the;
  else if (!phrase.plural)
    phrase.determiner = Determiner::a;
  else if (negated || roll < 78)
    phrase.determiner = Determiner::none;
  else if (roll < 94)
    phrase.determiner = Determiner::number;
  else
    phrase.determiner = Determiner::many;
  if (phrase.determiner == Determiner::number) phrase.number = kNumbers[dice.below(kNumbers.size())];
  phrase.adjective = pick_adjective(noun, noun.kinds & kind::kin ? 10 : 30);
  return phrase;
}

Subject Speaker::make_pronoun_subject() {
  struct Row {
    Pronoun pronoun;
    Agreement agreement;
    Determiner own;
  };
  static constexpr Row kRows[] = {
      {Pronoun::i, {true, false}, Determiner::my},  {Pronoun::i, {true, false}, Determiner::my},
      {Pronoun::i, {true, false}, Determiner::my},  {Pronoun::i, {true, false}, Determiner::my},
      {Pronoun::he, {}, Determiner::his},           {Pronoun::she, {}, Determiner::her},
      {Pronoun::we, {true, true}, Determiner::our}, {Pronoun::they, {false, true}, Determiner::their}};
  const Row& row = kRows[dice.below(std::size(kRows))];
  return {
      make_pronoun(row.pronoun, Case::nominative, ideas), row.agreement, kind::person, row.pronoun, row.own, nullptr};
}

// Also sets how the next clause refers to the noun, and what belongs to it.
Subject Speaker::make_noun_subject(const NounPhrase& phrase) {
  const Noun& noun = *phrase.noun;
  Subject subject{.phrase = make_noun(phrase, Case::nominative, ideas),
                  .agreement = {.plural = phrase.plural},
                  .kinds = noun.kinds,
                  .noun = &noun,
                  .vague = !is_definite(phrase.determiner)};
  const bool person = noun.kinds & kind::person;
  if (phrase.plural || !person) {
    subject.again = pronoun_for(noun, phrase.plural);
    if (person) subject.own = Determiner::their;
  } else if (noun.gender == Gender::masculine) {
    subject.again = Pronoun::he;
    subject.own = Determiner::his;
  } else if (noun.gender == Gender::feminine) {
    subject.again = Pronoun::she;
    subject.own = Determiner::her;
  }
  return subject;
}

Subject Speaker::make_subject(Kinds kinds, bool with_adjective) {
  if ((kinds & kind::adult) && dice.percent(32)) return make_pronoun_subject();
  NounPhrase phrase{&pick_noun(kinds)};
  const Noun& noun = *phrase.noun;
  phrase.plural = !noun.english_plural.empty() && dice.percent(28);
  const std::uint32_t roll = dice.below(100);
  if (noun.kinds & kind::kin) {
    static constexpr Determiner kOwners[] = {Determiner::my,  Determiner::my,  Determiner::our,
                                             Determiner::his, Determiner::her, Determiner::their};
    phrase.determiner = kOwners[dice.below(std::size(kOwners))];
  } else if (roll < 14 && !phrase.plural) {
    phrase.determiner = Determiner::a;
  } else if (roll < 22) {
    phrase.determiner = Determiner::this_one;
  } else if (roll < 45 && phrase.plural) {
    phrase.determiner = roll < 40 ? Determiner::number : Determiner::many;
    phrase.number = kNumbers[dice.below(8)];
  }
  const bool indefinite = phrase.determiner == Determiner::a || phrase.determiner == Determiner::number;
  if (with_adjective) phrase.adjective = pick_adjective(noun, noun.kinds & kind::kin ? 10 : indefinite ? 45 : 22);
  return make_noun_subject(phrase);
}

Subject Speaker::make_definite_subject(Kinds kinds, bool with_adjective) {
  NounPhrase phrase{&pick_noun(kinds)};
  const Noun& noun = *phrase.noun;
  phrase.plural = !noun.english_plural.empty() && dice.percent(28);
  if (noun.kinds & kind::kin)
    phrase.determiner = dice.percent(60) ? Determiner::my : Determiner::our;
  else if (is_owned(noun) && dice.percent(30))
    phrase.determiner = dice.percent(50) ? Determiner::his : dice.percent(50) ? Determiner::her : Determiner::our;
  else if (is_countable(noun) && dice.percent(12))
    phrase.determiner = Determiner::this_one;
  if (with_adjective) phrase.adjective = pick_adjective(noun, 20);
  return make_noun_subject(phrase);
}

Subject Speaker::make_asked_subject(Kinds kinds) {
  if (!(kinds & kind::adult) || dice.percent(75)) return make_definite_subject(kinds, true);
  for (;;) {
    Subject subject = make_pronoun_subject();
    if (!subject.agreement.first) return subject;
  }
}

Subject Speaker::make_topic(Kinds kinds, bool with_adjective) {
  for (;;) {
    Subject subject = dice.percent(15) ? make_pronoun_subject() : make_subject(kinds & kind::person, with_adjective);
    if (subject.again) return subject;
  }
}

Subject Speaker::refer_again(const Subject& subject) {
  Subject again = subject;
  again.phrase = make_pronoun(*subject.again, Case::nominative, ideas);
  again.noun = nullptr;
  return again;
}

void Speaker::append_mark(Phrase& phrase, std::string_view mark) {
  const Ideas idea = ideas.next();
  append(phrase, {{{mark, {}, idea}}, {{mark, {}, idea}}});
}

Phrase Speaker::close(Phrase sentence, std::string_view mark) {
  // The comma after a relative clause gives way to the mark.
  if (sentence.german.back().stem == ",") sentence.german.pop_back();
  append_mark(sentence, mark);
  return sentence;
}

Phrase Speaker::pick_time(std::uint8_t uses, bool punctual) {
  const Time* time = pick(dice, kTimes, [&](const Time& row) {
    return (row.uses & uses) == uses && (punctual || !(row.uses & when::punctual));
  });
  return time ? make_idiom(time->idiom, ideas) : Phrase{};
}

Phrase Speaker::locate(Kinds kinds, Determiner own, bool definite, bool outside) {
  if (kinds & kind::surface) {
    static constexpr Preposition kSpots[] = {kOn, kUnder, kNextTo};
    NounPhrase phrase{&pick_noun(kind::surface)};
    phrase.adjective = pick_adjective(*phrase.noun, 20);
    return make_prepositional(kSpots[dice.below(3)], phrase, ideas);
  }
  const Place& place = pick_place(kinds);
  NounPhrase phrase = place_phrase(place);
  if (place.noun.kinds & kind::city) return make_prepositional(place.at, phrase, ideas);
  const bool private_place = (place.noun.kinds & kind::home) || place.noun.english == "garden";
  const bool has_front =
      (place.noun.kinds & kind::building) || ((place.noun.kinds & kind::station) && dice.percent(30));
  if (outside && has_front) return make_prepositional(dice.percent(50) ? kBehind : kInFrontOf, phrase, ideas);
  if (private_place && own != Determiner::none && dice.percent(20))
    phrase.determiner = own;
  else if ((place.noun.kinds & (kind::town | kind::building)) && dice.percent(30))
    phrase.determiner = dice.percent(70) && !definite ? Determiner::a : Determiner::this_one;
  phrase.adjective = pick_adjective(place.noun, 25);
  return make_prepositional(place.at, phrase, ideas);
}

Phrase Speaker::direct(Kinds kinds, bool definite) {
  if (dice.percent(22)) return make_idiom({"home/1", "nach/1 Hause/1"}, ideas);
  const Place& place = pick_place(kinds);
  NounPhrase phrase = place_phrase(place);
  if ((place.noun.kinds & (kind::town | kind::building)) && !definite && dice.percent(20))
    phrase.determiner = Determiner::a;
  if (!(place.noun.kinds & kind::city)) phrase.adjective = pick_adjective(place.noun, 20);
  return make_prepositional(place.to, phrase, ideas);
}

Phrase Speaker::pick_object_pronoun(Case grammatical_case, const Subject& subject) {
  // Neither I nor we if that is the subject: the pronoun would have to be reflexive.
  static constexpr Pronoun kThird[] = {Pronoun::he, Pronoun::she, Pronoun::they};
  static constexpr Pronoun kAny[] = {Pronoun::he, Pronoun::she, Pronoun::they, Pronoun::i, Pronoun::we};
  const Pronoun picked = subject.agreement.first ? kThird[dice.below(3)] : kAny[dice.below(5)];
  return make_pronoun(picked, grammatical_case, ideas);
}

}  // namespace heed::pocket
