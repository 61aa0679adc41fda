// Noun phrases and fixed phrases of the pocket corpus, in both languages at once. Each word has a set of ideas; an
// English and a German word are aligned if their sets overlap. Values without shared state.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "pocket/lexicon.h"

namespace heed::pocket {

using Ideas = std::uint64_t;

// Returns a new idea at each call. A sentence that needs more than 64 is far too long to be used anyway.
class IdeaSource {
 public:
  Ideas next() { return Ideas{1} << (count_ < 63 ? count_++ : 63); }

 private:
  int count_ = 0;
};

// The text is stem + ending; both point into constant tables.
struct Word {
  std::string_view stem, ending;
  Ideas ideas = 0;
};
using Words = std::vector<Word>;

struct Phrase {
  Words english, german;
  bool empty() const { return german.empty(); }
};

void append(Words& words, const Words& more);
void append(Phrase& phrase, const Phrase& more);
// German needs commas that English does not have.
void add_german_comma(Phrase& phrase);

enum class Pronoun : std::uint8_t { i, he, she, it_masculine, it_feminine, it_neuter, we, they };

enum class Determiner : std::uint8_t {
  none,
  the,
  a,
  any,  // only in negated clauses
  no,
  this_one,
  my,
  his,
  her,
  our,
  their,
  many,
  number,
  which,
  how_many,
};

struct NounPhrase {
  const Noun* noun;
  Determiner determiner = Determiner::the;
  bool plural = false;
  const Adjective* adjective = nullptr;
  Idiom number{};  // for Determiner::number
};
// "the park", "Berlin".
NounPhrase place_phrase(const Place& place);

// Whether German puts the phrase before "nicht" (the book) or turns it into kein (a book).
bool is_definite(Determiner determiner);

// `negation`: the idea of a "not" that German merges into kein; 0 if there is none.
Phrase make_noun(const NounPhrase& phrase, Case grammatical_case, IdeaSource& ideas, Ideas negation = 0);
Phrase make_pronoun(Pronoun pronoun, Case grammatical_case, IdeaSource& ideas);
// The preposition joined with its noun: "in the garden", "im Garten".
Phrase make_prepositional(const Preposition& preposition, const NounPhrase& phrase, IdeaSource& ideas);
Phrase make_idiom(const Idiom& idiom, IdeaSource& ideas);

// er, sie, es for a thing or an animal, sie for several.
Pronoun pronoun_for(const Noun& noun, bool plural);
// The relative pronoun, which German declines: der, den, dem, ...
std::string_view relative_pronoun(Gender gender, bool plural, Case grammatical_case);

}  // namespace heed::pocket
