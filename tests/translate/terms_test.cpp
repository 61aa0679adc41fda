// Terms in translations: met by every kind of search and model, and written exactly as requested.
#include "translate/terms.h"

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "text/spans.h"
#include "translate/glossary.h"
#include "translate/json.h"
#include "translate/random_model.h"
#include "translate/text_layer.h"

namespace heed::translate {
namespace {

using testing::RandomModel;

std::string slice(const std::string& text, const text::Span& span) {
  return text::encode_utf8(text::part_of(text::decode_utf8(text), span));
}

// Every translation has the texts at the spans that it says, in the order of the line.
void expect_terms(const std::string& line, const LineResult& result,
                  const std::vector<std::pair<std::string, std::string>>& wanted) {
  ASSERT_TRUE(result.done());
  for (const Translation& translation : result.translations) {
    ASSERT_EQ(translation.terms.size(), wanted.size()) << translation.text;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const TermSpan& term = translation.terms[i];
      EXPECT_EQ(slice(line, term.source), wanted[i].first);
      EXPECT_EQ(term.text, wanted[i].second);
      EXPECT_EQ(slice(translation.text, term.target), wanted[i].second) << translation.text;
      const std::u32string text = text::decode_utf8(translation.text);
      const auto is_letter = [&](std::size_t k) {
        return k < text.size() && text::CharacterClasses::get().is(text[k], text::kLetter);
      };
      EXPECT_FALSE(term.target.from > 0 && is_letter(term.target.from - 1)) << translation.text;
      EXPECT_FALSE(is_letter(term.target.to - 1) && is_letter(term.target.to)) << translation.text;
    }
    for (std::size_t i = 0; i < translation.terms.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        EXPECT_FALSE(translation.terms[i].target.from < translation.terms[k].target.to &&
                     translation.terms[k].target.from < translation.terms[i].target.to)
            << translation.text;
  }
}

struct TermsTest : ::testing::Test {
  RandomModel nonsense;
  Translator translator{*nonsense.model, nonsense.pipeline};
  // w5 is known, Köter is not; w6 w7 is kept.
  std::shared_ptr<const Glossary> glossary =
      std::make_shared<Glossary>(std::vector<GlossaryEntry>{{.source = "w3", .target = "w5"},
                                                            {.source = "w4", .target = "Köter w5 C++"},
                                                            {.source = "W6 w7", .target = ""},
                                                            {.source = "new york", .target = ""},
                                                            {.source = "version 7", .target = "Fassung 7"}});

  LineResult translate(const std::string& line, const TranslateOptions& options = {}, TextOptions text = {}) {
    text.glossary = glossary;
    return TextLayer(translator, text).translate(requests_for({&line, 1}), options).front();
  }
};

TEST_F(TermsTest, AreInTheTranslationWhateverTheSearch) {
  const std::string line = "w9 w3 w8 w4 w10 w6 w7 w3";
  for (const search::SearchOptions& search : {search::SearchOptions{},
                                              {.beam = 1},
                                              {.beam = 4, .nbest = 3},
                                              {.beam = 3, .no_repeat = 1},
                                              {.beam = 1, .sample = true, .temperature = 2},
                                              {.beam = 2, .coverage = 0.2}})
    for (const bool attention : {false, true}) {
      TranslateOptions options{.search = search, .length_ratio = 0, .length_extra = 1, .warnings = attention};
      options.search.attention = attention;
      expect_terms(line, translate(line, options),
                   {{"w3", "w5"}, {"w4", "Köter w5 C++"}, {"w6 w7", "w6 w7"}, {"w3", "w5"}});
    }
}

TEST_F(TermsTest, HoldInSentencesChunksAndWithoutProtection) {
  const std::string line = "  w9 w3 ? W4 w8 !  w6 w7 w3 .";
  const std::vector<std::pair<std::string, std::string>> wanted = {
      {"w3", "w5"}, {"W4", "Köter w5 C++"}, {"w6 w7", "w6 w7"}, {"w3", "w5"}};
  expect_terms(line, translate(line), wanted);
  expect_terms(line, translate(line, {}, {.protect = false}), wanted);
  for (const int longest : {1, 2, 3}) {
    const LineResult chunks = translate(line, {.max_source_length = longest}, {.segment = Segmentation::lines});
    EXPECT_GT(chunks.chunks.size(), 2u);
    expect_terms(line, chunks, wanted);
  }
  const Json json = to_json(line, translate(line));
  ASSERT_EQ(json["terms"].size(), 4u);
  EXPECT_EQ(json["terms"][1]["text"], "Köter w5 C++");
  EXPECT_EQ(json["terms"][1]["source_span"], (Json{10, 12}));
  EXPECT_FALSE(to_json("w9", translate("w9")).contains("terms"));
}

TEST_F(TermsTest, GoTogetherWithProtectedSpans) {
  const std::string line = "w9 {name} w4 https://a.org/w3 w3 version 7 w8 12";
  const LineResult result = translate(line);
  expect_terms(line, result, {{"w4", "Köter w5 C++"}, {"w3", "w5"}, {"version 7", "Fassung 7"}});
  ASSERT_EQ(result.best().kept.size(), 3u);
  for (const KeptSpan& kept : result.best().kept)
    EXPECT_EQ(slice(result.best().text, kept.target), kept.text) << result.best().text;
}

// A protected span inside a term belongs to it, whatever its kind; a term inside a span gives way.
TEST_F(TermsTest, ContainProtectedSpans) {
  const Glossary own(std::vector<GlossaryEntry>{{.source = "open {file} now", .target = "{file} jetzt"},
                                                {.source = "see www.x.org", .target = "siehe dort"},
                                                {.source = "10 % off", .target = "10 % billiger"},
                                                {.source = "org", .target = "Org"}});
  TextLayer layer(translator, {});
  const auto translated = [&](const std::string& line) {
    const TranslateRequest request{.text = line, .glossary = &own};
    return layer.translate({&request, 1}, {}).front();
  };
  const std::string line = "w9 open {file} now w8 see www.x.org w7 10 % off {file}";
  const LineResult result = translated(line);
  expect_terms(line, result,
               {{"open {file} now", "{file} jetzt"}, {"see www.x.org", "siehe dort"}, {"10 % off", "10 % billiger"}});
  // The spans inside the terms are not put in a second time.
  ASSERT_EQ(result.best().kept.size(), 1u);
  EXPECT_EQ(result.best().kept[0].source.from, line.rfind("{file}"));
  EXPECT_EQ(result.best().text.find("www.x.org"), std::string::npos) << result.best().text;
  const LineResult address = translated("w9 www.x.org w8");
  EXPECT_TRUE(address.best().terms.empty());
  EXPECT_NE(address.best().text.find("www.x.org"), std::string::npos);
}

TEST_F(TermsTest, AreMetByModelsOfCharactersAndWithoutAttention) {
  for (const char* preset : {"bahdanau-lstm", "vanilla"})
    for (const char* tokenizer : {"whitespace", "words", "characters", "word-characters"}) {
      const RandomModel other(preset, {.tokenizer = tokenizer});
      Translator own(*other.model, other.pipeline);
      const std::string line = "w9 w3 w8 w4";
      for (const int beam : {1, 4}) {
        TextLayer layer(own, {});
        const TranslateRequest request{.text = line, .glossary = glossary.get()};
        expect_terms(line, layer.translate({&request, 1}, {.search = {.beam = beam}}).front(),
                     {{"w3", "w5"}, {"w4", "Köter w5 C++"}});
      }
    }
}

TEST_F(TermsTest, CapitalizeTheStartOfTheTranslation) {
  const Glossary lower(std::vector<GlossaryEntry>{{.source = "w3", .target = "ähnlich"}});
  TextLayer layer(translator, {});
  for (const auto& [line, expected] : {std::pair("W3", "Ähnlich"), {"w3", "ähnlich"}}) {
    TranslateOptions options;
    options.search.beam = 1;
    const TranslateRequest request{.text = line, .prefix = {}, .options = nullptr, .glossary = &lower};
    const LineResult result = layer.translate({&request, 1}, options).front();
    const TermSpan& term = result.best().terms.at(0);
    EXPECT_EQ(term.text, term.target.from == 0 ? expected : "ähnlich") << result.best().text;
  }
  Translation translation{.text = "( <unk> w5", .attention = {}, .probabilities = {}};
  translation.attention.target = {{"(", {0, 1}}, {"<unk>", {2, 7}}, {"w5", {8, 10}}};
  TermConstraints terms;
  terms.terms = {{.source = {0, 2}, .target = "ähnlich", .capitalize = true},
                 {.source = {3, 4}, .target = "missing"},
                 {.source = {5, 6}, .target = "optional", .required = false}};
  terms.words = {{2}, {3}, {4}};
  terms.term_of = {0, 1, 2};
  place_terms(translation, terms, std::vector<Index>{1, -1, -1}, "w3 w4 w6");
  EXPECT_EQ(translation.text, "( Ähnlich w5 missing");
  EXPECT_EQ(translation.attention.target[1].text, "Ähnlich");
  EXPECT_EQ(translation.attention.target[2].span, (text::Span{10, 12}));
  ASSERT_EQ(translation.terms.size(), 2u);
  EXPECT_EQ(translation.terms[1].target, (text::Span{13, 20}));
}

// Attention of each token of the translation to one token of the line.
text::AttentionMatrix linked(std::vector<text::Token> source, std::vector<text::Token> target,
                             const std::vector<std::size_t>& attended) {
  text::AttentionMatrix map{.source = std::move(source), .target = std::move(target), .weights = {}};
  map.weights.assign(map.source.size() * map.target.size(), 0.0F);
  for (std::size_t t = 0; t < attended.size(); ++t) map.weights[t * map.source.size() + attended[t]] = 1;
  return map;
}

TEST(TermPlaces, TermsWithoutConstraintsReplaceWhatAttendedToThem) {
  // The subwords "Bern" and "hardiner" are one word.
  const auto place = [](const std::vector<Term>& terms, std::size_t fixed = 0, std::vector<std::size_t> attended = {}) {
    Translation translation{.text = "Der Bernhardiner sieht Oma.", .attention = {}, .probabilities = {}};
    if (attended.empty()) attended = {0, 1, 1, 2, 3, 3};
    translation.attention = linked({{"The", {0, 3}}, {"dog", {4, 7}}, {"sees", {8, 12}}, {"granny", {13, 19}}},
                                   {{"Der", {0, 3}},
                                    {"Bern", {4, 8}},
                                    {"hardiner", {8, 16}},
                                    {"sieht", {17, 22}},
                                    {"Oma", {23, 26}},
                                    {".", {26, 27}}},
                                   attended);
    TermConstraints wanted;
    wanted.terms = terms;
    wanted.words.resize(terms.size());
    place_terms(translation, wanted, {}, "The dog sees granny", fixed);
    EXPECT_EQ(translation.terms.size(), terms.size());
    for (const TermSpan& term : translation.terms) EXPECT_EQ(slice(translation.text, term.target), term.text);
    return translation.text;
  };
  const Term dog{.source = {4, 7}, .target = "Köter"}, sees{.source = {8, 12}, .target = "guckt an"};
  EXPECT_EQ(place({dog}), "Der Köter sieht Oma.");
  EXPECT_EQ(place({dog, sees}), "Der Köter guckt an Oma.");
  EXPECT_EQ(place({{.source = {4, 12}, .target = "Köter glotzt"}}), "Der Köter glotzt Oma.");
  EXPECT_EQ(place({{.source = {0, 3}, .target = "ein", .capitalize = true}}), "Ein Bernhardiner sieht Oma.");
  // A prefix does not change, nor does punctuation.
  EXPECT_EQ(place({dog}, 3), "Der Köter Bernhardiner sieht Oma.");
  EXPECT_EQ(place({{.source = {13, 19}, .target = "Omi"}}), "Der Bernhardiner sieht Omi.");
  // Nothing attended to the term: it follows the word before it.
  EXPECT_EQ(place({dog}, 0, {0, 2, 2, 2, 3, 3}), "Der Köter Bernhardiner sieht Oma.");
  EXPECT_EQ(place({{.source = {0, 3}, .target = "Ach"}}, 0, {1, 1, 1, 2, 3, 3}), "Ach Der Bernhardiner sieht Oma.");
}

TEST(TermPlaces, FailedConstraintsAreDropped) {
  const auto make = [] {
    TermConstraints terms;
    terms.terms = {{.source = {0, 1}, .target = "a b"},
                   {.source = {2, 3}, .target = "c"},
                   {.source = {4, 5}, .target = "d", .required = false}};
    terms.words = {{1, 2}, {3}, {4}};
    for (std::size_t i = 0; i < terms.words.size(); ++i) {
      terms.constraints.push_back({.words = terms.words[i], .required = terms.terms[i].required});
      terms.term_of.push_back(i);
    }
    return terms;
  };
  search::Hypothesis found{.words = {1, 2, 3, 4}, .word_log_probabilities = {-9, -0.1F, -9, -9}};
  found.constraints = {0, 2, 3};
  TermConstraints terms = make();
  EXPECT_FALSE(terms.replaces());
  ASSERT_TRUE(terms.drop_failed(found, 0));
  EXPECT_TRUE(terms.constraints.empty());
  EXPECT_TRUE(terms.replaces());
  // What was prescribed stays.
  terms = make();
  ASSERT_TRUE(terms.drop_failed(found, 1));
  EXPECT_EQ(terms.term_of, (std::vector<std::size_t>{0}));
  terms = make();
  found.constraints = {0, 2, 3};
  ASSERT_TRUE(terms.drop_failed(found, 3));
  EXPECT_EQ(terms.term_of, (std::vector<std::size_t>{0, 1}));
  EXPECT_FALSE(terms.replaces());  // the third is only preferred
  found.word_log_probabilities = {-1, -1, -1, -1};
  EXPECT_FALSE(make().drop_failed(found, 0));
  found.constraints = {0, -1, 3};
  terms = make();
  ASSERT_TRUE(terms.drop_failed(found, 0));
  EXPECT_EQ(terms.term_of, (std::vector<std::size_t>{0, 2}));
  EXPECT_TRUE(terms.replaces());
}

TEST_F(TermsTest, ChangeNothingElse) {
  const std::vector<std::string> lines = {"w8 w9 .", "w10 w11 w12", "w3 w9"};
  std::vector<TranslateRequest> requests = requests_for(lines);
  TextLayer layer(translator, {});
  const std::vector<LineResult> without = layer.translate(requests, {});
  for (TranslateRequest& request : requests) request.glossary = glossary.get();
  const std::vector<LineResult> with = layer.translate(requests, {.batch = 1});
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(with[i].best().text, without[i].best().text);
    EXPECT_EQ(with[i].best().score, without[i].best().score);
  }
  // A target is only scored.
  requests[2].target = "w8";
  EXPECT_EQ(layer.translate(requests, {})[2].best().text, "w8");
}

}  // namespace
}  // namespace heed::translate
