// An independent check of the German side: an article, its adjective and its noun must agree in case, gender and
// number. The tables here follow a school grammar, not the tables of the generator.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "pocket/corpus.h"

namespace heed {
namespace {

// A reading: case N, A or D, and m, f, n or p for the plural. A set of them is written "Nm Df".
using Readings = std::set<std::string>;

Readings read(std::string_view text) {
  Readings readings;
  for (std::size_t i = 0; i + 1 < text.size(); i += 3) readings.emplace(text.substr(i, 2));
  return readings;
}

Readings both(const Readings& a, const Readings& b) {
  Readings common;
  for (const std::string& reading : a)
    if (b.count(reading)) common.insert(reading);
  return common;
}

const std::string kAll = "Nm Nf Nn Np Am Af An Ap Dm Df Dn Dp";

std::map<std::string, Readings> noun_table() {
  std::map<std::string, Readings> table;
  const auto add = [&](std::string_view words, std::string_view readings) {
    for (std::size_t begin = 0; begin < words.size();) {
      const std::size_t end = std::min(words.find(' ', begin), words.size());
      for (const std::string& reading : read(readings))
        table[std::string(words.substr(begin, end - begin))].insert(reading);
      begin = end + 1;
    }
  };
  add("Mann König Vater Bruder Onkel Hund Vogel Apfel Käse Fisch Reis Kaffee Tee Saft Brief Schlüssel Ball Mantel Zug "
      "Bus "
      "Tisch Stuhl Garten Park Wald Markt Bahnhof Abend Montag Sonntag Freitag Winter Sommer Frühling Morgen Tag",
      "Nm Am Dm");
  add("Junge Bär", "Nm");
  add("Jungen Bären", "Am Dm");
  add("Frau Königin Mutter Schwester Tante Katze Kartoffel Orange Suppe Milch Zeitung Flasche Tasse Tasche Lampe Jacke "
      "Zeit Küche Stadt Schule Woche",
      "Nf Af Df");
  add("Mädchen Kind Pferd Schwein Ei Brot Wasser Buch Hemd Auto Fahrrad Sofa Geld Haus Zimmer Dorf Hotel Museum Bett "
      "Jahr",
      "Nn An Dn");
  add("Männer Kinder Brüder Hunde Pferde Schweine Vögel Äpfel Eier Bücher Briefe Schlüssel Mäntel Fahrräder", "Np Ap");
  add("Männern Kindern Brüdern Hunden Pferden Schweinen Vögeln Äpfeln Eiern Büchern Briefen Schlüsseln Mänteln", "Dp");
  add("Frauen Jungen Mädchen Schwestern Katzen Bären Orangen Kartoffeln Zeitungen Flaschen Tassen Taschen Lampen "
      "Hemden "
      "Jacken Autos Hotels Museen Schulen",
      "Np Ap Dp");
  return table;
}

// An article form: its readings, and the kind of ending of the adjective after it.
struct Article {
  Readings readings;
  char adjective;  // w weak, m mixed, s strong
};

std::map<std::string, Article> article_table() {
  std::map<std::string, Article> table = {
      {"der", {read("Nm Df"), 'w'}}, {"die", {read("Nf Af Np Ap"), 'w'}}, {"das", {read("Nn An"), 'w'}},
      {"den", {read("Am Dp"), 'w'}}, {"dem", {read("Dm Dn"), 'w'}},       {"im", {read("Dm Dn"), 'w'}},
      {"am", {read("Dm Dn"), 'w'}},  {"zum", {read("Dm Dn"), 'w'}},       {"zur", {read("Df"), 'w'}},
      {"ins", {read("An"), 'w'}},    {"viele", {read("Np Ap"), 's'}},     {"jeden", {read("Am"), 'w'}},
      {"jede", {read("Af"), 'w'}},
  };
  for (const std::string stem : {"ein", "kein", "mein", "sein", "ihr", "unser"}) {
    const bool plural = stem != "ein";
    table[stem] = {read("Nm Nn An"), 'm'};
    table[stem + "e"] = {read(plural ? "Nf Af Np Ap" : "Nf Af"), 'm'};
    table[stem + "en"] = {read(plural ? "Am Dp" : "Am"), 'm'};
    table[stem + "em"] = {read("Dm Dn"), 'm'};
    table[stem + "er"] = {read("Df"), 'm'};
  }
  for (const std::string stem : {"dies", "welch"}) {
    table[stem + "er"] = {read("Nm Df"), 'w'};
    table[stem + "e"] = {read("Nf Af Np Ap"), 'w'};
    table[stem + "es"] = {read("Nn An"), 'w'};
    table[stem + "en"] = {read("Am Dp"), 'w'};
    table[stem + "em"] = {read("Dm Dn"), 'w'};
  }
  for (const char* number :
       {"zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "zwölf", "15", "20", "50", "100"})
    table[number] = {read("Np Ap Dp"), 's'};
  return table;
}

Readings adjective_readings(char kind, const std::string& ending) {
  static const std::map<std::string, std::string> kWeak = {{"e", "Nm Nf Nn Af An"}, {"en", "Am Dm Df Dn Np Ap Dp"}};
  static const std::map<std::string, std::string> kMixed = {
      {"er", "Nm"}, {"e", "Nf Af"}, {"es", "Nn An"}, {"en", "Am Dm Df Dn Np Ap Dp"}};
  static const std::map<std::string, std::string> kStrong = {
      {"er", "Nm Df"}, {"e", "Nf Af Np Ap"}, {"es", "Nn An"}, {"en", "Am Dp"}, {"em", "Dm Dn"}};
  const auto& table = kind == 'w' ? kWeak : kind == 'm' ? kMixed : kStrong;
  const auto found = table.find(ending);
  return found == table.end() ? Readings{} : read(found->second);
}

// The ending of an attributive adjective; empty if the word is not one.
std::string adjective_ending(const std::string& word) {
  static const std::set<std::string> kStems = {"alt",  "jung",        "klein",  "groß",    "neu",     "schön",
                                               "rot",  "schwarz",     "frisch", "kalt",    "heiß",    "gut",
                                               "teur", "interessant", "müd",    "hungrig", "traurig", "krank"};
  for (const char* ending : {"e", "er", "es", "en", "em"})
    if (word.ends_with(ending) && kStems.count(word.substr(0, word.size() - std::string_view(ending).size())))
      return ending;
  return "";
}

std::string lower(std::string_view word) {
  std::string text(word);
  if (text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

// The case that a preposition governs in these sentences; empty if it can be either.
std::string governed_case(const std::string& word) {
  for (const char* preposition : {"mit", "nach", "zu", "neben", "hinter", "vor", "an"})
    if (word == preposition) return "D";
  return word == "für" ? "A" : "";
}

struct Checker {
  const std::map<std::string, Readings> nouns = noun_table();
  const std::map<std::string, Article> articles = article_table();

  // A description of the error in the noun phrase that ends at word i; empty if there is none.
  std::string fault(const std::vector<std::string_view>& words, std::size_t i) const {
    std::size_t first = i;
    const bool inside = i > 0 && (i == 1 || words[i - 1] == lower(words[i - 1]));
    const std::string ending = inside ? adjective_ending(lower(words[i - 1])) : "";
    if (!ending.empty()) --first;
    const std::string before = first > 0 ? lower(words[first - 1]) : "";
    const auto found = articles.find(before);
    if (found == articles.end()) return fault(words, i, first, ending, {read(kAll), 's'});
    const std::string verdict = fault(words, i, first - 1, ending, found->second);
    // "Sie gibt ihr Äpfel", "der Mann, der Milch trinkt": a pronoun followed by a noun without an article.
    const bool pronoun = before == "ihr" || (first > 1 && words[first - 2] == ",");
    return pronoun && !verdict.empty() ? fault(words, i, first, ending, {read(kAll), 's'}) : verdict;
  }

  std::string fault(const std::vector<std::string_view>& words, std::size_t i, std::size_t first,
                    const std::string& ending, const Article& article) const {
    Readings readings = both(nouns.at(std::string(words[i])), article.readings);
    if (readings.empty()) return "article and noun disagree";
    if (!ending.empty()) readings = both(readings, adjective_readings(article.adjective, ending));
    if (readings.empty()) return "the adjective ending is wrong";
    const std::string governed = first > 0 ? governed_case(lower(words[first - 1])) : "";
    if (governed.empty()) return "";
    for (const std::string& reading : readings)
      if (reading[0] == governed[0]) return "";
    return "the preposition asks for another case";
  }
};

TEST(PocketAgreement, the_checker_finds_faults) {
  const Checker checker;
  const auto fault = [&](std::string_view text, std::size_t i) {
    return checker.fault(pocket::pocket_tokens(text), i);
  };
  EXPECT_EQ(fault("Der alte Mann schläft.", 2), "");
  EXPECT_EQ(fault("Den alte Mann schläft.", 2), "the adjective ending is wrong");
  EXPECT_EQ(fault("Das Mann schläft.", 1), "article and noun disagree");
  EXPECT_EQ(fault("Er sieht den Junge.", 3), "article and noun disagree");
  EXPECT_EQ(fault("Er spielt mit den Hunde.", 4), "article and noun disagree");
  EXPECT_EQ(fault("Er spielt mit die Katze.", 4), "the preposition asks for another case");
  EXPECT_EQ(fault("Ein guter Brot.", 2), "the adjective ending is wrong");
  EXPECT_EQ(fault("Suppe mit frischem Brot.", 3), "");
  EXPECT_EQ(fault("Suppe mit frisches Brot.", 3), "the preposition asks for another case");
}

TEST(PocketAgreement, articles_adjectives_and_nouns_agree) {
  const Checker checker;
  static const std::set<std::string> kNames = {"Berlin", "Wien", "Hamburg", "Hause", "Uhr"};
  std::size_t phrases = 0;
  for (const std::uint64_t seed : {1, 99})
    for (const pocket::PocketPair& pair : pocket::PocketCorpus(seed).pairs(pocket::Split::train, 20000)) {
      const auto words = pocket::pocket_tokens(pair.target);
      for (std::size_t i = 0; i < words.size(); ++i) {
        if (!checker.nouns.count(std::string(words[i]))) {
          // Inside a sentence only nouns are capitalized, so each capital must be a noun of the table.
          const bool capital = (words[i][0] >= 'A' && words[i][0] <= 'Z') || words[i].starts_with("Ä");
          EXPECT_TRUE(i == 0 || !capital || kNames.count(std::string(words[i]))) << words[i] << ": " << pair.target;
          continue;
        }
        ++phrases;
        EXPECT_EQ(checker.fault(words, i), "") << words[i] << ": " << pair.target;
      }
    }
  EXPECT_GT(phrases, 60000u);
}

}  // namespace
}  // namespace heed
