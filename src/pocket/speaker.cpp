#include "pocket/speaker.h"

#include <algorithm>

#include "base/error.h"

namespace heed::pocket {
namespace {

constexpr Preposition kOn{"on", "auf", Case::dative}, kUnder{"under", "unter", Case::dative},
    kNextTo{"next to", "neben", Case::dative}, kBehind{"behind", "hinter", Case::dative},
    kInFrontOf{"in front of", "vor", Case::dative};

// One of the rows that fit, each as likely as the others.
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

// Possessives sound right on relatives and on what a person owns.
bool is_owned(const Noun& noun) {
  return noun.kinds & (kind::kin | kind::animal | kind::text | kind::thing | kind::clothing | kind::vehicle);
}

}  // namespace

bool Speaker::is_used(const Noun& noun) const {
  return std::ranges::find(used_, &noun) != used_.end();
}

const Noun& Speaker::pick_noun(Kinds kinds) {
  const Noun* noun = pick(dice, nouns(), [&](const Noun& row) { return (row.kinds & kinds) && !is_used(row); });
  if (!noun) noun = pick(dice, nouns(), [&](const Noun& row) { return (row.kinds & kinds) != 0; });
  check<InternalError>(noun != nullptr, "the pocket lexicon has no noun of kinds {:#x}", kinds);
  used_.push_back(noun);
  return *noun;
}

const Adjective* Speaker::pick_adjective(const Noun& noun, std::uint32_t share) {
  if (!dice.percent(share)) return nullptr;
  return pick(dice, adjectives(), [&](const Adjective& row) { return (row.attributive & noun.kinds) != 0; });
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
  if (phrase.determiner == Determiner::number) phrase.number = numbers()[dice.below(numbers().size())];
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

namespace {

// How a noun is referred to in the next clause, and what belongs to it.
void set_references(Subject& subject, const Noun& noun, bool plural) {
  if (plural) {
    subject.again = Pronoun::they;
    if (noun.kinds & kind::person) subject.own = Determiner::their;
  } else if (!(noun.kinds & kind::person)) {
    subject.again = pronoun_for(noun, false);
  } else if (noun.gender == Gender::masculine) {
    subject.again = Pronoun::he;
    subject.own = Determiner::his;
  } else if (noun.gender == Gender::feminine) {
    subject.again = Pronoun::she;
    subject.own = Determiner::her;
  }
}

}  // namespace

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
    phrase.number = numbers()[dice.below(8)];
  }
  const bool softened = phrase.determiner == Determiner::a || phrase.determiner == Determiner::number;
  if (with_adjective) phrase.adjective = pick_adjective(noun, noun.kinds & kind::kin ? 10 : softened ? 45 : 22);
  Subject subject{
      make_noun(phrase, Case::nominative, ideas), {false, phrase.plural}, noun.kinds, {}, Determiner::none, &noun};
  set_references(subject, noun, phrase.plural);
  subject.vague = !is_definite(phrase.determiner);
  return subject;
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
  Subject subject{
      make_noun(phrase, Case::nominative, ideas), {false, phrase.plural}, noun.kinds, {}, Determiner::none, &noun};
  set_references(subject, noun, phrase.plural);
  return subject;
}

Subject Speaker::make_asked_subject(Kinds kinds) {
  if (!(kinds & kind::adult) || dice.percent(75)) return make_definite_subject(kinds, true);
  for (;;) {
    Subject subject = make_pronoun_subject();
    if (!subject.agreement.first) return subject;
  }
}

Subject Speaker::refer_again(const Subject& subject) {
  Subject again = subject;
  again.phrase = make_pronoun(*subject.again, Case::nominative, ideas);
  again.noun = nullptr;
  return again;
}

Phrase Speaker::pick_time(std::uint8_t uses, bool punctual) {
  const Time* time = pick(dice, times(), [&](const Time& row) {
    return (row.uses & uses) == uses && (punctual || !(row.uses & when::punctual));
  });
  return time ? make_idiom(time->idiom, ideas) : Phrase{};
}

const Place& Speaker::pick_place(Kinds kinds) {
  const Place* place =
      pick(dice, places(), [&](const Place& row) { return (row.noun.kinds & kinds) && !is_used(row.noun); });
  if (!place) place = pick(dice, places(), [&](const Place& row) { return (row.noun.kinds & kinds) != 0; });
  check<InternalError>(place != nullptr, "the pocket lexicon has no place of kinds {:#x}", kinds);
  used_.push_back(&place->noun);
  return *place;
}

Phrase Speaker::locate(Kinds kinds, Determiner own, bool definite, bool outside) {
  if (kinds & kind::surface) {
    static constexpr Preposition kSpots[] = {kOn, kUnder, kNextTo};
    NounPhrase phrase{&pick_noun(kind::surface)};
    phrase.adjective = pick_adjective(*phrase.noun, 20);
    return make_prepositional(kSpots[dice.below(3)], phrase, ideas);
  }
  const Place* place = &pick_place(kinds);
  NounPhrase phrase{&place->noun};
  if (place->noun.kinds & kind::city) {
    phrase.determiner = Determiner::none;
    return make_prepositional(place->at, phrase, ideas);
  }
  const bool private_place = (place->noun.kinds & kind::home) || place->noun.english == "garden";
  const bool has_front =
      (place->noun.kinds & kind::building) || ((place->noun.kinds & kind::station) && dice.percent(30));
  if (outside && has_front) return make_prepositional(dice.percent(50) ? kBehind : kInFrontOf, phrase, ideas);
  if (private_place && own != Determiner::none && dice.percent(20))
    phrase.determiner = own;
  else if ((place->noun.kinds & (kind::town | kind::building)) && dice.percent(30))
    phrase.determiner = dice.percent(70) && !definite ? Determiner::a : Determiner::this_one;
  phrase.adjective = pick_adjective(place->noun, 25);
  return make_prepositional(place->at, phrase, ideas);
}

Phrase Speaker::direct(Kinds kinds, bool definite) {
  if (dice.percent(22)) return make_idiom({"home/1", "nach/1 Hause/1"}, ideas);
  const Place* place = &pick_place(kinds);
  NounPhrase phrase{&place->noun};
  if (place->noun.kinds & kind::city) {
    phrase.determiner = Determiner::none;
  } else {
    if ((place->noun.kinds & (kind::town | kind::building)) && !definite && dice.percent(20))
      phrase.determiner = Determiner::a;
    phrase.adjective = pick_adjective(place->noun, 20);
  }
  return make_prepositional(place->to, phrase, ideas);
}

Phrase Speaker::pick_object_pronoun(Case grammatical_case, const Subject& subject) {
  // Nobody sees himself here: that would need a reflexive.
  static constexpr Pronoun kThird[] = {Pronoun::he, Pronoun::she, Pronoun::they};
  static constexpr Pronoun kAny[] = {Pronoun::he, Pronoun::she, Pronoun::they, Pronoun::i, Pronoun::we};
  const Pronoun picked = subject.agreement.first ? kThird[dice.below(3)] : kAny[dice.below(5)];
  return make_pronoun(picked, grammatical_case, ideas);
}

}  // namespace heed::pocket
