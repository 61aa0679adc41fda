#include "serve/language_detector.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace heed::serve {
namespace {

using Codes = std::vector<std::string>;
using Found = std::vector<DetectedLanguage>;

TEST(LanguageDetector, ChoosesAmongItsLanguages) {
  const LanguageDetector detector(Codes{"de", "en", "fr"});
  ASSERT_EQ(detector.problem(), "");
  const std::pair<const char*, const char*> cases[] = {{"The old man sees a dog and a cat.", "en"},
                                                       {"Der alte Mann sieht einen Hund.", "de"},
                                                       {"Le vieil homme voit un chien et un chat.", "fr"}};
  for (const auto& [text, code] : cases) {
    const Found found = detector.detect(text);
    EXPECT_EQ(found.front().code, code) << text;
    EXPECT_GT(found.front().confidence, 90) << text;
    EXPECT_LE(found.front().confidence, 100) << text;
  }
}

TEST(LanguageDetector, IsLessSureOfShortTexts) {
  const LanguageDetector detector(Codes{"de", "en"});
  const Found hello = detector.detect("Hello");
  EXPECT_EQ(hello.front().code, "en");
  EXPECT_GT(hello.front().confidence, 0);
  EXPECT_LE(hello.front().confidence, 50);
}

// A text in a language that is not to be had gets the language that it resembles, but hardly any confidence.
TEST(LanguageDetector, HasLittleConfidenceInOtherLanguages) {
  const LanguageDetector detector(Codes{"de", "en"});
  for (const char* text : {"Le vieil homme voit un chien et un chat dans le jardin.", "Стар човек вижда куче."})
    EXPECT_LE(detector.detect(text).front().confidence, 25) << text;
  for (const char* text : {"", " ", "12345 !", "\x01\xff\xfe", "🙂🙂"})
    EXPECT_EQ(detector.detect(text), (Found{{"de", 0}})) << text;
}

TEST(LanguageDetector, FindsTheLanguagesOfAMixture) {
  const LanguageDetector detector(Codes{"en", "ru"});
  std::string text;
  for (int i = 0; i < 20; ++i) text += "The old man sees a dog and the cat sees us. ";
  for (int i = 0; i < 5; ++i) text += "Старик видит собаку и кошку в саду. ";
  const Found found = detector.detect(text);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].code, "en");
  EXPECT_EQ(found[1].code, "ru");
  EXPECT_GT(found[0].confidence, found[1].confidence);
  EXPECT_LE(found[0].confidence + found[1].confidence, 100);
}

TEST(LanguageDetector, ReadsHtmlWithoutItsTags) {
  const LanguageDetector detector(Codes{"de", "en"});
  std::string html = "<p class=\"the name of the rose and the rest of the words\">Der alte Mann sieht einen Hund.</p>";
  EXPECT_EQ(detector.detect(html, true).front().code, "de");
}

TEST(LanguageDetector, KnowsOtherNamesOfLanguages) {
  EXPECT_EQ(LanguageDetector(Codes{"en", "he"}).detect("האיש הזקן רואה כלב גדול בגינה").front().code, "he");
  EXPECT_EQ(LanguageDetector(Codes{"en", "pb"}).detect("O homem velho vê um cachorro no jardim.").front().code, "pb");
}

// Without a choice there is nothing to be unsure about, whatever the text.
TEST(LanguageDetector, WithOneLanguageAlwaysAnswersThat) {
  const LanguageDetector detector(Codes{"de"});
  for (const char* text : {"", "The old man sees a dog."}) EXPECT_EQ(detector.detect(text), (Found{{"de", 100}}));
}

TEST(LanguageDetector, ReadsOnlyTheStart) {
  const LanguageDetector detector(Codes{"de", "en"});
  const std::string_view english = "The old man sees a dog and a cat.";
  EXPECT_EQ(detector.detect(std::string(60 << 10, ' ').append(english)).front().code, "en");
  EXPECT_EQ(detector.detect(std::string(64 << 10, ' ').append(english)), (Found{{"de", 0}}));
}

}  // namespace
}  // namespace heed::serve
