#include "pocket/phrase.h"

#include <array>
#include <cstddef>

namespace heed::pocket {
namespace {

// The column of an ending table: the three genders in the singular, then the plural.
std::size_t column(Gender gender, bool plural) {
  return plural ? 3 : static_cast<std::size_t>(gender);
}

using Endings = std::array<std::array<std::string_view, 4>, 3>;  // [case][column]

constexpr Endings kDefinite{{{"der", "die", "das", "die"}, {"den", "die", "das", "die"}, {"dem", "der", "dem", "den"}}};
constexpr Endings kDieser{{{"er", "e", "es", "e"}, {"en", "e", "es", "e"}, {"em", "er", "em", "en"}}};
constexpr Endings kEin{{{"", "e", "", "e"}, {"en", "e", "", "e"}, {"em", "er", "em", "en"}}};

constexpr Endings kWeak{{{"e", "e", "e", "en"}, {"en", "e", "e", "en"}, {"en", "en", "en", "en"}}};
constexpr Endings kMixed{{{"er", "e", "es", "en"}, {"en", "e", "es", "en"}, {"en", "en", "en", "en"}}};
constexpr Endings kStrong{{{"er", "e", "es", "e"}, {"en", "e", "es", "e"}, {"em", "er", "em", "en"}}};

struct Article {
  std::string_view english, german;
  const Endings* endings;            // of the article itself; nullptr: not inflected
  const Endings* adjective_endings;  // of the adjective after it
  bool definite = false;
};

// By Determiner.
constexpr Article kArticles[] = {
    {"", "", nullptr, &kStrong},
    {"the", "", &kDefinite, &kWeak, true},
    {"a", "ein", &kEin, &kMixed},
    {"any", "kein", &kEin, &kMixed},
    {"no", "kein", &kEin, &kMixed},
    {"this", "dies", &kDieser, &kWeak, true},
    {"my", "mein", &kEin, &kMixed, true},
    {"his", "sein", &kEin, &kMixed, true},
    {"her", "ihr", &kEin, &kMixed, true},
    {"our", "unser", &kEin, &kMixed, true},
    {"their", "ihr", &kEin, &kMixed, true},
    {"many", "viele", nullptr, &kStrong},
    {"", "", nullptr, &kStrong},  // a number, which the phrase holds
    {"which", "welch", &kDieser, &kWeak},
    {"how many", "wie viele", nullptr, &kStrong},
};

Article article(const NounPhrase& phrase, bool negated) {
  const Determiner determiner = phrase.determiner;
  Article article = kArticles[static_cast<std::size_t>(determiner)];
  if (negated && (determiner == Determiner::none || determiner == Determiner::a))
    return {article.english, "kein", &kEin, &kMixed};
  if (determiner == Determiner::this_one && phrase.plural) article.english = "these";
  if (determiner == Determiner::number) return {phrase.number.english, phrase.number.german, nullptr, &kStrong};
  return article;
}

bool starts_with_vowel(std::string_view word) {
  return std::string_view("aeiou").find(word.front()) != std::string_view::npos;
}

std::string_view german_noun(const Noun& noun, bool plural, Case grammatical_case) {
  if (plural) return grammatical_case == Case::dative ? noun.german_dative_plural : noun.german_plural;
  return grammatical_case != Case::nominative && !noun.german_oblique.empty() ? noun.german_oblique : noun.german;
}

// in + dem = im: the contractions that standard German always makes.
std::string_view contraction(std::string_view preposition, std::string_view article) {
  struct Row {
    std::string_view preposition, article, joined;
  };
  static constexpr Row kRows[] = {{"in", "dem", "im"},  {"in", "das", "ins"}, {"an", "dem", "am"},
                                  {"zu", "dem", "zum"}, {"zu", "der", "zur"}, {"von", "dem", "vom"}};
  for (const Row& row : kRows)
    if (row.preposition == preposition && row.article == article) return row.joined;
  return {};
}

// Appends the words of a text such as "in front of"; the last one takes the ending.
void append_split(Words& words, std::string_view text, std::string_view ending, Ideas ideas) {
  for (std::size_t space = text.find(' '); space != text.npos; space = text.find(' ')) {
    words.push_back({text.substr(0, space), {}, ideas});
    text.remove_prefix(space + 1);
  }
  words.push_back({text, ending, ideas});
}

Words parse_idiom(std::string_view text, const std::array<Ideas, 10>& ideas) {
  Words words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::size_t slash = text.find('/');
    Word word{text.substr(0, slash), {}, 0};
    for (const char digit : text.substr(slash + 1, end - slash - 1)) word.ideas |= ideas[digit - '0'];
    words.push_back(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

void append(Phrase& phrase, const Phrase& more) {
  append(phrase.english, more.english);
  append(phrase.german, more.german);
}

void add_german_comma(Phrase& phrase) {
  phrase.german.push_back({",", {}, 0});
}

bool is_definite(Determiner determiner) {
  return kArticles[static_cast<std::size_t>(determiner)].definite;
}

NounPhrase place_phrase(const Place& place) {
  return {&place.noun, place.noun.kinds & kind::city ? Determiner::none : Determiner::the};
}

Phrase make_noun(const NounPhrase& phrase, Case grammatical_case, IdeaSource& ideas, Ideas negation) {
  const Noun& noun = *phrase.noun;
  const std::size_t row = static_cast<std::size_t>(grammatical_case), col = column(noun.gender, phrase.plural);
  Article art = article(phrase, negation != 0);
  const Ideas det_idea = ideas.next(), adjective_idea = ideas.next(), noun_idea = ideas.next();

  Phrase made;
  if (art.english == "a" && starts_with_vowel(phrase.adjective ? phrase.adjective->english : noun.english))
    art.english = "an";
  if (!art.english.empty()) append_split(made.english, art.english, {}, det_idea);
  if (phrase.adjective) made.english.push_back({phrase.adjective->english, {}, adjective_idea});
  made.english.push_back({phrase.plural ? noun.english_plural : noun.english, {}, noun_idea});

  if (art.endings || !art.german.empty())
    append_split(made.german, art.german, art.endings ? (*art.endings)[row][col] : std::string_view{},
                 det_idea | negation);
  if (phrase.adjective)
    made.german.push_back({phrase.adjective->stem, (*art.adjective_endings)[row][col], adjective_idea});
  made.german.push_back({german_noun(noun, phrase.plural, grammatical_case), {}, noun_idea});
  return made;
}

Phrase make_pronoun(Pronoun pronoun, Case grammatical_case, IdeaSource& ideas) {
  static constexpr std::string_view kEnglish[][2] = {{"I", "me"},  {"he", "him"}, {"she", "her"}, {"it", "it"},
                                                     {"it", "it"}, {"it", "it"},  {"we", "us"},   {"they", "them"}};
  static constexpr std::string_view kGerman[][3] = {
      {"ich", "mich", "mir"}, {"er", "ihn", "ihm"}, {"sie", "sie", "ihr"}, {"er", "ihn", "ihm"},
      {"sie", "sie", "ihr"},  {"es", "es", "ihm"},  {"wir", "uns", "uns"}, {"sie", "sie", "ihnen"}};
  const std::size_t row = static_cast<std::size_t>(pronoun);
  const Ideas idea = ideas.next();
  return {{{kEnglish[row][grammatical_case != Case::nominative], {}, idea}},
          {{kGerman[row][static_cast<std::size_t>(grammatical_case)], {}, idea}}};
}

Phrase make_prepositional(const Preposition& preposition, const NounPhrase& phrase, IdeaSource& ideas) {
  Phrase object = make_noun(phrase, preposition.governs, ideas), made;
  const Ideas idea = ideas.next();
  append_split(made.english, preposition.english, {}, idea);
  Word& first = object.german.front();
  const bool has_article = phrase.determiner == Determiner::the;
  const auto joined = has_article ? contraction(preposition.german, first.ending) : std::string_view{};
  if (joined.empty())
    made.german.push_back({preposition.german, {}, idea});
  else
    first = {joined, {}, first.ideas | idea};
  append(made, object);
  return made;
}

Phrase make_idiom(const Idiom& idiom, IdeaSource& ideas) {
  std::array<Ideas, 10> by_digit{};
  for (const char c : idiom.english)
    if (c >= '1' && c <= '9' && by_digit[c - '0'] == 0) by_digit[c - '0'] = ideas.next();
  return {parse_idiom(idiom.english, by_digit), parse_idiom(idiom.german, by_digit)};
}

Pronoun pronoun_for(const Noun& noun, bool plural) {
  static constexpr Pronoun kSingular[] = {Pronoun::it_masculine, Pronoun::it_feminine, Pronoun::it_neuter};
  return plural ? Pronoun::they : kSingular[static_cast<std::size_t>(noun.gender)];
}

std::string_view relative_pronoun(Gender gender, bool plural, Case grammatical_case) {
  if (plural && grammatical_case == Case::dative) return "denen";
  return kDefinite[static_cast<std::size_t>(grammatical_case)][column(gender, plural)];
}

}  // namespace heed::pocket
