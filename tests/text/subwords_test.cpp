#include "text/subwords.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "text/vocabulary.h"

namespace heed {
namespace {

// A small text with repeated parts.
std::vector<std::string> sample_text() {
  const std::vector<std::string> stems = {"walk", "talk", "jump", "look", "play", "paint", "help", "start"};
  const std::vector<std::string> endings = {"", "s", "ed", "ing", "er", "ers"};
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < 400; ++i) {
    lines.push_back("the " + stems[i % 8] + endings[i % 6] + " was " + stems[(i * 5 + 3) % 8] + endings[(i / 7) % 6] +
                    " and  stra\u00dfe " + stems[(i / 3) % 8] + ".");
  }
  return lines;
}

std::string train(const std::string& model, int size) {
  const auto lines = sample_text();
  std::size_t at = 0;
  return text::train_subwords([&](std::string& line) { return at < lines.size() ? (line = lines[at++], true) : false; },
                              {.model = model, .size = size});
}

class Subwords : public ::testing::TestWithParam<std::string> {
 protected:
  static std::unique_ptr<text::Tokenizer> tokenizer(std::vector<std::string> normalize = {}) {
    static std::map<std::string, std::string> models;
    std::string& model = models[GetParam()];
    if (model.empty()) model = train(GetParam(), 60);
    return text::make_tokenizer({.kind = "sentencepiece", .normalize = std::move(normalize), .subword_model = model});
  }
};

std::string joined(const std::vector<text::Token>& tokens) {
  std::string text;
  for (const text::Token& token : tokens) text += token.text;
  return text;
}

TEST_P(Subwords, DetokenizingRestoresTheText) {
  const auto made = tokenizer();
  for (const std::string line : {"the walkers jumped.", "  two  spaces ", "unseen \u6f22\u5b57 Q!", "x", "", " "})
    EXPECT_EQ(made->detokenize(token_texts(made->tokenize(line))), line);
  EXPECT_LT(made->tokenize("the walking was").size(), 12u);
}

TEST_P(Subwords, TrainingTwiceGivesTheSameModel) {
  EXPECT_EQ(train(GetParam(), 60), train(GetParam(), 60));
}

TEST_P(Subwords, SpansPointIntoTheOriginalLine) {
  const std::string line = "The  WALKING stra\u00dfe";
  const auto tokens = tokenizer({"lowercase"})->tokenize(line);
  const std::u32string original = text::decode_utf8(line);
  const text::Normalizer lower(std::vector<std::string>{"lowercase"});
  for (const text::Token& token : tokens) {
    std::string text = token.text;
    if (text.starts_with("\u2581") && text.size() > 3) text.erase(0, 3);
    if (text == "\u2581") continue;
    ASSERT_LE(token.span.to, original.size());
    EXPECT_EQ(lower.apply(text::encode_utf8(original.substr(token.span.from, token.span.to - token.span.from))), text);
  }
}

TEST_P(Subwords, SamplingSegmentsTheSameTextDifferently) {
  const auto made = tokenizer();
  const std::string line = "the starters painted and talking helped.";
  std::set<std::vector<std::string>> seen;
  for (std::uint32_t i = 0; i < 50; ++i) {
    const text::SubwordSampling sampling{.alpha = 0.3f, .random = Random(7, Stream::subword, i)};
    const auto tokens = made->sample(line, sampling);
    EXPECT_EQ(joined(tokens), joined(made->tokenize(line)));
    EXPECT_EQ(made->detokenize(token_texts(tokens)), line);
    EXPECT_EQ(token_texts(tokens), token_texts(made->sample(line, sampling)));
    seen.insert(token_texts(tokens));
  }
  EXPECT_GT(seen.size(), 5u);
  const text::SubwordSampling off{.alpha = 0, .random = Random(7, Stream::subword)};
  EXPECT_EQ(token_texts(made->sample(line, off)), token_texts(made->tokenize(line)));
}

TEST_P(Subwords, SampledSubwordsAreInTheClosedVocabulary) {
  const auto made = tokenizer();
  const text::Vocabulary vocabulary = text::closed_vocabulary(made->closed_vocabulary(), {});
  for (std::uint32_t i = 0; i < 20; ++i) {
    const text::SubwordSampling sampling{.alpha = 0.3f, .random = Random(8, Stream::subword, i)};
    for (const text::Token& token : made->sample("the walkers looked", sampling))
      EXPECT_NE(vocabulary.id(token.text), vocabulary.special().unk) << token.text;
  }
}

TEST_P(Subwords, HandlesUnusualLines) {
  const auto made = tokenizer();
  for (const std::string& line : {std::string("a\0b", 3), std::string("bad \xff\xfe"), std::string("a\u2028b\tc\r"),
                                  std::string(300'000, 'x'), std::string(300'000, ' ')}) {
    const auto tokens = made->tokenize(line);
    EXPECT_EQ(made->detokenize(token_texts(tokens)), text::encode_utf8(text::decode_utf8(line))) << line.substr(0, 20);
    const text::SubwordSampling sampling{.alpha = 0.1f, .random = Random(9, Stream::subword)};
    EXPECT_EQ(joined(made->sample(line, sampling)), joined(tokens));
  }
}

// Long lines are split into chunks at spaces; the subwords must not change.
TEST_P(Subwords, ALongLineHasTheSubwordsOfItsWords) {
  const auto made = tokenizer();
  std::string line;
  std::vector<std::string> expected;
  for (int i = 0; i < 3000; ++i) {
    const std::string word = i % 3 ? "painters" : " walked";
    line += (i > 0 ? " " : "") + word;
    for (const text::Token& token : made->tokenize(word)) expected.push_back(token.text);
  }
  const auto tokens = made->tokenize(line);
  EXPECT_EQ(token_texts(tokens), expected);
  std::uint32_t end = 0;
  for (const text::Token& token : tokens) {
    ASSERT_LE(end, token.span.from);
    end = token.span.to;
  }
  EXPECT_EQ(end, line.size());
}

INSTANTIATE_TEST_SUITE_P(Models, Subwords, ::testing::Values("bpe", "unigram"));

// Without dropout, the merges must give the subwords of SentencePiece, or samples would come from another model.
TEST(SubwordSampling, AlmostNoDropoutGivesTheBestSubwords) {
  const auto made = text::make_tokenizer({.kind = "sentencepiece", .subword_model = train("bpe", 60)});
  const text::SubwordSampling sampling{.alpha = 1e-9f, .random = Random(1, Stream::subword)};
  for (const std::string& line : sample_text())
    ASSERT_EQ(text::token_texts(made->sample(line, sampling)), token_texts(made->tokenize(line)));
}

// With a large alpha the best segmentation has nearly all the probability.
TEST(SubwordSampling, ASharpUnigramGivesTheBestSubwords) {
  const auto made = text::make_tokenizer({.kind = "sentencepiece", .subword_model = train("unigram", 60)});
  const text::SubwordSampling sampling{.alpha = 200, .random = Random(1, Stream::subword)};
  for (const std::string& line : sample_text())
    ASSERT_EQ(text::token_texts(made->sample(line, sampling)), token_texts(made->tokenize(line)));
}

TEST(SubwordTraining, RejectsInvalidSettingsAndTooLittleText) {
  const auto nothing = [](std::string&) { return false; };
  EXPECT_THROW(text::train_subwords(nothing, {}), InputError);
  EXPECT_THROW(text::train_subwords(nothing, {.model = "wordpiece"}), UsageError);
  EXPECT_THROW(text::train_subwords(nothing, {.size = 0}), UsageError);
  EXPECT_THROW(text::train_subwords(nothing, {.character_coverage = 2}), UsageError);
  EXPECT_THROW(train("bpe", 5), InputError);  // fewer than the text has characters
  EXPECT_THROW(train("unigram", 5), InputError);
}

TEST(SubwordTraining, SaysInPlainWordsWhyItFailed) {
  const auto failure = [](const std::string& model, const std::vector<std::string>& lines) -> std::string {
    std::size_t at = 0;
    const auto next = [&](std::string& line) { return at < lines.size() ? (line = lines[at++], true) : false; };
    try {
      text::train_subwords(next, {.model = model, .size = 20});
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  std::string letters;
  for (char c = 'a'; c <= 'z'; ++c) letters += c;
  for (const std::string model : {"bpe", "unigram"}) {
    const std::string start = "no " + model + " model of 20 subwords could be learned from this text: ";
    const std::string too_long = start + "every line is empty or longer than 4192 bytes; put one sentence on each line";
    EXPECT_EQ(failure(model, {"", ""}), too_long);
    EXPECT_EQ(failure(model, {std::string(5000, 'x')}), too_long);
    EXPECT_EQ(failure(model, {letters, "zyx"}),
              start + "the text has more distinct characters than that; raise data.subwords to at least 28");
  }
}

TEST(SubwordTraining, LearnsFewerSubwordsIfTheTextHasFewer) {
  const auto made = text::make_tokenizer({.kind = "sentencepiece", .subword_model = train("bpe", 5000)});
  EXPECT_LT(made->closed_vocabulary().size(), 1000u);
  EXPECT_GT(made->closed_vocabulary().size(), 60u);
}

TEST(SubwordModel, ADamagedModelIsAnInputError) {
  const std::string model = train("unigram", 60);
  for (const std::string& bytes : {std::string(), std::string("nonsense"), model.substr(0, model.size() / 2)})
    EXPECT_THROW(text::make_tokenizer({.kind = "sentencepiece", .subword_model = bytes}), InputError);
}

}  // namespace
}  // namespace heed
