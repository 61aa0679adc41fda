#include "pocket/lexicon.h"

#include <algorithm>

#include "base/error.h"

namespace heed::pocket {
namespace {

constexpr Gender M = Gender::masculine, F = Gender::feminine, N = Gender::neuter;
constexpr Case kDative = Case::dative;

constexpr Noun kNounRows[] = {
    {"man", "men", "Mann", "Männer", "Männern", "", M, kind::adult},
    {"woman", "women", "Frau", "Frauen", "Frauen", "", F, kind::adult},
    {"king", "", "König", "", "", "", M, kind::adult},
    {"queen", "", "Königin", "", "", "", F, kind::adult},
    {"boy", "boys", "Junge", "Jungen", "Jungen", "Jungen", M, kind::youngster},
    {"girl", "girls", "Mädchen", "Mädchen", "Mädchen", "", N, kind::youngster},
    {"child", "children", "Kind", "Kinder", "Kindern", "", N, kind::youngster},
    {"father", "", "Vater", "", "", "", M, kind::kin},
    {"mother", "", "Mutter", "", "", "", F, kind::kin},
    {"brother", "brothers", "Bruder", "Brüder", "Brüdern", "", M, kind::kin},
    {"sister", "sisters", "Schwester", "Schwestern", "Schwestern", "", F, kind::kin},
    {"uncle", "", "Onkel", "", "", "", M, kind::kin},
    {"aunt", "", "Tante", "", "", "", F, kind::kin},

    {"dog", "dogs", "Hund", "Hunde", "Hunden", "", M, kind::animal | kind::colored},
    {"cat", "cats", "Katze", "Katzen", "Katzen", "", F, kind::animal | kind::colored},
    {"horse", "horses", "Pferd", "Pferde", "Pferden", "", N, kind::animal | kind::colored},
    {"pig", "pigs", "Schwein", "Schweine", "Schweinen", "", N, kind::animal | kind::colored},
    {"bird", "birds", "Vogel", "Vögel", "Vögeln", "", M, kind::animal | kind::colored},
    {"bear", "bears", "Bär", "Bären", "Bären", "Bären", M, kind::animal | kind::colored},

    {"apple", "apples", "Apfel", "Äpfel", "Äpfeln", "", M, kind::snack | kind::feed},
    {"egg", "eggs", "Ei", "Eier", "Eiern", "", N, kind::snack | kind::cooked},
    {"orange", "oranges", "Orange", "Orangen", "Orangen", "", F, kind::snack},
    {"potato", "potatoes", "Kartoffel", "Kartoffeln", "Kartoffeln", "", F, kind::snack | kind::cooked | kind::feed},
    {"bread", "", "Brot", "", "", "", N, kind::meal | kind::feed},
    {"cheese", "", "Käse", "", "", "", M, kind::meal},
    {"fish", "", "Fisch", "", "", "", M, kind::meal | kind::cooked},
    {"rice", "", "Reis", "", "", "", M, kind::meal | kind::cooked},
    {"soup", "", "Suppe", "", "", "", F, kind::meal | kind::cooked | kind::hot},
    {"water", "", "Wasser", "", "", "", N, kind::drink | kind::pale | kind::hot},
    {"milk", "", "Milch", "", "", "", F, kind::drink | kind::pale | kind::hot},
    {"coffee", "", "Kaffee", "", "", "", M, kind::drink | kind::hot},
    {"tea", "", "Tee", "", "", "", M, kind::drink | kind::hot},
    {"juice", "", "Saft", "", "", "", M, kind::drink},

    {"book", "books", "Buch", "Bücher", "Büchern", "", N, kind::text | kind::flat},
    {"letter", "letters", "Brief", "Briefe", "Briefen", "", M, kind::flat | kind::letter},
    {"newspaper", "newspapers", "Zeitung", "Zeitungen", "Zeitungen", "", F, kind::text | kind::flat},
    {"key", "keys", "Schlüssel", "Schlüssel", "Schlüsseln", "", M, kind::thing | kind::flat},
    {"ball", "", "Ball", "", "", "", M, kind::thing | kind::colored | kind::toy},
    {"bottle", "bottles", "Flasche", "Flaschen", "Flaschen", "", F, kind::thing | kind::upright | kind::colored},
    {"cup", "cups", "Tasse", "Tassen", "Tassen", "", F, kind::thing | kind::upright | kind::colored},
    {"bag", "bags", "Tasche", "Taschen", "Taschen", "", F, kind::thing | kind::colored},
    {"lamp", "lamps", "Lampe", "Lampen", "Lampen", "", F, kind::thing | kind::upright | kind::colored},
    {"coat", "coats", "Mantel", "Mäntel", "Mänteln", "", M, kind::clothing | kind::colored},
    {"shirt", "shirts", "Hemd", "Hemden", "Hemden", "", N, kind::clothing | kind::colored},
    {"jacket", "jackets", "Jacke", "Jacken", "Jacken", "", F, kind::clothing | kind::colored},
    {"car", "cars", "Auto", "Autos", "Autos", "", N, kind::vehicle | kind::colored},
    {"bicycle", "bicycles", "Fahrrad", "Fahrräder", "Fahrrädern", "", N, kind::vehicle | kind::colored},
    {"train", "", "Zug", "", "", "", M, kind::transit},
    {"bus", "", "Bus", "", "", "", M, kind::transit},
    {"table", "", "Tisch", "", "", "", M, kind::surface},
    {"sofa", "", "Sofa", "", "", "", N, kind::surface},
    {"chair", "", "Stuhl", "", "", "", M, kind::surface},
    {"time", "", "Zeit", "", "", "", F, kind::means},
    {"money", "", "Geld", "", "", "", N, kind::means},
};

constexpr Kinds kSites = kind::home | kind::green | kind::town | kind::building;

constexpr Adjective kAdjectiveRows[] = {
    {"old", "alt", "alt",
     kind::adult | kind::animal | kGoods | kind::letter | kind::town | kind::building | kind::surface,
     kind::adult | kind::animal | kGoods},
    {"young", "jung", "jung", kind::adult | kind::animal, kind::adult | kind::animal},
    {"small", "klein", "klein", kind::youngster | kind::animal | kSites | kind::surface | kind::toy | kind::vehicle,
     kind::animal | kind::clothing},
    {"big", "groß", "groß", kind::animal | kind::snack | kSites | kind::surface | kind::upright,
     kind::animal | kind::upright},
    {"new", "neu", "neu", kGoods | kind::building, kGoods},
    {"beautiful", "schön", "schön", kind::clothing | kind::upright | kind::animal | kind::toy | kSites,
     kind::clothing | kind::upright | kind::animal},
    {"red", "rot", "rot", kind::clothing | kind::vehicle | kind::toy | kind::upright, kind::clothing | kind::vehicle},
    {"black", "schwarz", "schwarz", kind::colored, kind::clothing | kind::vehicle | kind::toy},
    {"fresh", "frisch", "frisch", kind::snack | kind::feed | kind::pale, kind::snack | kind::feed | kind::pale},
    {"cold", "kalt", "kalt", kind::hot, kind::hot},
    {"hot", "heiß", "heiß", kind::hot, kind::hot},
    {"good", "gut", "gut", kFood | kind::drink | kReading, kFood | kind::drink | kReading},
    {"expensive", "teuer", "teur", kind::clothing | kind::vehicle | kind::upright | kind::toy | kind::text,
     kind::clothing | kind::vehicle | kind::upright | kind::snack},
    {"interesting", "interessant", "interessant", kReading, kReading},
    {"tired", "müde", "müd", kind::person | kind::animal, kind::person | kind::animal},
    {"hungry", "hungrig", "hungrig", kind::youngster | kind::animal, kind::person | kind::animal},
    {"sad", "traurig", "traurig", kind::person, kind::person},
    {"sick", "krank", "krank", kind::person | kind::animal, kind::person | kind::animal},
};

constexpr Preposition kIn{"in", "in", kDative}, kInto{"into", "in", kAccusative}, kToIn{"to", "in", kAccusative},
    kTo{"to", "zu", kDative}, kAtOn{"at", "auf", kDative}, kAtBy{"at", "an", kDative}, kNach{"to", "nach", kDative};

constexpr Place kPlaceRows[] = {
    {{"house", "houses", "Haus", "Häuser", "Häusern", "", N, kind::home}, kIn, kInto},
    {{"room", "", "Zimmer", "", "", "", N, kind::home}, kIn, kInto},
    {{"kitchen", "", "Küche", "", "", "", F, kind::home | kind::kitchen}, kIn, kInto},
    {{"garden", "", "Garten", "", "", "", M, kind::green}, kIn, kInto},
    {{"park", "parks", "Park", "Parks", "Parks", "", M, kind::green}, kIn, kToIn},
    {{"forest", "", "Wald", "", "", "", M, kind::green}, kIn, kInto},
    {{"city", "", "Stadt", "", "", "", F, kind::town}, kIn, kToIn},
    {{"village", "", "Dorf", "", "", "", N, kind::town}, kIn, kToIn},
    {{"hotel", "hotels", "Hotel", "Hotels", "Hotels", "", N, kind::building}, kIn, kTo},
    {{"museum", "museums", "Museum", "Museen", "Museen", "", N, kind::building}, kIn, kToIn},
    {{"school", "schools", "Schule", "Schulen", "Schulen", "", F, kind::building}, kIn, kTo},
    {{"market", "", "Markt", "", "", "", M, kind::trade}, kAtOn, kTo},
    {{"station", "", "Bahnhof", "", "", "", M, kind::station}, kAtBy, kTo},
    {{"bed", "", "Bett", "", "", "", N, kind::bed}, kIn, kTo},
    {{"Berlin", "", "Berlin", "", "", "", N, kind::city}, kIn, kNach},
    {{"Hamburg", "", "Hamburg", "", "", "", N, kind::city}, kIn, kNach},
    {{"Vienna", "", "Wien", "", "", "", N, kind::city}, kIn, kNach},
};

constexpr std::uint8_t kAnyDay = when::past | when::modal | when::future | when::negated;
constexpr std::uint8_t kClock = when::habit | when::past | when::modal | when::future | when::punctual;
constexpr Time kTimeRows[] = {
    {{"today/1", "heute/1"}, when::now | kAnyDay | when::state},
    {{"now/1", "jetzt/1"}, when::now | when::negated | when::state},
    {{"tomorrow/1", "morgen/1"}, when::modal | when::future | when::negated},
    {{"soon/1", "bald/1"}, when::future},
    {{"yesterday/1", "gestern/1"}, when::past | when::negated | when::state},
    {{"in/1 the/2 evening/3", "am/12 Abend/3"}, when::habit | kAnyDay | when::state},
    {{"on/1 Monday/2", "am/1 Montag/2"}, kAnyDay | when::state},
    {{"on/1 Sunday/2", "am/1 Sonntag/2"}, kAnyDay | when::state},
    {{"in/1 the/2 morning/3", "am/12 Morgen/3"}, when::habit | kAnyDay},
    {{"on/1 Friday/2", "am/1 Freitag/2"}, kAnyDay},
    {{"tonight/1", "heute/1 Abend/1"}, when::modal | when::future | when::negated},
    {{"last/1 week/2", "letzte/1 Woche/2"}, when::past | when::negated},
    {{"last/1 year/2", "letztes/1 Jahr/2"}, when::past | when::negated},
    {{"in/1 spring/2", "im/1 Frühling/2"}, when::habit | when::past},
    {{"in/1 winter/2", "im/1 Winter/2"}, when::habit | when::past},
    {{"in/1 summer/2", "im/1 Sommer/2"}, when::habit | when::past},
    {{"every/1 day/2", "jeden/1 Tag/2"}, when::habit},
    {{"every/1 week/2", "jede/1 Woche/2"}, when::habit},
    {{"at/1 six/2 o'clock/3", "um/1 sechs/2 Uhr/3"}, kClock},
    {{"at/1 seven/2 o'clock/3", "um/1 sieben/2 Uhr/3"}, kClock},
    {{"at/1 eight/2 o'clock/3", "um/1 acht/2 Uhr/3"}, kClock},
    {{"at/1 ten/2 o'clock/3", "um/1 zehn/2 Uhr/3"}, kClock},
};

constexpr Idiom kNumberRows[] = {
    {"two", "zwei"},     {"three", "drei"}, {"four", "vier"}, {"five", "fünf"}, {"six", "sechs"},
    {"seven", "sieben"}, {"eight", "acht"}, {"nine", "neun"}, {"ten", "zehn"},  {"twelve", "zwölf"},
    {"15", "15"},        {"20", "20"},      {"50", "50"},     {"100", "100"},
};

template <class Row, class Name>
const Row& find(std::span<const Row> rows, std::string_view english, Name name) {
  const auto found = std::ranges::find(rows, english, name);
  check<InternalError>(found != rows.end(), "the pocket lexicon has no word '{}'", english);
  return *found;
}

}  // namespace

const std::span<const Noun> kNouns = kNounRows;
const std::span<const Adjective> kAdjectives = kAdjectiveRows;
const std::span<const Place> kPlaces = kPlaceRows;
const std::span<const Time> kTimes = kTimeRows;
const std::span<const Idiom> kNumbers = kNumberRows;

const Noun& noun(std::string_view english) {
  return find(kNouns, english, &Noun::english);
}
const Place& place(std::string_view english) {
  return find(kPlaces, english, [](const Place& row) { return row.noun.english; });
}
const Adjective& adjective(std::string_view english) {
  return find(kAdjectives, english, &Adjective::english);
}

}  // namespace heed::pocket
