// Clauses made by hand from the lexicon, compared with what a German teacher would write.
#include <gtest/gtest.h>

#include <string>

#include "pocket/clause.h"

namespace heed::pocket {
namespace {

std::string join(const Words& words) {
  std::string text;
  for (const Word& word : words) {
    if (!text.empty()) text += ' ';
    text.append(word.stem).append(word.ending);
  }
  return text;
}

NounPhrase np(Determiner determiner, std::string_view english, std::string_view adjective_word = {},
              bool plural = false) {
  NounPhrase phrase{&noun(english), determiner, plural};
  if (!adjective_word.empty()) phrase.adjective = &adjective(adjective_word);
  return phrase;
}
NounPhrase the(std::string_view english, std::string_view adjective_word = {}) {
  return np(Determiner::the, english, adjective_word);
}

// Builds a clause.
struct Say {
  explicit Say(const Verb& verb, Tense tense = Tense::simple) : clause(verb, ideas) { clause.tense = tense; }

  Say& subject(const NounPhrase& phrase) {
    clause.subject = make_noun(phrase, Case::nominative, ideas);
    clause.agreement.plural = phrase.plural;
    return *this;
  }
  Say& subject(Pronoun pronoun) {
    clause.subject = make_pronoun(pronoun, Case::nominative, ideas);
    clause.agreement = {pronoun == Pronoun::i || pronoun == Pronoun::we,
                        pronoun == Pronoun::we || pronoun == Pronoun::they};
    return *this;
  }
  Say& object(const NounPhrase& phrase) {
    clause.accusative_definite = is_definite(phrase.determiner);
    clause.negation_in_noun = clause.negated && !clause.accusative_definite;
    clause.accusative =
        make_noun(phrase, Case::accusative, ideas, clause.negation_in_noun ? clause.negation_idea : Ideas{0});
    return *this;
  }
  Say& object(Pronoun pronoun) {
    clause.accusative = make_pronoun(pronoun, Case::accusative, ideas);
    clause.accusative_pronoun = clause.accusative_definite = true;
    return *this;
  }
  Say& dative(const NounPhrase& phrase) {
    clause.dative = make_noun(phrase, Case::dative, ideas);
    clause.dative_definite = is_definite(phrase.determiner);
    return *this;
  }
  Say& negated() {
    clause.negated = true;
    return *this;
  }
  Say& modal(const Modal& modal) {
    clause.modal = &modal;
    return *this;
  }
  Say& complement(const Preposition& preposition, const NounPhrase& phrase) {
    clause.complement = make_prepositional(preposition, phrase, ideas);
    return *this;
  }
  Say& to(std::string_view english, Determiner determiner = Determiner::the) {
    return complement(place(english).to, {&place(english).noun, determiner});
  }
  Say& at(std::string_view english) {
    clause.place = make_prepositional(place(english).at, {&place(english).noun}, ideas);
    return *this;
  }
  Say& predicate(std::string_view english) {
    clause.complement = {{{adjective(english).english, {}, 0}}, {{adjective(english).german, {}, 0}}};
    return *this;
  }
  Say& time(std::string_view english, std::string_view german) {
    clause.time = make_idiom({english, german}, ideas);
    return *this;
  }
  Say& adverb(std::string_view english, std::string_view german) {
    clause.adverb = make_idiom({english, german}, ideas);
    return *this;
  }
  Say& means(std::string_view english, std::string_view german) {
    clause.means = make_idiom({english, german}, ideas);
    return *this;
  }

  IdeaSource ideas;
  Clause clause;
};

void expect(const Say& say, Order order, std::string_view english, std::string_view german) {
  const Phrase phrase = order_words(say.clause, order);
  EXPECT_EQ(join(phrase.english), english);
  EXPECT_EQ(join(phrase.german), german);
}
void statement(const Say& say, std::string_view english, std::string_view german) {
  expect(say, Order::main, english, german);
}
void question(const Say& say, std::string_view english, std::string_view german) {
  expect(say, Order::question, english, german);
}
void inverted(const Say& say, std::string_view english, std::string_view german) {
  expect(say, Order::inverted, english, german);
}
void subordinate(const Say& say, std::string_view english, std::string_view german) {
  expect(say, Order::subordinate, english, german);
}

constexpr Tense kIng = Tense::progressive;

TEST(PocketGolden, main_clauses) {
  statement(Say(verb("see")).subject(the("man")).object(the("dog")), "the man sees the dog", "der Mann sieht den Hund");
  statement(Say(verb("know")).subject(Pronoun::i).object(the("boy")), "I know the boy", "ich kenne den Jungen");
  statement(Say(verb("see")).subject(Pronoun::she).object(np(Determiner::a, "bear", "young")), "she sees a young bear",
            "sie sieht einen jungen Bären");
  statement(Say(verb("help"), kIng).subject(Pronoun::we).dative(np(Determiner::the, "child", "", true)),
            "we are helping the children", "wir helfen den Kindern");
  statement(Say(verb("give"), kIng)
                .subject(np(Determiner::my, "mother"))
                .dative(the("child"))
                .object(np(Determiner::a, "ball", "red")),
            "my mother is giving the child a red ball", "meine Mutter gibt dem Kind einen roten Ball");
  statement(Say(verb("wait"), kIng)
                .subject(NounPhrase{&noun("man"), Determiner::number, true, &adjective("old"), {"two", "zwei"}})
                .complement(verb("wait").preposition, the("bus")),
            "two old men are waiting for the bus", "zwei alte Männer warten auf den Bus");
  statement(Say(kBe).subject(Pronoun::i).predicate("tired"), "I am tired", "ich bin müde");
  statement(Say(kBe, Tense::past).subject(Pronoun::we).predicate("hungry"), "we were hungry", "wir waren hungrig");
  statement(Say(verb("have"), Tense::past).subject(the("child")).object(np(Determiner::no, "time")),
            "the child had no time", "das Kind hatte keine Zeit");
}

TEST(PocketGolden, the_german_verb_depends_on_subject_and_object) {
  statement(Say(verb("eat", "essen"), kIng).subject(the("woman")).object(np(Determiner::none, "bread")),
            "the woman is eating bread", "die Frau isst Brot");
  statement(Say(verb("eat", "fressen"), kIng).subject(the("cat")).object(np(Determiner::none, "bread", "fresh")),
            "the cat is eating fresh bread", "die Katze frisst frisches Brot");
  statement(Say(verb("put", "legen"), kIng)
                .subject(np(Determiner::their, "aunt"))
                .object(the("letter"))
                .complement({"on", "auf", Case::accusative}, the("table")),
            "their aunt is putting the letter on the table", "ihre Tante legt den Brief auf den Tisch");
  statement(Say(verb("put", "stellen"), kIng)
                .subject(Pronoun::i)
                .object(np(Determiner::a, "lamp"))
                .complement({"under", "unter", Case::accusative}, the("sofa")),
            "I am putting a lamp under the sofa", "ich stelle eine Lampe unter das Sofa");
  statement(Say(verb("stand"), kIng)
                .subject(the("lamp"))
                .complement({"next to", "neben", Case::dative}, the("table", "small")),
            "the lamp is standing next to the small table", "die Lampe steht neben dem kleinen Tisch");
}

TEST(PocketGolden, negation) {
  statement(Say(verb("read"), kIng).subject(the("boy")).negated().object(the("book")),
            "the boy is not reading the book", "der Junge liest das Buch nicht");
  statement(Say(verb("have")).subject(the("woman")).negated().object(np(Determiner::a, "cat")),
            "the woman does not have a cat", "die Frau hat keine Katze");
  statement(Say(verb("buy"), Tense::past).subject(Pronoun::they).negated().object(np(Determiner::any, "egg", "", true)),
            "they did not buy any eggs", "sie haben keine Eier gekauft");
  statement(Say(verb("live")).subject(Pronoun::he).negated().complement(place("city").at, {&place("city").noun}),
            "he does not live in the city", "er wohnt nicht in der Stadt");
  statement(Say(verb("call"), kIng).subject(the("king")).negated().object(Pronoun::she).time("today/1", "heute/1"),
            "the king is not calling her today", "der König ruft sie heute nicht an");
  Say yet(verb("sell"), Tense::perfect);
  yet.subject(Pronoun::they).negated().object(the("car"));
  yet.clause.adverb.german = {{"noch", {}, 0}};
  yet.clause.time.english = {{"yet", {}, 0}};
  statement(yet, "they have not sold the car yet", "sie haben das Auto noch nicht verkauft");
}

TEST(PocketGolden, modals_and_liking) {
  statement(Say(verb("buy")).subject(the("king")).modal(kCan).negated().object(np(Determiner::a, "horse", "new")),
            "the king cannot buy a new horse", "der König kann kein neues Pferd kaufen");
  statement(Say(verb("eat", "essen")).subject(the("girl")).modal(kMustNot).negated().object(the("apple")),
            "the girl must not eat the apple", "das Mädchen darf den Apfel nicht essen");
  statement(Say(verb("call")).subject(Pronoun::we).modal(kWant).object(Pronoun::he), "we want to call him",
            "wir wollen ihn anrufen");
  statement(Say(verb("visit"), Tense::past).subject(the("queen")).modal(kWant).object(np(Determiner::her, "brother")),
            "the queen wanted to visit her brother", "die Königin wollte ihren Bruder besuchen");
  statement(Say(verb("drink")).subject(Pronoun::he).modal(kLikeTo).object(np(Determiner::none, "milk", "cold")),
            "he likes to drink cold milk", "er trinkt gern kalte Milch");
  question(Say(verb("sing")).subject(the("queen")).modal(kLikeTo), "does the queen like to sing",
           "singt die Königin gern");
  statement(Say(verb("travel"))
                .subject(Pronoun::i)
                .modal(kWill)
                .to("Berlin", Determiner::none)
                .means("by/1 train/2", "mit/1 dem/2 Zug/2")
                .time("tomorrow/1", "morgen/1"),
            "I will travel to Berlin by train tomorrow", "ich werde morgen mit dem Zug nach Berlin reisen");
}

TEST(PocketGolden, separable_verbs) {
  statement(Say(verb("get"), kIng).subject(np(Determiner::his, "sister")), "his sister is getting up",
            "seine Schwester steht auf");
  statement(Say(verb("get"), Tense::past).subject(np(Determiner::the, "child", "", true)), "the children got up",
            "die Kinder sind aufgestanden");
  subordinate(Say(verb("get")).subject(Pronoun::i).time("at/1 six/2 o'clock/3", "um/1 sechs/2 Uhr/3"),
              "I get up at six o'clock", "ich um sechs Uhr aufstehe");
  statement(Say(verb("pick"), kIng).subject(Pronoun::he).object(Pronoun::she).at("station"),
            "he is picking her up at the station", "er holt sie am Bahnhof ab");
  subordinate(Say(verb("invite"), Tense::past).subject(the("man")).object(np(Determiner::our, "uncle")),
              "the man invited our uncle", "der Mann unseren Onkel eingeladen hat");
  subordinate(
      Say(verb("bring", "mitbringen")).subject(Pronoun::they).modal(kShould).object(np(Determiner::none, "rice")),
      "they should bring along rice", "sie Reis mitbringen sollten");
  question(Say(verb("come", "zurückkommen"), Tense::perfect)
               .subject(the("woman"))
               .adverb("already/1", "schon/1")
               .to("village"),
           "has the woman already come back to the village", "ist die Frau schon ins Dorf zurückgekommen");
}

TEST(PocketGolden, word_order) {
  question(Say(verb("see")).subject(the("man", "old")).object(the("dog")), "does the old man see the dog",
           "sieht der alte Mann den Hund");
  inverted(Say(verb("read"), kIng).subject(the("father")).object(np(Determiner::a, "newspaper")).at("garden"),
           "the father is reading a newspaper in the garden", "liest der Vater im Garten eine Zeitung");
  inverted(Say(verb("read"), kIng).subject(the("father")).object(the("newspaper")).at("garden"),
           "the father is reading the newspaper in the garden", "liest der Vater die Zeitung im Garten");
  statement(Say(verb("write"))
                .subject(Pronoun::she)
                .adverb("often/1", "oft/1")
                .object(np(Determiner::none, "letter", "", true)),
            "she often writes letters", "sie schreibt oft Briefe");
  statement(Say(verb("visit")).subject(Pronoun::she).adverb("never/1", "nie/1").object(the("king")),
            "she never visits the king", "sie besucht den König nie");
  subordinate(Say(verb("buy"), kIng).subject(the("aunt")).object(the("coat")).time("today/1", "heute/1"),
              "the aunt is buying the coat today", "die Tante heute den Mantel kauft");
  subordinate(Say(kRain).subject(Pronoun::it_neuter), "it rains", "es regnet");
}

TEST(PocketGolden, known_people_come_before_the_time_and_new_ones_after_it) {
  statement(Say(verb("help"), kIng).subject(Pronoun::i).dative(the("cat")).time("today/1", "heute/1"),
            "I am helping the cat today", "ich helfe der Katze heute");
  statement(Say(verb("help"), kIng).subject(Pronoun::i).dative(np(Determiner::a, "cat")).time("today/1", "heute/1"),
            "I am helping a cat today", "ich helfe heute einer Katze");
}

TEST(PocketGolden, destinations) {
  const auto going = [](std::string_view english) {
    return join(order_words(Say(verb("go"), kIng).subject(Pronoun::i).to(english).clause, Order::main).german);
  };
  EXPECT_EQ(going("school"), "ich gehe zur Schule");
  EXPECT_EQ(going("station"), "ich gehe zum Bahnhof");
  EXPECT_EQ(going("garden"), "ich gehe in den Garten");
  EXPECT_EQ(going("house"), "ich gehe ins Haus");
  EXPECT_EQ(going("kitchen"), "ich gehe in die Küche");
}

// Each row: nominative, accusative, dative of masculine, feminine, neuter and plural.
TEST(PocketGolden, adjective_endings) {
  struct Row {
    Determiner determiner;
    std::string_view forms[3][4];
  };
  static constexpr Row kRows[] = {
      {Determiner::the,
       {{"der alte Hund", "die alte Katze", "das alte Pferd", "die alten Hunde"},
        {"den alten Hund", "die alte Katze", "das alte Pferd", "die alten Hunde"},
        {"dem alten Hund", "der alten Katze", "dem alten Pferd", "den alten Hunden"}}},
      {Determiner::our,
       {{"unser alter Hund", "unsere alte Katze", "unser altes Pferd", "unsere alten Hunde"},
        {"unseren alten Hund", "unsere alte Katze", "unser altes Pferd", "unsere alten Hunde"},
        {"unserem alten Hund", "unserer alten Katze", "unserem alten Pferd", "unseren alten Hunden"}}},
      {Determiner::this_one,
       {{"dieser alte Hund", "diese alte Katze", "dieses alte Pferd", "diese alten Hunde"},
        {"diesen alten Hund", "diese alte Katze", "dieses alte Pferd", "diese alten Hunde"},
        {"diesem alten Hund", "dieser alten Katze", "diesem alten Pferd", "diesen alten Hunden"}}},
      {Determiner::none,
       {{"alter Hund", "alte Katze", "altes Pferd", "alte Hunde"},
        {"alten Hund", "alte Katze", "altes Pferd", "alte Hunde"},
        {"altem Hund", "alter Katze", "altem Pferd", "alten Hunden"}}},
  };
  static constexpr std::string_view kNouns[] = {"dog", "cat", "horse", "dog"};
  for (const Row& row : kRows)
    for (int c = 0; c < 3; ++c)
      for (int n = 0; n < 4; ++n) {
        IdeaSource ideas;
        const NounPhrase phrase = np(row.determiner, kNouns[n], "old", n == 3);
        EXPECT_EQ(join(make_noun(phrase, static_cast<Case>(c), ideas).german), row.forms[c][n]);
      }
}

// Words are aligned if they share an idea: "called" has those of both halves of "hat ... angerufen".
TEST(PocketGolden, ideas_link_both_halves_of_a_verb) {
  const Say say = Say(verb("call"), Tense::past).subject(the("man")).object(the("woman"));
  const auto [english, german] = order_words(say.clause, Order::main);
  ASSERT_EQ(join(english), "the man called the woman");
  ASSERT_EQ(join(german), "der Mann hat die Frau angerufen");
  EXPECT_TRUE(english[2].ideas & german[2].ideas);
  EXPECT_TRUE(english[2].ideas & german[5].ideas);
  EXPECT_FALSE(english[2].ideas & german[3].ideas);
  EXPECT_FALSE(english[0].ideas & german[3].ideas);  // the two "the" are kept apart
}

TEST(PocketGolden, lexicon_is_consistent) {
  for (std::size_t i = 0; i < kVerbs.size(); ++i)
    EXPECT_EQ(!kVerbs[i].prefix.empty(), i >= kVerbs.size() - kSeparableVerbs) << kVerbs[i].english.base;
  for (const Noun& row : kNouns) {
    EXPECT_EQ(row.english_plural.empty(), row.german_plural.empty()) << row.english;
    EXPECT_EQ(row.german_plural.empty(), row.german_dative_plural.empty()) << row.english;
    EXPECT_TRUE(row.german_plural.empty() || row.german_dative_plural.ends_with('n') ||
                row.german_dative_plural.ends_with('s'))
        << row.german;
  }
  EXPECT_ANY_THROW(noun("unicorn"));
  EXPECT_ANY_THROW(verb("eat", "trinken"));
}

}  // namespace
}  // namespace heed::pocket
