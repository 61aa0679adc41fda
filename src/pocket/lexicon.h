// The words of the pocket corpus: each row is an English word, its one German counterpart, their inflected forms and
// the semantic classes that decide which words can be combined. The tables are constant and safe to share.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace heed::pocket {

enum class Gender : std::uint8_t { masculine, feminine, neuter };
enum class Case : std::uint8_t { nominative, accusative, dative };

// A set of semantic classes, one bit each.
using Kinds = std::uint32_t;
namespace kind {
enum : Kinds {
  adult = 1u << 0,
  youngster = 1u << 1,
  kin = 1u << 2,
  animal = 1u << 3,
  snack = 1u << 4,     // food that is counted
  meal = 1u << 5,      // food that is not counted
  drink = 1u << 6,     // not counted either
  text = 1u << 7,      // what is read
  thing = 1u << 8,     // what is carried
  flat = 1u << 9,      // lies where it is put
  upright = 1u << 10,  // stands where it is put
  clothing = 1u << 11,
  vehicle = 1u << 12,
  transit = 1u << 13,  // what one waits for
  home = 1u << 14,
  green = 1u << 15,
  town = 1u << 16,
  building = 1u << 17,
  trade = 1u << 18,
  station = 1u << 19,
  surface = 1u << 20,
  means = 1u << 21,  // time and money: what one has or lacks
  cooked = 1u << 22,
  hot = 1u << 23,  // what is served cold or hot
  feed = 1u << 24,
  pale = 1u << 25,  // water and milk
  colored = 1u << 26,
  toy = 1u << 27,
  letter = 1u << 28,
  bed = 1u << 29,
  kitchen = 1u << 30,
  city = 1u << 31,  // a town known by its name
  person = adult | youngster | kin,
  uncounted = meal | drink | means,
};
}

// Kinds that several tables use.
inline constexpr Case kAccusative = Case::accusative;
inline constexpr Kinds kReading = kind::text | kind::letter;
inline constexpr Kinds kGoods = kind::text | kind::thing | kind::clothing | kind::vehicle;
inline constexpr Kinds kFood = kind::snack | kind::meal;

struct Noun {
  std::string_view english, english_plural;  // no plural: only used in the singular
  std::string_view german, german_plural, german_dative_plural;
  std::string_view german_oblique;  // accusative and dative singular of the n-declension, else empty
  Gender gender;
  Kinds kinds;
};

struct Adjective {
  std::string_view english, german, stem;
  Kinds attributive;  // the nouns it can precede
  Kinds predicative;  // the nouns it may be said of
};

struct Preposition {
  std::string_view english, german;
  Case governs;
};

struct Place {
  Noun noun;
  Preposition at, to;  // where something happens; where someone goes
};

enum class Frame : std::uint8_t {
  intransitive,
  transitive,
  optional_object,
  dative_object,
  ditransitive,
  prepositional,  // object after a preposition
  located,        // needs a place
  directed,       // needs a destination
  placing,        // an object and the surface it is put on
};

// Other properties of a verb, one bit each.
using Traits = std::uint16_t;
namespace trait {
enum : Traits {
  stative = 1u << 0,       // no progressive
  present_only = 1u << 1,  // no past and no perfect
  punctual = 1u << 2,      // happens at a point in time
  enjoyable = 1u << 3,     // "likes to ..."
  unhurried = 1u << 4,     // can be done slowly or quickly
  quiet = 1u << 5,         // can be done quietly
  company = 1u << 6,       // can be done with somebody
  ridden = 1u << 7,        // can be done by train or bus
  no_what = 1u << 8,       // the German verb depends on the object, so the object cannot be asked for
  takes_being = 1u << 9,   // the perfect takes sein
  giving = 1u << 10,       // can be done for somebody
  serving = 1u << 11,      // soup with bread
};
}

struct EnglishForms {
  std::string_view base, third, past{}, participle{}, gerund{};
};
struct GermanForms {
  std::string_view infinitive, first, third, participle{};
};

struct Verb {
  EnglishForms english;
  std::string_view particle;  // "up" of "get up"
  GermanForms german;         // of the verb without its prefix; the participle is whole
  std::string_view prefix;    // "auf" of "aufstehen"
  Frame frame;
  Traits traits;
  Kinds subject, object;                         // object: the accusative, or the noun after the preposition
  Kinds places;                                  // where it may happen, or where one may go
  Preposition preposition{};                     // of Frame::prepositional
  std::string_view past_third{}, past_plural{};  // a German past tense instead of the perfect
};

struct Modal {
  std::string_view english, english_third, english_past;
  bool full;  // "want to": takes "to" and do-support
  std::string_view german_first, german_third, german_plural, german_past_third, german_past_plural;
};

// A fixed phrase. Words that belong together carry the same digit: "in/1 the/2 evening/3", "am/12 Abend/3".
struct Idiom {
  std::string_view english, german;
};

// The clauses that a time can be used in, one bit each.
namespace when {
enum : std::uint8_t { now = 1, habit = 2, past = 4, modal = 8, future = 16, negated = 32, punctual = 64, state = 128 };
}
struct Time {
  Idiom idiom;
  std::uint8_t uses;
};

extern const std::span<const Noun> kNouns;
extern const std::span<const Adjective> kAdjectives;
extern const std::span<const Place> kPlaces;
extern const std::span<const Verb> kVerbs;
inline constexpr std::uint32_t kSeparableVerbs = 8;  // the last rows of kVerbs
extern const std::span<const Time> kTimes;
extern const std::span<const Idiom> kNumbers;  // two and more; words and digits

// Rows the grammar needs by name.
extern const Verb kBe;
extern const Verb kRain, kSnow;
extern const Verb kSay, kBelieve, kHope, kKnow, kAsk;
extern const Modal kCan, kMust, kMustNot, kShould, kWill, kWant, kLikeTo;

// The row of an English word; InternalError if there is none. A verb may have several rows: the German infinitive
// picks one.
const Noun& noun(std::string_view english);
const Place& place(std::string_view english);
const Adjective& adjective(std::string_view english);
const Verb& verb(std::string_view english, std::string_view german = {});

}  // namespace heed::pocket
