#include "translate/sentence_case.h"

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "text/letter_case.h"
#include "translate/random_model.h"
#include "translate/text_layer.h"

namespace heed::translate {
namespace {

using testing::RandomModel;

TEST(SentenceCase, FindsCapitalsAndHeadlines) {
  for (const char* upper : {"THE DOG", "NO WAY!", "WARNING", "ACHTUNG!", "I AM HERE", "ÜBER ÖL",
                            "SEE {name} AT THE STATION AND http://a.de/b NOW", "ПРИВЕТ МИР"})
    EXPECT_EQ(find_case(upper, "en"), SentenceCase::upper) << upper;
  for (const char* title :
       {"The Dog Sleeps", "A Dog in Paris", "War and Peace", "What We Know?",
        "The Old Man and the Dogs Were Here Today", "Seven People Killed in Berlin: {user} Reports"})
    EXPECT_EQ(find_case(title, "en"), SentenceCase::title) << title;
  for (const char* normal :
       {"", "USA", "OK", "A B", "The dog", "THE dog", "The USA and the UN", "犬 猫", "12 34", "Anna Smith sees Paris",
        "Anna Smith", "I see Mary", "I Saw Mary.", "{NAME} {OTHER}", "John Fitzgerald Kennedy met people"})
    EXPECT_EQ(find_case(normal, "en"), SentenceCase::normal) << normal;
  EXPECT_EQ(find_case("Hunde Katzen Mäuse Vögel Fische", "de"), SentenceCase::normal);
}

// A pipeline that knows some words.
TextPipeline pipeline_of(const std::vector<std::string>& known, const text::TextConfig& config) {
  TextPipeline pipeline(config);
  std::vector<std::string> words = {"<sos>", "<eos>", "<unk>"};
  words.insert(words.end(), known.begin(), known.end());
  const text::Vocabulary vocabulary(words, {.sos = 0, .eos = 1, .unk = 2});
  pipeline.set_vocabularies(vocabulary, vocabulary);
  return pipeline;
}

TEST(SentenceCase, ReadsWordsAsTheModelKnowsThem) {
  const TextPipeline pipeline =
      pipeline_of({"the", "dog", "Dog", "Paris", "USA", "The", "and", "in", "NATO", "nato"}, {.tokenizer = "words"});
  const auto read = [&](const std::string& line) { return recase(line, find_case(line, "en"), pipeline); };
  EXPECT_EQ(read("THE DOG IN THE USA, PARIS"), "The dog in the USA, Paris");
  EXPECT_EQ(read("THE KOWALSKI"), "The Kowalski");  // probably a name
  EXPECT_EQ(read("THE NATO"), "The NATO");          // the more frequent one
  EXPECT_EQ(read("THE DOG {THE} HTTP://THE.DE/DOG DOG"), "The dog {THE} HTTP://THE.DE/DOG dog");
  EXPECT_EQ(read("The Dog and Your Friends Were in Paris"), "The dog and Your Friends Were in Paris");
  EXPECT_EQ(read("the DOG"), "the DOG");
  // A few words may be a name: what the model knows as it is written stays.
  EXPECT_EQ(read("The Nato in Paris"), "The nato in Paris");
  EXPECT_EQ(read("Your Dog in Paris"), "Your Dog in Paris");
  EXPECT_EQ(read("CATS AND DOG"), "Cats and dog");
  const TextPipeline lower = pipeline_of({"the", "dog"}, {.tokenizer = "words", .normalize = {"lowercase"}});
  EXPECT_EQ(recase("THE DOG", SentenceCase::upper, lower), "THE DOG");
}

TEST(SentenceCase, ReadsAFirstWordThatTheModelKnowsInLowerCaseOnly) {
  const TextPipeline pipeline = pipeline_of({"the", "dog", "Paris", "paris", "us", "bites"}, {.tokenizer = "words"});
  const auto read = [&](const std::string& line) {
    const SentenceCase found = find_case(line, pipeline);
    return recase(line, found, pipeline) + (found == SentenceCase::initial ? " [initial]" : "");
  };
  EXPECT_EQ(read("Dog"), "dog [initial]");
  EXPECT_EQ(read("\"Dog,\" Bob bites."), "\"dog,\" Bob bites. [initial]");
  for (const char* kept : {"Paris bites", "dog", "Bob bites", "Dog.exe bites", "3 Dog", "{name} Dog", "Dog/Cat", "US",
                           "DOG bites", "Dog's", ""})
    EXPECT_EQ(read(kept), kept);
  EXPECT_EQ(find_case("DOG!", pipeline), SentenceCase::upper);
  EXPECT_EQ(read("DOG!"), "dog!");
  EXPECT_EQ(read("DOG BITES"), "dog bites");
  LineResult result{.translations = {{.text = "„hund beißt"}}};
  restore_case(result, SentenceCase::initial, "Dog bites", pipeline);
  EXPECT_EQ(result.best().text, "„Hund beißt");
  // Models that write lower case, and those of subwords, know no other case, or all.
  EXPECT_EQ(find_case("Dog", pipeline_of({"dog"}, {.tokenizer = "words", .normalize = {"lowercase"}})),
            SentenceCase::normal);
  EXPECT_EQ(find_case("Dog", pipeline_of({"dog"}, {.tokenizer = "characters"})), SentenceCase::normal);
}

TEST(SentenceCase, KeepsThePositionOfEveryByte) {
  const TextPipeline pipeline = pipeline_of({"a"}, {.tokenizer = "words"});
  // The lower case of ẞ, İ and the Kelvin sign is shorter.
  const std::string line = "STRAẞE İSTANBUL \u212AELVIN ÄÖÜ ΣΑΣ";
  const std::string read = recase(line, SentenceCase::upper, pipeline);
  EXPECT_EQ(text::byte_offsets(read), text::byte_offsets(line));
  EXPECT_NE(read, line);
}

TEST(SentenceCase, IsRestoredWithAllSpans) {
  const TextPipeline german = pipeline_of({"a"}, {.tokenizer = "words", .target_language = "de"});
  LineResult result{.translations = {{.text = "die große {name} Straße"}}};
  result.translations[0].attention.target = {
      {"die", {0, 3}}, {"große", {4, 9}}, {"{name}", {10, 16}}, {"Straße", {17, 23}}};
  result.translations[0].kept = {{"{name}", text::SpanKind::placeholder, {8, 14}, {10, 16}}};
  result.warnings = {{Warning::Kind::repetition, "große", {4, 9}}, {Warning::Kind::unattended, "big", {4, 7}}};
  LineResult title = result;
  restore_case(result, SentenceCase::upper, "THE BIG {name} ROAD", german);
  const Translation& upper = result.best();
  EXPECT_EQ(upper.text, "DIE GROSSE {name} STRASSE");
  EXPECT_EQ(upper.attention.target[1].span, (text::Span{4, 10}));
  EXPECT_EQ(upper.attention.target[3].span, (text::Span{18, 25}));
  EXPECT_EQ(upper.kept[0].target, (text::Span{11, 17}));
  EXPECT_EQ(result.warnings[0].text, "GROSSE");
  EXPECT_EQ(result.warnings[1].text, "BIG");
  restore_case(title, SentenceCase::title, "The Big {name} Road", german);
  EXPECT_EQ(title.best().text, "die große {name} Straße");  // German headlines are sentences
  const TextPipeline english = pipeline_of({"a"}, {.tokenizer = "words", .target_language = "en"});
  LineResult headline{.translations = {{.text = "the dog of three older friends"}}};
  restore_case(headline, SentenceCase::title, "X", english);
  EXPECT_EQ(headline.best().text, "The dog of Three Older Friends");
}

TEST(SentenceCase, IsHandledByTheTextLayer) {
  const RandomModel nonsense;
  const TextPipeline pipeline = pipeline_of({"dog", "cat", "man", "day", "sun", "sea", "car", "tea", "ice", "sky",
                                             "egg", "cup", "hat", "bus", "key", "map", "pen"},
                                            {.tokenizer = "whitespace"});
  Translator translator(*nonsense.model, pipeline);
  const auto translate = [&](const std::string& line, bool restores) {
    TextLayer layer(translator, {.copy_names = false, .restore_case = restores, .stop_repetition = false});
    return layer.translate(requests_for({&line, 1}), {.warnings = true}).front();
  };
  const LineResult upper = translate("sun sea ? DOG CAT {name} MAN zoo@a.de DAY !", true);
  const LineResult lower = translate("dog cat {name} man zoo@a.de day !", false);
  ASSERT_EQ(upper.chunks.size(), 2u);
  EXPECT_EQ(upper.chunks[0].best().text, translate("sun sea ?", false).best().text);  // in lower case
  std::string raised = text::upper_case(lower.best().text);
  raised.replace(raised.find("{NAME}"), 6, "{name}");
  raised.replace(raised.find("ZOO@A.DE"), 8, "zoo@a.de");
  EXPECT_EQ(upper.chunks[1].best().text, raised);
  EXPECT_NE(raised, lower.best().text);
  EXPECT_EQ(upper.chunks[1].best().attention.weights, lower.best().attention.weights);
  EXPECT_EQ(token_texts(upper.chunks[1].best().attention.target), token_texts(lower.best().attention.target));
  for (const Warning& warning : upper.warnings)
    if (warning.kind == Warning::Kind::unknown && warning.span.from > 9) {
      EXPECT_EQ(warning.text, "!");
    }
  EXPECT_EQ(translate("DOG CAT MAN", false).best().text,
            translator.translate(std::vector<std::string>{"DOG CAT MAN"}, {}).front().best().text);
}

// What a document keeps, such as code, does not tell the case of a sentence, and does not change.
TEST(SentenceCase, IsRestoredAroundKeptText) {
  const RandomModel nonsense;
  const TextPipeline pipeline = pipeline_of({"dog", "cat", "man", "day", "sun", "sea", "car", "tea", "ice", "sky",
                                             "egg", "cup", "hat", "bus", "key", "map", "pen"},
                                            {.tokenizer = "whitespace"});
  Translator translator(*nonsense.model, pipeline);
  const std::vector<text::Span> kept = {{8, 11}};
  const auto translated = [&](const std::string& line) {
    const TranslateRequest request{.text = line, .kept = kept};
    TextLayer layer(translator, {.copy_names = false, .stop_repetition = false});
    return layer.translate({&request, 1}, {}).front().best().text;
  };
  std::string raised = text::upper_case(translated("dog cat zzz man day"));
  ASSERT_NE(raised.find("ZZZ"), raised.npos) << raised;
  raised.replace(raised.find("ZZZ"), 3, "zzz");
  EXPECT_EQ(translated("DOG CAT zzz MAN DAY"), raised);
}

}  // namespace
}  // namespace heed::translate
