// Glossaries: reading files and finding terms.
#include "translate/glossary.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/files.h"
#include "text/spans.h"

namespace heed::translate {
namespace {

struct GlossaryFile : ::testing::Test {
  testing::TemporaryDirectory directory;

  std::vector<GlossaryEntry> read(const std::string& name, const std::string& contents, GlossaryOptions options = {}) {
    std::ofstream(directory.file(name)) << contents;
    return read_glossary(directory.file(name), options);
  }
  std::string refusal(const std::string& name, const std::string& contents, GlossaryOptions options = {}) {
    try {
      const Glossary glossary(read(name, contents, options), options.match, directory.file(name));
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
};

std::string shown(const std::vector<GlossaryEntry>& entries) {
  std::string text;
  for (const GlossaryEntry& e : entries)
    text += fmt::format("{}={}{}{}@{};", e.source, e.target, e.exact_case ? "!" : "", e.preferred ? "?" : "", e.line);
  return text;
}

// The terms as "source span text -> target".
std::string found(const Glossary& glossary, const std::string& sentence) {
  std::string text;
  for (const Term& term : glossary.find(sentence))
    text += fmt::format("{}->{}{};", text::encode_utf8(text::part_of(text::decode_utf8(sentence), term.source)),
                        term.target, term.required ? "" : "?");
  return text;
}

TEST_F(GlossaryFile, ReadsTsv) {
  EXPECT_EQ(
      shown(read(
          "a.tsv",
          "source\ttarget\n dog \tHund\r\n\nApple\t\texact\ncat\tKatze\tany\tprefer\nIT\tEDV\tcase prefer\nheed\n")),
      "dog=Hund@2;Apple=!@4;cat=Katze?@5;IT=EDV!?@6;heed=@7;");
  EXPECT_EQ(shown(read("a.txt", "source\tQuelle\n")), "source=Quelle@1;");  // a term, not a header
  EXPECT_EQ(shown(read("empty", "")), "");
}

TEST_F(GlossaryFile, TakesLanguagesInTheFirstRowForAHeader) {
  const GlossaryOptions to_german{.source_language = "en", .target_language = "de"};
  EXPECT_EQ(shown(read("a.tsv", "en\tde\ndog\tHund\n", to_german)), "dog=Hund@2;");
  EXPECT_EQ(shown(read("a.csv", "English,Deutsch\ndog,Hund\n", to_german)), "dog=Hund@2;");
  EXPECT_EQ(shown(read("b.csv", "Deutsch,Englisch,rule\nHund,dog,exact\n", to_german)), "dog=Hund!@2;") << "swapped";
  EXPECT_EQ(shown(read("c.csv", "English,German\ndog,Hund\n")), "dog=Hund@2;");
  EXPECT_EQ(shown(read("d.csv", "dog,Hund\nde,en\n", to_german)), "dog=Hund@1;de=en@2;") << "not in the first row";
  EXPECT_EQ(shown(read("i.csv", "sep=;\r\nID;English;Deutsch;\r\n1;dog;Hund;case\r\n", to_german)), "dog=Hund!@3;");
  // Terms that are also languages.
  EXPECT_EQ(shown(read("e.csv", "it,es\n")), "it=es@1;");
  EXPECT_EQ(shown(read("f.csv", "it,es\n", to_german)), "it=es@1;");
  EXPECT_EQ(shown(read("g.csv", "Greek,Griechisch\n", to_german)), "Greek=Griechisch@1;");
  EXPECT_NE(refusal("h.csv", "de,en\nHund,\n", to_german).find("h.csv:2: the row has no source term in column 2"),
            std::string::npos);
}

TEST_F(GlossaryFile, ReadsCsv) {
  EXPECT_EQ(shown(read("a.csv", "Source,Target,Rule\n\"a, b\",\"x \"\"y\"\"\"\ncat,Katze,exact\n")),
            "a, b=x \"y\"@2;cat=Katze!@3;");
  EXPECT_EQ(shown(read("b.CSV", "dog;Hund;prefer\n")), "dog=Hund?@1;");
}

TEST_F(GlossaryFile, ReadsCommasWithoutTabsAsCsv) {
  EXPECT_EQ(shown(read("a.tsv", "dog,Hund\n\ncat,\"Katze, Kater\",exact\n")), "dog=Hund@1;cat=Katze, Kater!@3;");
  EXPECT_EQ(shown(read("a.txt", "dog;Hund\r\ncat;Katze")), "dog=Hund@1;cat=Katze@2;");
  // A tab anywhere, or a line without a separator, makes it lines of terms.
  EXPECT_EQ(shown(read("b.tsv", "a,b\tx\nc,d\n")), "a,b=x@1;c,d=@2;");
  EXPECT_EQ(shown(read("c.tsv", "a,b\nheed\n")), "a,b=@1;heed=@2;");
  EXPECT_EQ(shown(read("d.tsv", "Washington, D.C.\n")), "Washington, D.C.=@1;");
}

TEST_F(GlossaryFile, ReadsOtherEncodings) {
  EXPECT_EQ(shown(read("a.tsv",
                       "dog\tR\xFC"
                       "de\n")),
            "dog=Rüde@1;");
  EXPECT_EQ(shown(read("a.csv", "egg,\xC4pfel\nfloor,Fu\xDF")), "egg=Äpfel@1;floor=Fuß@2;");
  EXPECT_EQ(shown(read("b.tsv", std::string("\xFF\xFE"
                                            "a\0\t\0\xFC\0",
                                            8))),
            "a=ü@1;");
  EXPECT_EQ(shown(read("c.tsv", "dog\tRüde\ncat\tK\xFCter\n")), "dog=Rüde@1;cat=K\uFFFDter@2;");
}

std::string tbx(const std::string& concepts) {
  return "<?xml version=\"1.0\"?>\n<martif type=\"TBX\"><text><body>\n" + concepts + "</body></text></martif>\n";
}
std::string tbx_concept(const std::string& en, const std::string& de) {
  return "<termEntry><langSet xml:lang=\"en-US\">" + en + "</langSet><langSet xml:lang=\"de\">" + de +
         "</langSet></termEntry>\n";
}
std::string tig(const std::string& term, const std::string& status = "") {
  return "<tig><term>" + term + "</term>" +
         (status.empty() ? "" : "<termNote type=\"administrativeStatus\">" + status + "</termNote>") + "</tig>";
}

TEST_F(GlossaryFile, ReadsTbx) {
  const std::string file =
      tbx(tbx_concept(tig("dog") + tig("hound"),
                      tig("Köter", "deprecatedTerm-admn-sts") + tig("Tier") + tig("Hund", "preferredTerm-admn-sts")) +
          tbx_concept(tig("cat"), "") + tbx_concept(tig("Dog"), tig("Bello")) +
          tbx_concept(tig("bird"), tig("Vogel", "deprecatedTerm-admn-sts")));
  EXPECT_EQ(shown(read("a.tbx", file)), "dog=Hund@3;hound=Hund@3;");
  EXPECT_EQ(shown(read("a.tbx", file, {.source_language = "de", .target_language = "en"})),
            "Köter=dog@3;Tier=dog@3;Hund=dog@3;Bello=Dog@5;Vogel=bird@6;");
  EXPECT_EQ(
      shown(read(
          "b.tbx",
          "<tbx><text><body><conceptEntry><langSec xml:lang='en'><termSec><term>a <hi>b</hi></term></termSec></langSec>"
          "<langSec xml:lang='fr'><termSec><term>c</term></termSec></langSec></conceptEntry></body></text></tbx>")),
      "a b=c@1;");
}

TEST_F(GlossaryFile, RefusesMalformedFiles) {
  const auto expect_part = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect_part(refusal("a.tsv", "dog\tHund\nx\ty\texakt\n"),
              "a.tsv:2: 'exakt' is not a rule for a term (the columns after the translation hold rules); expected "
              "case, any or prefer");
  for (const char* rules : {"case any", "any\tcase", "exact any"})
    expect_part(refusal("a.tsv", fmt::format("dog\tHund\t{}\n", rules)),
                "a.tsv:1: the rules case and any contradict each other; keep one");
  expect_part(refusal("a.tsv", "dog\tHund\n\tKatze\n"), "a.tsv:2: the row has no source term");
  expect_part(refusal("a.tsv", "dog\tHund\ncat\tKatze\nDog\tKöter\n"),
              "a.tsv:3: 'Dog' is translated as 'Köter' here, but as 'Hund' in line 1");
  expect_part(refusal("a.csv", "a,\"b\n"), "no closing quote");
  expect_part(refusal("a.tbx", "<?xml version='1.0'?><tmx/>"), "is not TBX");
  expect_part(
      refusal("a.tbx", tbx(tbx_concept(tig("dog"), tig("Hund"))), {.source_language = "en", .target_language = "fr"}),
      "no concept has terms in both en and fr");
  expect_part(refusal("a.tbx", "<tbx><conceptEntry><langSec xml:lang='en'>"), "the file ends inside");
  std::string many;
  for (int i = 0; i < 101; ++i) many += "a ";
  expect_part(refusal("a.tsv", many + "\tb\n"), "a.tsv:1: the source term has 101 words");
  EXPECT_EQ(refusal("a.tsv", "dog\tHund\nDOG\tHund\nDog\tX\texact\nDOG\tY\texact\n"), "accepted");
  EXPECT_THROW(read_glossary(directory.file("missing"), {}), InputError);
}

TEST(Glossary, FindsTheLongestTermsByWords) {
  const Glossary glossary({{.source = "dog", .target = "Hund"},
                           {.source = "hot dog", .target = "Hotdog"},
                           {.source = "hot dog stand", .target = "Bude"},
                           {.source = "C++", .target = ""},
                           {.source = "東京", .target = "Tokio"}});
  EXPECT_EQ(found(glossary, "A hot  Dog, a hot dog stand."), "hot  Dog->Hotdog;hot dog stand->Bude;");
  EXPECT_EQ(found(glossary, "Dogs, hotdogs, doggy; DOG-house"), "DOG->Hund;");
  EXPECT_EQ(found(glossary, "hot dog hot dog hot"), "hot dog->Hotdog;hot dog->Hotdog;");
  EXPECT_EQ(found(glossary, "c++ 東京都"), "c++->c++;東京->Tokio;");  // kept as the sentence has it
  EXPECT_EQ(found(glossary, ""), "");
  EXPECT_EQ(found(glossary, "\xff dog"), "dog->Hund;");
}

TEST(Glossary, FollowsTheCaseRule) {
  const Glossary glossary({{.source = "IT", .target = "EDV", .exact_case = true},
                           {.source = "Polish", .target = "polnisch", .exact_case = true},
                           {.source = "polish", .target = "Politur", .preferred = true}});
  EXPECT_EQ(found(glossary, "IT is it."), "IT->EDV;");
  EXPECT_EQ(found(glossary, "Polish POLISH polish"), "Polish->polnisch;POLISH->Politur?;polish->Politur?;");
}

TEST(Glossary, FindsInflectedForms) {
  const std::vector<GlossaryEntry> entries = {{.source = "dog", .target = "Hund"},
                                              {.source = "walk", .target = "gehen"},
                                              {.source = "walks", .target = "geht"},
                                              {.source = "green house", .target = "Gewächshaus"},
                                              {.source = "Turing", .target = "", .exact_case = true},
                                              {.source = "x2", .target = "y"}};
  const Glossary glossary(entries, GlossaryMatch::inflected);
  EXPECT_EQ(found(glossary, "Dogs walked."), "Dogs->Hund;walked->gehen;");
  EXPECT_EQ(found(glossary, "He walks, walking green houses."),
            "walks->geht;walking->gehen;green houses->Gewächshaus;");
  EXPECT_EQ(found(glossary, "doggies dogged do walkways x2s"), "");
  EXPECT_EQ(found(glossary, "Turings turings"), "Turings->Turings;");
  EXPECT_EQ(found(Glossary(entries), "Dogs walked."), "");
}

TEST(Glossary, CapitalizesAtTheStartOnlyWhatIsInLowerCase) {
  const Glossary glossary(
      {{.source = "runs", .target = "läuft"}, {.source = "ebay", .target = "eBay"}, {.source = "keep", .target = ""}});
  EXPECT_TRUE(glossary.find("He runs.")[0].capitalize);
  EXPECT_FALSE(glossary.find("he runs.")[0].capitalize);
  EXPECT_FALSE(glossary.find("Ebay")[0].capitalize);
  EXPECT_FALSE(glossary.find("Keep")[0].capitalize);
}

// A glossary whose words all have a common stem, and sentences full of beginnings of terms, take linear time.
TEST(Glossary, TakesLinearTimeOnHostileInput) {
  std::vector<GlossaryEntry> entries;
  for (int i = 0; i < 17576; ++i) {
    std::string word = "stem";
    for (const int k : {i % 26, i / 26 % 26, i / 676}) word += static_cast<char>('a' + k);
    entries.push_back({.source = word, .target = "x"});
  }
  std::string prefix;
  for (int i = 0; i < 99; ++i) entries.push_back({.source = prefix += "stem ", .target = "y"});
  const Glossary glossary(entries, GlossaryMatch::inflected);
  std::string sentence;
  for (int i = 0; i < 20000; ++i) sentence += "stem ";
  EXPECT_GT(glossary.find(sentence).size(), 100u);
}

TEST(ResolveOverlaps, TermsGiveWayOnlyToSpansAroundThem) {
  using text::SpanKind;
  const auto resolved = [](std::vector<Term> terms, std::vector<text::ProtectedSpan> spans) {
    resolve_overlaps(terms, spans);
    return std::pair(terms.size(), spans.size());
  };
  const Term translated{.source = {5, 10}, .target = "x"}, kept{.source = {5, 10}, .target = "x", .is_kept = true};
  const std::pair<std::size_t, std::size_t> term_wins = {1, 0}, span_wins = {0, 1}, both = {1, 1};
  EXPECT_EQ(resolved({translated}, {{SpanKind::number, {6, 8}}}), term_wins);  // "Office 365"
  EXPECT_EQ(resolved({translated}, {{SpanKind::number, {5, 10}}}), term_wins);
  EXPECT_EQ(resolved({translated}, {{SpanKind::url, {0, 20}}}), span_wins);  // "example" in example.com
  EXPECT_EQ(resolved({kept}, {{SpanKind::url, {0, 20}}}), span_wins);
  EXPECT_EQ(resolved({translated}, {{SpanKind::quantity, {8, 12}}}), span_wins);
  EXPECT_EQ(resolved({kept}, {{SpanKind::quantity, {8, 12}}}), term_wins);
  EXPECT_EQ(resolved({translated}, {{SpanKind::quantity, {10, 12}}}), both);
  EXPECT_EQ(resolved({translated}, {{SpanKind::quantity, {3, 5}}}), both);
}

}  // namespace
}  // namespace heed::translate
