// The verbs of the pocket corpus. A row: English forms, particle; German forms, prefix; then what the verb needs, its
// traits, its subjects, its objects and its places.
#include "base/error.h"
#include "pocket/lexicon.h"

namespace heed::pocket {
namespace {

// Places to stay at, and places to walk to.
constexpr Kinds kAround = kind::home | kind::green;
constexpr Kinds kWalk = kind::home | kind::green | kind::building | kind::trade | kind::station | kind::town;
constexpr Traits kMoves = trait::takes_being | trait::punctual;

constexpr EnglishForms kEat{"eat", "eats", "ate", "eaten", "eating"};
constexpr EnglishForms kDrink{"drink", "drinks", "drank", "drunk", "drinking"};
constexpr EnglishForms kPut{"put", "puts", "put", "put", "putting"};
constexpr EnglishForms kBring{"bring", "brings", "brought", "brought", "bringing"};
constexpr EnglishForms kCome{"come", "comes", "came", "come", "coming"};
constexpr GermanForms kTrinken{"trinken", "trinke", "trinkt", "getrunken"};
constexpr GermanForms kTragen{"tragen", "trage", "trägt", "getragen"};

// clang-format off
constexpr Verb kVerbRows[] = {
    {kEat, "", {"essen", "esse", "isst", "gegessen"}, "",
     Frame::transitive, trait::enjoyable | trait::unhurried | trait::punctual | trait::serving,
     kind::person, kFood, kind::kitchen | kind::green},
    {kEat, "", {"fressen", "", "frisst", "gefressen"}, "",
     Frame::transitive, 0, kind::animal, kind::feed, kind::green},
    {kDrink, "", kTrinken, "",
     Frame::transitive, trait::enjoyable | trait::serving, kind::person, kind::drink, kind::kitchen | kind::green},
    {kDrink, "", kTrinken, "", Frame::transitive, 0, kind::animal, kind::pale, 0},
    {{"read", "reads", "read", "read", "reading"}, "", {"lesen", "lese", "liest", "gelesen"}, "",
     Frame::transitive, trait::enjoyable | trait::unhurried | trait::quiet, kind::person, kReading, kAround},
    {{"write", "writes", "wrote", "written", "writing"}, "", {"schreiben", "schreibe", "schreibt", "geschrieben"}, "",
     Frame::transitive, trait::enjoyable, kind::person, kind::letter, kAround},
    {{"buy", "buys", "bought", "bought", "buying"}, "", {"kaufen", "kaufe", "kauft", "gekauft"}, "",
     Frame::transitive, trait::giving, kind::adult | kind::kin, kFood | kind::drink | kGoods, kind::trade | kind::town},
    {{"sell", "sells", "sold", "sold", "selling"}, "", {"verkaufen", "verkaufe", "verkauft", "verkauft"}, "",
     Frame::transitive, 0, kind::adult | kind::kin, kFood | kGoods, kind::trade},
    {{"see", "sees", "saw", "seen", "seeing"}, "", {"sehen", "sehe", "sieht", "gesehen"}, "",
     Frame::transitive, trait::stative, kind::person, kind::person | kind::animal, kind::green | kind::town},
    {{"look", "looks", "looked", "looked", "looking"}, "for", {"suchen", "suche", "sucht", "gesucht"}, "",
     Frame::transitive, 0, kind::person, kind::youngster | kind::animal | kind::thing | kReading, kAround},
    {{"have", "has", "had", "had", "having"}, "", {"haben", "habe", "hat", "gehabt"}, "",
     Frame::transitive, trait::stative, kind::person, kind::animal | kGoods, 0, {}, "hatte", "hatten"},
    {{"need", "needs", "needed", "needed", "needing"}, "", {"brauchen", "brauche", "braucht", "gebraucht"}, "",
     Frame::transitive, trait::stative | trait::present_only, kind::person,
     kind::clothing | kind::vehicle | kind::thing | kind::means, 0},
    {{"like", "likes", "liked", "liked", "liking"}, "", {"mögen", "mag", "mag", "gemocht"}, "",
     Frame::transitive, trait::stative | trait::present_only, kind::person,
     kind::person | kind::animal | kFood | kind::drink, 0},
    {{"know", "knows", "knew", "known", "knowing"}, "", {"kennen", "kenne", "kennt", "gekannt"}, "",
     Frame::transitive, trait::stative | trait::present_only, kind::person, kind::person, 0},
    {{"visit", "visits", "visited", "visited", "visiting"}, "", {"besuchen", "besuche", "besucht", "besucht"}, "",
     Frame::transitive, trait::enjoyable, kind::person, kind::person, 0},
    {{"wear", "wears", "wore", "worn", "wearing"}, "", kTragen, "",
     Frame::transitive, trait::enjoyable, kind::person, kind::clothing, 0},
    {{"carry", "carries", "carried", "carried", "carrying"}, "", kTragen, "",
     Frame::transitive, 0, kind::person, kind::thing | kReading, 0},
    {{"help", "helps", "helped", "helped", "helping"}, "", {"helfen", "helfe", "hilft", "geholfen"}, "",
     Frame::dative_object, trait::enjoyable, kind::person, kind::person | kind::animal, kAround},
    {{"give", "gives", "gave", "given", "giving"}, "", {"geben", "gebe", "gibt", "gegeben"}, "",
     Frame::ditransitive, 0, kind::person, kind::snack | kReading | kind::thing, 0},
    {{"show", "shows", "showed", "shown", "showing"}, "", {"zeigen", "zeige", "zeigt", "gezeigt"}, "",
     Frame::ditransitive, 0, kind::person, kReading | kind::clothing | kind::vehicle | kind::animal, 0},
    {kBring, "", {"bringen", "bringe", "bringt", "gebracht"}, "",
     Frame::ditransitive, 0, kind::person, kFood | kind::drink | kind::thing | kReading, 0},
    {{"sleep", "sleeps", "slept", "slept", "sleeping"}, "", {"schlafen", "schlafe", "schläft", "geschlafen"}, "",
     Frame::intransitive, 0, kind::person | kind::animal, 0, kind::home | kind::bed},
    {{"play", "plays", "played", "played", "playing"}, "", {"spielen", "spiele", "spielt", "gespielt"}, "",
     Frame::intransitive, trait::enjoyable | trait::quiet | trait::company, kind::person | kind::animal, 0, kAround | kind::building},
    {{"sing", "sings", "sang", "sung", "singing"}, "", {"singen", "singe", "singt", "gesungen"}, "",
     Frame::intransitive, trait::enjoyable | trait::quiet, kind::person, 0, kAround},
    {{"work", "works", "worked", "worked", "working"}, "", {"arbeiten", "arbeite", "arbeitet", "gearbeitet"}, "",
     Frame::intransitive, trait::enjoyable | trait::unhurried,
     kind::adult | kind::kin, 0, kAround | kind::building | kind::town | kind::city},
    {{"live", "lives", "lived", "lived", "living"}, "", {"wohnen", "wohne", "wohnt", "gewohnt"}, "",
     Frame::located, trait::stative, kind::person, 0, kind::town | kind::city},
    {{"lie", "lies", "lay", "lain", "lying"}, "", {"liegen", "", "liegt", "gelegen"}, "",
     Frame::located, trait::present_only, kind::flat, 0, kind::surface},
    {{"stand", "stands", "stood", "stood", "standing"}, "", {"stehen", "", "steht", "gestanden"}, "",
     Frame::located, trait::present_only, kind::upright, 0, kind::surface},
    {{"cook", "cooks", "cooked", "cooked", "cooking"}, "", {"kochen", "koche", "kocht", "gekocht"}, "",
     Frame::optional_object, trait::enjoyable | trait::giving, kind::adult | kind::kin, kind::cooked, kind::kitchen},
    {{"go", "goes", "went", "gone", "going"}, "", {"gehen", "gehe", "geht", "gegangen"}, "",
     Frame::directed, kMoves | trait::enjoyable, kind::person, 0, kWalk},
    {{"drive", "drives", "drove", "driven", "driving"}, "", {"fahren", "fahre", "fährt", "gefahren"}, "",
     Frame::directed, kMoves | trait::unhurried, kind::adult | kind::kin, 0,
     kind::town | kind::city | kind::station | kind::trade},
    {{"travel", "travels", "travelled", "travelled", "travelling"}, "", {"reisen", "reise", "reist", "gereist"}, "",
     Frame::directed, trait::takes_being | trait::enjoyable | trait::ridden, kind::person, 0, kind::town | kind::city},
    {kCome, "", {"kommen", "komme", "kommt", "gekommen"}, "",
     Frame::directed, kMoves, kind::person, 0, kind::home | kind::green | kind::building | kind::station},
    {kPut, "", {"legen", "lege", "legt", "gelegt"}, "",
     Frame::placing, trait::no_what, kind::person, kind::flat, kind::surface},
    {kPut, "", {"stellen", "stelle", "stellt", "gestellt"}, "",
     Frame::placing, trait::no_what, kind::person, kind::upright, kind::surface},
    {{"wait", "waits", "waited", "waited", "waiting"}, "", {"warten", "warte", "wartet", "gewartet"}, "",
     Frame::prepositional, 0, kind::person, kind::person | kind::transit, kind::station | kind::building, {"for", "auf", kAccusative}},
    {{"get", "gets", "got", "got", "getting"}, "up", {"stehen", "stehe", "steht", "aufgestanden"}, "auf",
     Frame::intransitive, kMoves, kind::person, 0, 0},
    {{"call", "calls", "called", "called", "calling"}, "", {"rufen", "rufe", "ruft", "angerufen"}, "an",
     Frame::transitive, trait::punctual, kind::person, kind::person, 0},
    {{"pick", "picks", "picked", "picked", "picking"}, "up", {"holen", "hole", "holt", "abgeholt"}, "ab",
     Frame::transitive, trait::punctual, kind::adult | kind::kin, kind::person, kind::station},
    {{"invite", "invites", "invited", "invited", "inviting"}, "", {"laden", "lade", "lädt", "eingeladen"}, "ein",
     Frame::transitive, trait::enjoyable, kind::person, kind::person, 0},
    {kPut, "on", {"ziehen", "ziehe", "zieht", "angezogen"}, "an",
     Frame::transitive, trait::no_what, kind::person, kind::clothing, 0},
    {{"arrive", "arrives", "arrived", "arrived", "arriving"}, "", {"kommen", "komme", "kommt", "angekommen"}, "an",
     Frame::located, kMoves, kind::person, 0, kind::town | kind::city | kind::station},
    {kCome, "back", {"kommen", "komme", "kommt", "zurückgekommen"}, "zurück",
     Frame::directed, kMoves, kind::person, 0, kind::home | kind::town | kind::city | kind::building},
    {kBring, "along", {"bringen", "bringe", "bringt", "mitgebracht"}, "mit",
     Frame::transitive, 0, kind::person, kFood | kind::toy | kind::text, 0},
};
// clang-format on

constexpr Verb weather(const EnglishForms& english, const GermanForms& german) {
  return {english, "", german, "", Frame::intransitive, 0, 0, 0, kind::city};
}

// Followed by "that" or a question; only used in the present.
constexpr Verb reporting(const EnglishForms& english, const GermanForms& german) {
  return {english, "", german, "", Frame::intransitive, trait::stative, kind::person, 0, 0};
}

}  // namespace

// clang-format off
const Verb kBe{{"be", "is", "was", "been", "being"}, "", {"sein", "bin", "ist", "gewesen"}, "",
    Frame::intransitive, trait::stative, kind::person, 0, 0, {}, "war", "waren"};
// clang-format on

const Verb kRain = weather({"rain", "rains", "rained", "rained", "raining"}, {"regnen", "", "regnet", "geregnet"});
const Verb kSnow = weather({"snow", "snows", "snowed", "snowed", "snowing"}, {"schneien", "", "schneit", "geschneit"});
const Verb kSay = reporting({"say", "says"}, {"sagen", "sage", "sagt"});
const Verb kBelieve = reporting({"believe", "believes"}, {"glauben", "glaube", "glaubt"});
const Verb kHope = reporting({"hope", "hopes"}, {"hoffen", "hoffe", "hofft"});
const Verb kKnow = reporting({"know", "knows"}, {"wissen", "weiß", "weiß"});
const Verb kAsk = reporting({"ask", "asks"}, {"fragen", "frage", "fragt"});

const Modal kCan{"can", "can", "", false, "kann", "kann", "können", "", ""};
const Modal kMust{"must", "must", "", false, "muss", "muss", "müssen", "", ""};
const Modal kMustNot{"must", "must", "", false, "darf", "darf", "dürfen", "", ""};
const Modal kShould{"should", "should", "", false, "sollte", "sollte", "sollten", "", ""};
const Modal kWill{"will", "will", "", false, "werde", "wird", "werden", "", ""};
const Modal kWant{"want", "wants", "wanted", true, "will", "will", "wollen", "wollte", "wollten"};
const Modal kLikeTo{"like", "likes", "", true, "", "", "", "", ""};

const std::span<const Verb> kVerbs = kVerbRows;

const Verb& verb(std::string_view english, std::string_view german) {
  for (const Verb& row : kVerbs)
    if (row.english.base == english && (german.empty() || (german.starts_with(row.prefix) &&
                                                           german.substr(row.prefix.size()) == row.german.infinitive)))
      return row;
  throw InternalError("the pocket lexicon has no verb '{}' ({})", english, german);
}

}  // namespace heed::pocket
