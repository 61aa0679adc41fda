#include "translate/unknown_names.h"

#include <gtest/gtest.h>

#include "translate/random_model.h"
#include "translate/text_layer.h"

namespace heed::translate {
namespace {

using testing::RandomModel;

TEST(UnknownNames, AreWordsWithDigitsOrCapitals) {
  for (const std::u32string_view name : {U"Kowalski", U"iPhone", U"NATO", U"A4", U"1984", U"Łódź", U"٣"})
    EXPECT_TRUE(looks_like_name(name));
  for (const std::u32string_view word : {U"dog", U"łódź", U"...", U"", U"犬"}) EXPECT_FALSE(looks_like_name(word));
}

TEST(UnknownNames, AreFoundInTheTextAsItIsWritten) {
  // A tokenizer may write words in lower case.
  const std::vector<text::Token> tokens = {
      {"kowalski", {0, 8}}, {"sees", {9, 13}}, {"zażółć", {14, 20}}, {"łódź", {21, 25}}};
  const std::vector<Id> ids = {2, 5, 2, 2, 1};
  const std::vector<UnknownName> names = find_unknown_names(tokens, ids, 2, "Kowalski sees zażółć Łódź");
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names[0].text, "Kowalski");
  EXPECT_EQ(names[1].token, 3u);
  EXPECT_EQ(names[1].text, "Łódź");
  EXPECT_TRUE(find_unknown_names(tokens, ids, -1, "Kowalski sees zażółć Łódź").empty());
}

TEST(UnknownNames, AreCopiedOnceByAttention) {
  const std::vector<UnknownName> names = {{0, "Ann"}, {2, "Bob"}};
  NameCopier copier(names);
  const std::vector<float> weights = {0.1F, 0.7F, 0.2F};
  EXPECT_EQ(copier.choose(weights)->text, "Bob");
  EXPECT_EQ(copier.choose(weights)->text, "Ann");
  EXPECT_EQ(copier.choose(weights), nullptr);
}

struct UnknownNamesTest : ::testing::Test {
  RandomModel nonsense;  // it writes unknown words
  Translator translator{*nonsense.model, nonsense.pipeline};

  std::string translate(const std::string& line, const TextOptions& text, const TranslateOptions& options = {}) {
    return TextLayer(translator, text).translate(requests_for({&line, 1}), options).front().best().text;
  }
};

TEST_F(UnknownNamesTest, AreCopiedUnlessAskedOtherwise) {
  const TextOptions names{.stop_repetition = false}, nothing{.copy_names = false, .stop_repetition = false};
  const std::string kept = translate("w3 Zoe w4", nothing);
  ASSERT_NE(kept.find("<unk>"), kept.npos);
  std::string copied = kept;
  copied.replace(copied.find("<unk>"), 5, "Zoe");
  TranslateOptions without_attention;
  without_attention.search.attention = false;
  EXPECT_EQ(translate("w3 Zoe w4", names), copied);
  EXPECT_EQ(translate("w3 Zoe w4", names, without_attention), copied);
  EXPECT_EQ(translate("w3 zoe w4", names), kept);  // not a name
  EXPECT_EQ(translate("w3 Zoe w4", {.plain = true}), kept);
  // An explicit request takes precedence: every symbol is replaced.
  EXPECT_EQ(translate("w3 Zoe w4", names, {.unknown = UnknownWords::parse("copy")}).find("<unk>"), copied.npos);
}

TEST_F(UnknownNamesTest, AreChosenByAttentionEvenIfItIsNotReturned) {
  TranslateOptions without_attention;
  without_attention.search.attention = false;
  for (const char* line : {"w3 Zoe w4 Ann", "Ann w5 Zoe Bob w6", "Bob Ann w3 w3 Zoe w7"}) {
    const std::string copied = translate(line, {.stop_repetition = false});
    ASSERT_NE(copied, translate(line, {.copy_names = false, .stop_repetition = false}));
    EXPECT_EQ(translate(line, {.stop_repetition = false}, without_attention), copied);
  }
}

TEST_F(UnknownNamesTest, NeedAttention) {
  const RandomModel vanilla("vanilla");
  Translator without(*vanilla.model, vanilla.pipeline);
  const std::vector<std::string> lines = {"w3 Zoe w4"};
  EXPECT_EQ(TextLayer(without, {.stop_repetition = false}).translate(requests_for(lines), {}).front().best().text,
            without.translate(lines, {}).front().best().text);
}

}  // namespace
}  // namespace heed::translate
