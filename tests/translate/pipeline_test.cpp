// Text to ids and back, the pipeline in a model file, and learned subwords.
#include "translate/pipeline.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/files.h"
#include "base/random.h"
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
    write_file_atomically(corpus_.parts[0].source, source);
    write_file_atomically(corpus_.parts[0].target, target);
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
  data::CorpusFiles corpus_{.parts = {{.source = directory_.file("source"), .target = directory_.file("target")}}};
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

// The checksum of the file is right: the content alone must be refused or usable.
TEST_F(Files, MutatedSubwordsAreRefusedOrUsable) {
  const text::TextConfig config{.tokenizer = "bpe", .subwords = 60, .subword_joint = true};
  const translate::TextPipeline pipeline(config, learn_subwords(corpus_, {}, config, 1));
  model::ModelConfig sizes = model::preset_config("vanilla");
  sizes.encoder.hidden = sizes.decoder.hidden = sizes.encoder.embedding = sizes.decoder.embedding = 4;
  sizes.vocabulary = {.source = 4, .target = 4, .sos = 0, .eos = 1, .unk = 2};
  const model::Model model(sizes);
  const std::string path = directory_.file("model"), words = "<sos>\n<eos>\n<unk>\na\n";
  // What is wrong with a model file that holds these subwords; "" if it can be used.
  const auto problem = [&](const std::string& subwords) -> std::string {
    save_model(path, model,
               {{text::kTextKey, text_config_to_toml(config)},
                {translate::kSourceSubwordsKey, to_base64(subwords)},
                {model::kSourceVocabularyKey, words},
                {model::kTargetVocabularyKey, words}});
    try {
      const auto again = translate::read_pipeline(model::load_model(path), path);
      again.source_tokenizer().tokenize("The small \ufb01sh \xff near");
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  const std::string good = from_base64(*find_value(pipeline.metadata(), translate::kSourceSubwordsKey), "");
  EXPECT_EQ(problem(good), "");
  int refused = 0;
  for (std::uint32_t trial = 0; trial < 200; ++trial) {
    const Random random(6, Stream::test, trial);
    std::string other = good;
    if (trial < 100) {  // rules of random bytes
      std::string rules(8 + random.below(0, 5000), '\0');
      for (std::uint32_t i = 0; i < rules.size(); ++i) rules[i] = static_cast<char>(random.below(i + 1, 256));
      if (trial % 2 == 0) rules.replace(0, 4, std::string("\0\4\0\0", 4));
      const auto size = [](std::size_t n) {
        return std::string{static_cast<char>(n % 128 + 128), static_cast<char>(n / 128)};
      };
      const std::string inner = "\x12" + size(rules.size()) + rules;
      other += "\x1a" + size(inner.size()) + inner;
      const std::string found = problem(other);
      EXPECT_TRUE(found.find(path + ": heed.subwords.source") == 0) << found;
      EXPECT_NE(found.find("normalization rules"), std::string::npos) << found;
    } else {
      for (std::uint32_t i = 0; i < 1 + random.below(0, 4); ++i)
        other[random.below(2 * i + 1, static_cast<std::uint32_t>(other.size()))] =
            static_cast<char>(random.below(2 * i + 2, 256));
      refused += !problem(other).empty();
    }
  }
  EXPECT_GT(refused, 10);
}

TEST_F(Files, RefusesSubwordsWithNormalizationRules) {
  // Rules that are valid: `a` becomes nothing.
  std::vector<std::uint32_t> units(256, 1U << 31);
  units[0] = 1U << 10;
  units[1 ^ 'a'] = (1U ^ 'a' ^ 2U) << 10 | 1U << 8 | 'a';
  const std::string rules =
      std::string("\0\4\0\0", 4) + std::string(reinterpret_cast<const char*>(units.data()), 1024) + '\0';
  ASSERT_EQ(rules.size(), 1029u);
  const text::TextConfig config{.tokenizer = "bpe", .subwords = 60, .subword_joint = true};
  text::SubwordModels subwords = learn_subwords(corpus_, {}, config, 1);
  subwords.source += std::string("\x1a\x88\x08\x12\x85\x08", 6) + rules;
  subwords.target = subwords.source;
  translate::TextPipeline pipeline(config, subwords);
  const auto vocabulary = closed_vocabulary(pipeline.source_tokenizer().closed_vocabulary(), text::kSpecialNames);
  pipeline.set_vocabularies(vocabulary, vocabulary);
  try {
    through_a_file(pipeline);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("heed.subwords.source has normalization rules"), std::string::npos)
        << error.what();
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
  EXPECT_EQ(
      failure(),
      "model: the model has no source vocabulary, so it cannot read text; import it again with --source-vocabulary and "
      "--target-vocabulary");
  file.metadata = pipeline.metadata();
  EXPECT_EQ(failure(), "model: the source vocabulary has 4 words, but the model has 5");
  file.metadata = {{text::kTextKey, "[data]\ntokenizer = \"bpe\"\n"}};
  EXPECT_EQ(failure(), "model: the metadata has no heed.subwords.source, which its tokenizer bpe needs");
  file.metadata.emplace_back(translate::kSourceSubwordsKey, "AAAA");
  file.metadata.emplace_back(translate::kTargetSubwordsKey, "AAAA");
  EXPECT_NE(failure().find("heed.subwords.source is not a SentencePiece model"), std::string::npos) << failure();
  file.metadata = {{text::kTextKey, "[data]\ntokenizer = \"no-such\"\n"}};
  EXPECT_NE(failure().find("no-such"), std::string::npos) << failure();
}

}  // namespace
}  // namespace heed::testing
