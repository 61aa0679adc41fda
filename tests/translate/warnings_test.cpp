// Which translations get warnings, and which do not.
#include "translate/warnings.h"

#include <gtest/gtest.h>

namespace heed::testing {
namespace {

std::string seen(const text::AttentionMatrix& map, std::string_view source, std::string_view translation) {
  std::string all;
  for (const translate::Warning& w : translate::find_warnings(map, source, translation))
    all += std::string(name_of(w.kind)) + ":" + w.text + "@" + std::to_string(w.span.from) + "-" +
           std::to_string(w.span.to) + " ";
  return all;
}

TEST(Warnings, NameAnUnattendedSourceWord) {
  text::AttentionMatrix map{.source = text::whitespace_words("the red - dog"),
                            .target = text::whitespace_words("der Hund")};
  map.weights = {0.9F, 0.04F, 0, 0.06F,  //
                 0,    0.05F, 0, 0.95F};
  EXPECT_EQ(seen(map, "the red - dog", "der Hund"), "unattended:red@4-7 ");
  map.weights[1] = 0.06F;
  EXPECT_EQ(seen(map, "the red - dog", "der Hund"), "");
  map.weights.clear();
  EXPECT_EQ(seen(map, "the red - dog", "der Hund"), "");
}

TEST(Warnings, NameARepetition) {
  EXPECT_EQ(seen({}, "a b", "x ja ja ja y"), "repetition:ja ja ja@2-10 ");
  EXPECT_EQ(seen({}, "a b", "x ja ja y"), "");
  EXPECT_EQ(seen({}, "a b", "der Mann der Mann"), "repetition:der Mann der Mann@0-17 ");
  EXPECT_EQ(seen({}, "a b", "der Mann der Hund der Mann"), "");
  EXPECT_EQ(seen({}, "na na na Batman", "na na na Batman"), "");
  EXPECT_EQ(seen({}, "", ""), "");
}

}  // namespace
}  // namespace heed::testing
