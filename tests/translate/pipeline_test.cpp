// Text to ids and back, the pipeline in a model file, and learned subwords.
#include "translate/pipeline.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "data/subword_learning.h"
#include "model/presets.h"
#include "support/files.h"
#include "text/subwords.h"

namespace heed::testing {
namespace {

std::string spans(const translate::TextPipeline::TargetText& written) {
  std::string all;
  for (const text::Token& token : written.tokens) all += fmt::format("{}-{} ", token.span.from, token.span.to);
  return all;
}

translate::TextPipeline pipeline_of(const std::string& tokenizer, const std::string& language = "") {
  return translate::TextPipeline({.tokenizer = tokenizer, .target_language = language});
}

TEST(Pipeline, DetokenizesAndFindsTheSpanOfEachToken) {
  const auto words = pipeline_of("words", "en").detokenize({"It", "'s", "ä", "well", "@-@", "known", "dog", "."});
  EXPECT_EQ(words.text, "It's ä well-known dog.");
  EXPECT_EQ(spans(words), "0-2 2-4 5-6 7-11 11-12 12-17 18-21 21-22 ");
  const auto characters = pipeline_of("characters").detokenize({"a", "\u2581", "ü", "b"});
  EXPECT_EQ(characters.text, "a üb");
  EXPECT_EQ(spans(characters), "0-1 1-1 2-3 3-4 ");
}

TEST(Pipeline, DetokenizesToOneLineEvenWithLineEndsInTokens) {
  EXPECT_EQ(pipeline_of("whitespace").detokenize({"a\nb", "c\r"}).text, "a b c ");
}

class Files : public ::testing::Test {
 protected:
  Files() {
    std::string source, target;
    for (int i = 0; i < 200; ++i) {
      source += fmt::format("The small house number {} stands near the lake.\n", i);
      target += fmt::format("Das kleine Haus Nummer {} steht nahe am See.\n", i);
    }
    write_file_atomically(corpus_.source, source);
    write_file_atomically(corpus_.target, target);
  }

  // Saves a model with this pipeline and reads it back.
  translate::TextPipeline through_a_file(const translate::TextPipeline& pipeline) {
    model::ModelConfig config = model::preset_config("vanilla");
    config.encoder.hidden = config.decoder.hidden = 8;
    config.encoder.embedding = config.decoder.embedding = 8;
    const text::SpecialIds& ids = pipeline.target().special();
    config.vocabulary = {.source = static_cast<int>(pipeline.source().size()),
                         .target = static_cast<int>(pipeline.target().size()),
                         .sos = ids.sos,
                         .eos = ids.eos,
                         .unk = ids.unk};
    const std::string path = directory_.file("model");
    save_model(path, model::Model(config), pipeline.metadata());
    return translate::read_pipeline(model::load_model(path), path);
  }

  TemporaryDirectory directory_;
  data::CorpusFiles corpus_{.source = directory_.file("source"), .target = directory_.file("target")};
};

TEST_F(Files, LearnsSubwordsAndKeepsThemInAModelFile) {
  for (const char* kind : {"bpe", "unigram"}) {
    for (const bool joint : {false, true}) {
      const text::TextConfig config{
          .tokenizer = kind, .normalize = {"lowercase"}, .subwords = 60, .subword_joint = joint};
      translate::TextPipeline pipeline(config, learn_subwords(corpus_, {}, config, 1));
      const auto vocabulary = [](const text::Tokenizer& t) {
        return closed_vocabulary(t.closed_vocabulary(), text::kSpecialNames);
      };
      pipeline.set_vocabularies(vocabulary(pipeline.source_tokenizer()), vocabulary(pipeline.target_tokenizer()));
      EXPECT_EQ(pipeline.source().serialize() == pipeline.target().serialize(), joint);
      const translate::TextPipeline again = through_a_file(pipeline);
      const std::string line = "The small See stands";
      const auto pieces = token_texts(pipeline.source_tokenizer().tokenize(line));
      EXPECT_GT(pieces.size(), 3u);
      EXPECT_EQ(token_texts(again.source_tokenizer().tokenize(line)), pieces);
      EXPECT_EQ(again.target_tokenizer().closed_vocabulary(), pipeline.target_tokenizer().closed_vocabulary());
      for (const std::string& piece : pieces) EXPECT_GT(again.source().id(piece), 2) << piece;
      const auto written = again.detokenize(token_texts(again.target_tokenizer().tokenize("das haus am see")));
      EXPECT_EQ(written.text, "das haus am see");
      EXPECT_EQ(written.tokens.back().span.to, 15u);
    }
  }
}

TEST_F(Files, KeepsWordsThatNeedEscapes) {
  translate::TextPipeline pipeline(text::TextConfig{.tokenizer = "characters"});
  const text::Vocabulary words({"<sos>", "<eos>", "<unk>", "\\", "\r", "a"}, {.sos = 0, .eos = 1, .unk = 2});
  pipeline.set_vocabularies(words, words);
  const translate::TextPipeline again = through_a_file(pipeline);
  EXPECT_EQ(again.source().id("\\"), 3);
  EXPECT_EQ(again.source().id("\r"), 4);
}

TEST_F(Files, ExplainsWhatIsWrongWithAFile) {
  translate::TextPipeline pipeline(text::TextConfig{.tokenizer = "whitespace"});
  const text::Vocabulary words({"<sos>", "<eos>", "<unk>", "a"}, {.sos = 0, .eos = 1, .unk = 2});
  pipeline.set_vocabularies(words, words);
  model::ModelConfig config = model::preset_config("vanilla");
  config.vocabulary = {.source = 5, .target = 4};
  model::ModelFile file;
  file.model = std::make_unique<model::Model>(config);
  const auto failure = [&]() -> std::string {
    try {
      translate::read_pipeline(file, "model");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(failure(), "model: the model has no source vocabulary, so it cannot read text");
  file.metadata = pipeline.metadata();
  EXPECT_EQ(failure(), "model: the source vocabulary has 4 words, but the model has 5");
  file.metadata = {{text::kTextKey, "[data]\ntokenizer = \"bpe\"\n"}};
  EXPECT_EQ(failure(), "model: the metadata has no heed.subwords.source, which its tokenizer bpe needs");
  file.metadata.emplace_back(translate::kSourceSubwordsKey, "AAAA");
  file.metadata.emplace_back(translate::kTargetSubwordsKey, "AAAA");
  EXPECT_NE(failure().find("subword model cannot be read"), std::string::npos) << failure();
  file.metadata = {{text::kTextKey, "[data]\ntokenizer = \"no-such\"\n"}};
  EXPECT_NE(failure().find("no-such"), std::string::npos) << failure();
}

}  // namespace
}  // namespace heed::testing
