#include "translate/repetition.h"

#include <gtest/gtest.h>

#include "translate/random_model.h"
#include "translate/text_layer.h"

namespace heed::translate {
namespace {

using testing::RandomModel;
using Words = std::vector<Id>;

TEST(Repetition, FindsPhrasesThatAreRepeatedTooOften) {
  EXPECT_FALSE(find_loop(Words{}, Words{}, Words{}).found());
  EXPECT_FALSE(find_loop(Words{7, 7, 7, 1}, Words{5, 1}, Words{}).found());
  EXPECT_EQ(find_loop(Words{7, 7, 7, 7, 1}, Words{5, 1}, Words{}).period, 1u);
  EXPECT_FALSE(find_loop(Words{7, 8, 7, 8, 7, 1}, Words{5, 1}, Words{}).found());
  const Loop loop = find_loop(Words{3, 7, 8, 7, 8, 7, 8, 1}, Words{5, 1}, Words{});
  EXPECT_EQ(loop.period, 2u);
  EXPECT_EQ(loop.copies, 3u);
  // A run of one word that is allowed does not hide a longer phrase.
  EXPECT_EQ(find_loop(Words{9, 9, 9, 7, 8, 7, 8, 7, 8, 1}, Words{5, 1}, Words{}).period, 2u);
}

TEST(Repetition, AllowsWhatTheSourceOrThePrefixRepeats) {
  const Words five = {7, 7, 7, 7, 7, 1}, six = {7, 7, 7, 7, 7, 7, 1};
  const Words source = {4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 1};
  EXPECT_FALSE(find_loop(five, source, Words{}).found());
  EXPECT_TRUE(find_loop(six, source, Words{}).found());
  EXPECT_FALSE(find_loop(five, Words{5, 1}, Words{7, 7, 7, 7, 7}).found());
}

TEST(Repetition, ForbidsLargeNGramsFirst) {
  const Loop word{.period = 1, .copies = 9}, phrase{.period = 5, .copies = 3};
  EXPECT_EQ(forbidden_ngram(word, 0, 0), 3);
  EXPECT_EQ(forbidden_ngram(phrase, 0, 0), 10);
  EXPECT_EQ(forbidden_ngram(phrase, 10, 1), 3);
  EXPECT_EQ(forbidden_ngram(phrase, 0, 2), 0);
  EXPECT_EQ(forbidden_ngram(phrase, 3, 0), 0);  // such a search has found the loop already
}

// The words of a translation, as ids of RandomModel.
Words words_of(const TextPipeline& pipeline, const LineResult& line) {
  Words ids;
  for (const text::Token& token : line.best().attention.target)
    ids.push_back(token.text == "<sos>" ? 0 : pipeline.target().id(token.text));
  return ids;
}

// Unknown words go to the model, too.
const TextOptions kNoCopies{.copy_names = false};

TEST(Repetition, StopsLoopsOfRandomModelsAndChangesNothingElse) {
  int loops = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const RandomModel nonsense("bahdanau-lstm", {.tokenizer = "whitespace"}, seed);
    Translator translator(*nonsense.model, nonsense.pipeline);
    std::vector<std::string> lines = {"nonsense", "w5 w5 w5 w5 w5 w5 w5 w5 w5 w5 w5 w5 w5 w5"};
    for (int i = 3; i < 20; ++i) lines.push_back(fmt::format("w{}", i));
    const TranslateOptions options{.search = {.beam = 2}, .length_extra = 40};
    const std::vector<LineResult> plain = translator.translate(lines, options);
    const std::vector<LineResult> guarded = TextLayer(translator, kNoCopies).translate(requests_for(lines), options);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      Words source;
      for (const text::Token& token : plain[i].best().attention.source)
        source.push_back(nonsense.pipeline.source().id(token.text));
      EXPECT_FALSE(find_loop(words_of(nonsense.pipeline, guarded[i]), source, Words{}).found())
          << lines[i] << ": " << guarded[i].best().text;
      if (find_loop(words_of(nonsense.pipeline, plain[i]), source, Words{}).found()) {
        ++loops;
        // The result does not depend on the other lines.
        const std::vector<std::string> alone = {lines[i]};
        const LineResult same = TextLayer(translator, kNoCopies).translate(requests_for(alone), options).front();
        EXPECT_EQ(same.best().text, guarded[i].best().text);
        EXPECT_EQ(same.best().score, guarded[i].best().score);
      } else {
        EXPECT_EQ(guarded[i].best().text, plain[i].best().text);
        EXPECT_EQ(guarded[i].best().score, plain[i].best().score);
      }
    }
  }
  EXPECT_GT(loops, 10);  // otherwise nothing was tested
}

TEST(Repetition, IsNotStoppedUnlessRequested) {
  const RandomModel nonsense;
  Translator translator(*nonsense.model, nonsense.pipeline);
  const TranslateOptions options{.search = {.beam = 2}, .length_extra = 40};
  for (int i = 3; i < 20; ++i) {
    const std::vector<std::string> lines = {fmt::format("w{}", i)};
    const std::string direct = translator.translate(lines, options).front().best().text;
    for (const TextOptions& text :
         {TextOptions{.plain = true}, TextOptions{.copy_names = false, .stop_repetition = false}})
      EXPECT_EQ(TextLayer(translator, text).translate(requests_for(lines), options).front().best().text, direct);
    // What is only scored is not searched for.
    TranslateRequest request{.text = lines[0], .target = "w5 w5 w5 w5 w5 w5 w5"};
    EXPECT_EQ(TextLayer(translator, {}).translate(std::span(&request, 1), options).front().best().text,
              *request.target);
  }
}

}  // namespace
}  // namespace heed::translate
