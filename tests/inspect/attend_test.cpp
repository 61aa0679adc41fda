#include "inspect/attend.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "base/utf8.h"
#include "inspect/attend_views.h"
#include "support/files.h"
#include "translate/random_model.h"

namespace heed::testing {
namespace {

constexpr const char* kSentence = "w3 w4 w5 w6";

inspect::AttendOptions beam(int width, int nbest = 1) {
  inspect::AttendOptions options;
  options.translate.search.beam = width;
  options.translate.search.nbest = nbest;
  return options;
}

inspect::AttendOptions forced(const std::string& target) {
  inspect::AttendOptions options = beam(1);
  options.target = target;
  options.forced = true;
  return options;
}

// Models in files, for attend() with paths.
class Attend : public ::testing::Test {
 protected:
  std::string save(const char* preset, const text::TextConfig& text = {.tokenizer = "whitespace"}) {
    const std::string path = directory_.file(std::string(preset) + ".safetensors");
    RandomModel(preset, text).save(path);
    return path;
  }
  inspect::AttendedSentence seen(std::initializer_list<const char*> presets, const inspect::AttendOptions& options) {
    std::vector<std::string> paths;
    for (const char* preset : presets) paths.push_back(save(preset));
    return attend(paths, kSentence, options);
  }

  TemporaryDirectory directory_;
};

template <class E, class F>
std::string message(F act) {
  try {
    act();
  } catch (const E& error) {
    return error.what();
  }
  return "(nothing)";
}

TEST_F(Attend, IsTheTranslatorsResult) {
  translate::Translator translator(save("bahdanau-lstm"));
  const inspect::AttendOptions options = beam(4, 3);
  const std::string line = kSentence;
  const translate::LineResult found = attend(translator, line, options);
  const translate::LineResult expected = translator.translate({&line, 1}, options.translate).front();
  ASSERT_EQ(found.translations.size(), expected.translations.size());
  for (std::size_t i = 0; i < found.translations.size(); ++i) {
    EXPECT_EQ(found.translations[i].text, expected.translations[i].text);
    EXPECT_EQ(found.translations[i].attention.weights, expected.translations[i].attention.weights);
    EXPECT_FALSE(found.translations[i].attention.weights.empty());
  }
}

TEST_F(Attend, DecodesAForcedTranslationToItsEnd) {
  translate::Translator translator(save("bahdanau-lstm"));
  const translate::LineResult found = attend(translator, kSentence, forced("w7 unheard w9"));
  ASSERT_EQ(found.translations.size(), 1u);
  EXPECT_EQ(token_texts(found.best().attention.target), (std::vector<std::string>{"w7", "<unk>", "w9", "<eos>"}));
  const std::vector<std::string> source{kSentence}, target{"w7 unheard w9"};
  const translate::ScoredPair scored = translator.score(source, target).front();
  double sum = 0;
  for (const float log_probability : scored.log_probabilities) sum += log_probability;
  EXPECT_NEAR(found.best().log_probability, sum, 1e-4);
  ASSERT_EQ(found.best().attention.weights.size(), scored.attention.weights.size());
  for (std::size_t i = 0; i < scored.attention.weights.size(); ++i)
    EXPECT_NEAR(found.best().attention.weights[i], scored.attention.weights[i], 1e-5);
  EXPECT_EQ(attend(translator, kSentence, forced("")).best().text, "");
}

TEST_F(Attend, RefusesASentenceWithoutWords) {
  translate::Translator translator(save("bahdanau-lstm"));
  for (const char* blank : {"", "  "}) {
    EXPECT_NE(message<UsageError>([&] { attend(translator, blank, beam(2)); }).find("no words"), std::string::npos);
    EXPECT_NE(message<UsageError>([&] { attend(translator, blank, forced("w3")); }).find("no words"),
              std::string::npos);
  }
}

TEST_F(Attend, RepairsBadUtf8) {
  translate::Translator translator(save("bahdanau-lstm"));
  inspect::AttendOptions options = beam(2);
  options.words = true;
  EXPECT_EQ(attend(translator, "w3 \xff w4", options).best().attention.source[1].text, "\ufffd");
}

TEST_F(Attend, SpansInJsonLieWithinThePrintedText) {
  const std::vector<std::string> paths = {save("bahdanau-lstm", {.tokenizer = "characters"})};
  for (const std::string line :
       {"w3 \xe2\x82 w4", "\xed\xa0\x80 w3\xc0\xaf", "\xf0\x9f\x98w4 \xff", "\xc2\x9b\xe2 \u00e9"}) {
    for (const bool words : {false, true}) {
      inspect::AttendOptions options = beam(2);
      options.words = words;
      const Json json = parse_json(dump_json(to_json(attend(paths, line, options))), "t");
      const std::string text = json["text"];
      EXPECT_EQ(text, replace_bad_utf8(line));
      for (const auto& [key, whole] :
           {std::pair("source_spans", text), std::pair("target_spans", json["translation"].get<std::string>())})
        for (const Json& span : json[key]) EXPECT_LE(span[1].get<std::size_t>(), utf8_length(whole)) << json;
      EXPECT_EQ(json["source_spans"].back()[1], utf8_length(text)) << json;
    }
  }
}

TEST_F(Attend, MergesTokensIntoWords) {
  translate::Translator translator(save("bahdanau-lstm", {.tokenizer = "characters"}));
  inspect::AttendOptions options = beam(2);
  const text::AttentionMatrix tokens = attend(translator, "ab Cd", options).best().attention;
  options.words = true;
  const text::AttentionMatrix words = attend(translator, "ab Cd", options).best().attention;
  ASSERT_EQ(token_texts(words.source), (std::vector<std::string>{"ab", "Cd", "<eos>"}));
  ASSERT_EQ(tokens.source.size(), 6u);
  const float sum = std::accumulate(words.weights.begin(), words.weights.end(), 0.0F);
  EXPECT_NEAR(sum, static_cast<float>(words.target.size()), 1e-4);
}

TEST_F(Attend, GivesEachChunkOfALongLineItsOwnMap) {
  inspect::AttendOptions options = beam(2);
  options.translate.max_source_length = 2;
  const inspect::AttendedSentence cut = seen({"bahdanau-lstm"}, options);
  const std::vector<viz::Heatmap> maps = heatmaps(cut);
  ASSERT_EQ(maps.size(), 2u);
  EXPECT_EQ(token_texts(maps[0].attention.source), (std::vector<std::string>{"w3", "w4", "<eos>"}));
  EXPECT_EQ(token_texts(maps[1].attention.source), (std::vector<std::string>{"w5", "w6", "<eos>"}));
  EXPECT_TRUE(maps[0].attention.has_weights() && maps[1].attention.has_weights());
  const Json json = to_json(cut);
  EXPECT_TRUE(json["attention"].is_null());
  EXPECT_EQ(json["pieces"].size(), 2u);
  EXPECT_EQ(json["pieces"][1]["source_spans"][0], Json::parse("[6,8]"));

  inspect::AttendOptions words = options;
  words.words = true;
  EXPECT_EQ(token_texts(heatmaps(seen({"bahdanau-lstm"}, words)).at(1).attention.source),
            (std::vector<std::string>{"w5", "w6", "<eos>"}));
  EXPECT_THROW(step_page(cut), UsageError);
  inspect::AttendOptions gold = options;
  gold.gold = "0-0";
  EXPECT_THROW(seen({"bahdanau-lstm"}, gold), UsageError);
  inspect::AttendOptions long_forced = forced("w7");
  long_forced.translate.max_source_length = 2;
  EXPECT_THROW(seen({"bahdanau-lstm"}, long_forced), UsageError);
}

TEST_F(Attend, TitlesNameTheModelAndItsAttention) {
  const auto one = heatmaps(seen({"bahdanau-lstm"}, beam(2)));
  EXPECT_EQ(one.at(0).title + one.at(0).subtitle, "");
  const auto several = heatmaps(seen({"bahdanau-lstm", "alignment-gru", "vanilla"}, beam(2)));
  ASSERT_EQ(several.size(), 3u);
  EXPECT_EQ(several[0].title, "bahdanau-lstm");
  EXPECT_NE(several[0].subtitle.find("before the cell"), std::string::npos);
  EXPECT_NE(several[1].subtitle.find("the same at every step"), std::string::npos);
  EXPECT_FALSE(several[2].attention.has_weights());
  const inspect::AttendedSentence ranked = seen({"bahdanau-lstm"}, beam(3, 2));
  EXPECT_EQ(heatmaps(ranked).at(1).subtitle, fmt::format("{:.3f}  {}", ranked.models[0].line.translations[1].score,
                                                         ranked.models[0].line.translations[1].text));
}

TEST_F(Attend, JsonIsAListForSeveralTranslations) {
  const Json one = to_json(seen({"bahdanau-lstm"}, beam(2)));
  EXPECT_EQ(one["text"], kSentence);
  EXPECT_EQ(one["system"], "bahdanau-lstm");
  EXPECT_FALSE(one.contains("pieces"));
  EXPECT_EQ(to_json(seen({"bahdanau-lstm"}, beam(2, 2))).size(), 2u);
  EXPECT_EQ(to_json(seen({"bahdanau-lstm", "vanilla"}, beam(2)))[1]["attention"], Json());
}

TEST_F(Attend, StepPageHoldsTheNumbersAndEscapesTheWords) {
  inspect::AttendOptions options = beam(2, 2);
  options.translate.search.trace = 3;
  inspect::AttendedSentence traced = seen({"bahdanau-lstm", "vanilla"}, options);
  traced.text = "</script><script>alert(1)</script>";
  const std::string page = step_page(traced);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  const std::string open = "id=\"data\">";
  const std::size_t from = page.find(open) + open.size();
  const Json data = parse_json(page.substr(from, page.find("</script>", from) - from), "page")["page"];
  const Json& model = data["models"][0];
  const translate::LineResult& line = traced.models[0].line;
  EXPECT_EQ(model["place"], "before");
  EXPECT_EQ(data["models"][1]["place"], "none");
  ASSERT_EQ(model["encoder"].size(), line.best().attention.source.size());
  ASSERT_EQ(model["hypotheses"].size(), 2u);
  const Json& steps = model["hypotheses"][0]["steps"];
  ASSERT_EQ(steps.size(), line.best().attention.target.size());
  EXPECT_EQ(steps[0]["input"], "<sos>");
  EXPECT_EQ(steps[0]["choices"].size(), 3u);
  EXPECT_EQ(steps[0]["state"]["size"], 12);
  EXPECT_LE(steps[0]["context"]["first"].size(), inspect::kShownComponents);
  for (std::size_t t = 0; t < steps.size(); ++t) {
    EXPECT_EQ(steps[t]["word"], line.best().attention.target[t].text);
    EXPECT_NEAR(steps[t]["probability"].get<double>(), line.best().probabilities[t], 1e-5);
  }
  EXPECT_EQ(model["hypotheses"][0]["map"]["weights"].size(), steps.size());
  EXPECT_THROW(step_page(seen({"bahdanau-lstm"}, beam(2))), ShapeError);
}

// The options after resolve() of a command line.
inspect::AttendOptions parsed(const std::vector<std::string>& arguments, bool page = false) {
  inspect::AttendOptions options;
  Options registry;
  declare(registry, options);
  registry.parse(arguments);
  resolve(options, registry, page);
  return options;
}

TEST(AttendOptionsResolve, DefaultsFollowOtherOptions) {
  EXPECT_EQ(parsed({}).translate.search.beam, 5);
  EXPECT_EQ(parsed({}).translate.search.trace, 0);
  EXPECT_EQ(parsed({"--nbest", "8"}).translate.search.beam, 8);
  EXPECT_EQ(parsed({}, true).translate.search.nbest, 5);
  EXPECT_EQ(parsed({"--beam", "3"}, true).translate.search.nbest, 3);
  EXPECT_GT(parsed({}, true).translate.search.trace, 0);
  EXPECT_TRUE(parsed({"--target", "x"}).forced);
  EXPECT_EQ(parsed({"--target", "x"}, true).translate.search.nbest, 1);
}

TEST(AttendOptionsResolve, RefusesContradictions) {
  EXPECT_THROW(parsed({"--target", ""}), UsageError);
  EXPECT_THROW(parsed({"--target", "x", "--beam", "2"}), UsageError);
  EXPECT_THROW(parsed({"--target", "x", "--nbest", "1"}), UsageError);
  EXPECT_THROW(parsed({"--beam", "2", "--nbest", "3"}), UsageError);
  EXPECT_THROW(parsed({"--gold-base", "1"}), UsageError);
  EXPECT_THROW(parsed({"--words"}, true), UsageError);
  EXPECT_THROW(parsed({"--gold", "0-0"}, true), UsageError);
}

}  // namespace
}  // namespace heed::testing
