// Links between the words of a line and its translation, whole and in chunks.
#include "translate/line_result.h"

#include <gtest/gtest.h>

namespace heed::testing {
namespace {

translate::Translation translation(const char* text, std::vector<text::Token> source, std::vector<text::Token> target,
                                   std::vector<float> weights) {
  return {.text = text,
          .attention = {.source = std::move(source), .target = std::move(target), .weights = std::move(weights)}};
}

TEST(WordLinks, AreBetweenTheWordsOfTheText) {
  translate::LineResult result;
  // "a dog." and "Hund. ein": three tokens and two words on each side.
  result.translations.push_back(translation("Hund. ein", {{"a", {0, 1}}, {"dog", {2, 5}}, {".", {5, 6}}},
                                            {{"Hund", {0, 4}}, {".", {4, 5}}, {"ein", {6, 9}}},
                                            {0.1F, 0.8F, 0.1F,  //
                                             0.2F, 0.3F, 0.5F,  //
                                             0.9F, 0.1F, 0}));
  EXPECT_EQ(format_alignment(word_links("a dog.", result, 0)), "0-1 1-0");
  result.translations[0].attention.weights.clear();
  EXPECT_EQ(format_alignment(word_links("a dog.", result, 0)), "");
}

TEST(WordLinks, CountWordsAcrossChunks) {
  const auto chunk = [](std::uint32_t s, std::uint32_t t) {
    translate::LineResult part;
    part.translations.push_back(translation("x y", {{"a", {s, s + 1}}, {"b", {s + 2, s + 3}}},
                                            {{"x", {t, t + 1}}, {"y", {t + 2, t + 3}}}, {0.1F, 0.9F, 0.8F, 0.2F}));
    return part;
  };
  translate::LineResult whole;
  whole.translations.push_back({.text = "x y x y"});
  whole.chunks.push_back(chunk(0, 0));
  whole.chunks.push_back(chunk(4, 4));
  EXPECT_EQ(format_alignment(word_links("a b a b", whole, 0)), "0-1 1-0 2-3 3-2");
}

}  // namespace
}  // namespace heed::testing
