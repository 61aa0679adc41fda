#include "translate/text_warnings.h"

#include <gtest/gtest.h>

#include "translate/random_model.h"
#include "translate/text_layer.h"

namespace heed::translate {
namespace {

using testing::RandomModel;

// The warnings about a translation whose words all have the probability `p`.
std::string seen(const std::string& source, const std::string& translation, float p = 0.9F, bool has_end = true,
                 const std::vector<KeptSpan>& kept = {}) {
  const RandomModel nonsense;  // knows w3 … w19
  LineResult result{.translations = {{.text = translation, .kept = kept}}};
  text::AttentionMatrix& map = result.translations[0].attention;
  map = {.source = text::whitespace_words(source), .target = text::whitespace_words(translation)};
  if (has_end) map.target.push_back({"<eos>", {}});
  map.target_end = has_end;
  result.translations[0].probabilities.assign(map.target.size(), p);
  if (p >= 0.5F && map.target.size() > 2) result.translations[0].probabilities[1] = 0.2F * p;
  const text::SpelledNumbers numbers("de");
  add_text_warnings(result, source, nonsense.pipeline, &numbers);
  std::string all;
  for (const Warning& w : result.warnings)
    all += fmt::format("{}:{}@{}-{} ", name_of(w.kind), w.text, w.span.from, w.span.to);
  return all;
}

TEST(TextWarnings, NameUnknownWords) {
  EXPECT_EQ(seen("w3 dog w4", "w3 w4"), "unknown:dog@3-6 ");
  EXPECT_EQ(seen("w3 w4", "w3 w4"), "");
  EXPECT_EQ(seen("w3 {x} w4", "w3 {x} w4", 0.9F, true, {{"{x}", text::SpanKind::placeholder, {3, 6}, {3, 6}}}), "");
}

TEST(TextWarnings, NameMissingNumbers) {
  EXPECT_EQ(seen("w3 1,000", "w3 1.000"), "unknown:1,000@3-8 ");
  EXPECT_EQ(seen("w3 17 17", "w3 17"), "unknown:17@3-5 unknown:17@6-8 number:17@6-8 ");
  EXPECT_EQ(seen("w3 17", "w3 siebzehn"), "unknown:17@3-5 ");
  EXPECT_EQ(seen("w3 17", "w3 achtzehn"), "unknown:17@3-5 number:17@3-5 ");
}

TEST(TextWarnings, NameUntranslatedWords) {
  EXPECT_EQ(seen("w9 w3 w4 w5 w6 w9", "w7 w3 w4 w5 w6"), "untranslated:w3 w4 w5 w6@3-14 ");
  EXPECT_EQ(seen("w9 w3 w4 w5 w6 w9", "w7 w3 w4 w5 w8"), "");
  // Names are the same in both languages.
  EXPECT_EQ(seen("W3 W4 W5 w6", "W3 W4 W5 w6").find("untranslated"), std::string::npos);
}

TEST(TextWarnings, NameWhatIsUncertain) {
  EXPECT_EQ(seen("w3 w4 w5", "w3 w4 w5", 0.4F), "");
  EXPECT_EQ(seen("w3 w4 w5", "w3 w4 w5", 0.3F), "low_confidence:w3 w4 w5@0-8 ");
  EXPECT_EQ(seen("w3 w4 w5 w6 w7", "w3 w4 w5 w8 w9", 0.49F), "");
  EXPECT_EQ(seen("w3 w4 w5 w6 w7", "w3 w8 w5 w8 w9", 0.5F), "");
  LineResult result{.translations = {{.text = "w8 w9"}}};
  result.translations[0].attention = {.source = text::whitespace_words("w3 w4"),
                                      .target = {{"w8", {0, 2}}, {"w", {3, 4}}, {"9", {4, 5}}, {"<eos>", {5, 5}}},
                                      .target_end = true};
  result.translations[0].probabilities = {0.9F, 0.3F, 0.3F, 1};
  const RandomModel nonsense;
  add_text_warnings(result, "w3 w4", nonsense.pipeline, nullptr);
  ASSERT_EQ(result.warnings.size(), 1u);  // a word of two tokens
  EXPECT_EQ(result.warnings[0].text, "w9");
  EXPECT_EQ(result.warnings[0].span, (text::Span{3, 5}));
}

TEST(TextWarnings, NameUnusualLengths) {
  EXPECT_EQ(seen("w3 w4 w5 w6 w7 w8", "w9 w10"), "");
  EXPECT_EQ(seen("w3 w4 w5 w6 w7 w8", "w9"), "too_short:w9@0-2 ");
  EXPECT_EQ(seen("w3 w4 w5 w6 w7 w8", ""), "too_short:@0-0 ");
  EXPECT_EQ(seen("w3", "w9 w8 w7 w6 w5 w4 w9"), "");
  EXPECT_EQ(seen("w3", "w9 w8 w7 w6 w5 w4 w9 w10"), "too_long:w9 w8 w7 w6 w5 w4 w9 w10@0-24 ");
  EXPECT_EQ(seen("w3", "w9", 0.9F, false), "too_long:w9@0-2 ");  // it ended at the limit
}

TEST(TextWarnings, ComeFromTheTextLayerOnly) {
  const RandomModel nonsense;
  Translator translator(*nonsense.model, nonsense.pipeline);
  const std::vector<std::string> lines = {"w3 dog w4 ? W5 w6"};
  const auto kinds = [&](const TextOptions& text, bool wanted) {
    const TranslateOptions options{.warnings = wanted};
    std::string all;
    const LineResult line = TextLayer(translator, text).translate(requests_for(lines), options).front();
    for (const Warning& w : line.warnings)
      if (w.kind == Warning::Kind::unknown) all += fmt::format("{}@{} ", w.text, w.span.from);
    return all;
  };
  EXPECT_EQ(kinds({}, true), "dog@3 ?@10 W5@12 ");
  EXPECT_EQ(kinds({}, false), "");
  EXPECT_EQ(kinds({.plain = true}, true), "");
}

}  // namespace
}  // namespace heed::translate
