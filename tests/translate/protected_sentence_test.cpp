#include "translate/protected_sentence.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "base/utf8.h"

namespace heed::translate {
namespace {

// A protected sentence, and a translation of it that a test writes down: words, each with the source words to which it
// attends.
struct Scene {
  std::string sentence;
  SpanPolicy policy;
  ProtectedSentence spans;

  explicit Scene(std::string text, SpanPolicy p = {})
      : sentence(std::move(text)),
        policy(std::move(p)),
        spans(sentence, text::find_protected_spans(text::decode_utf8(sentence)), policy) {}

  // `links`: for each word of the translation the index of a word of model_text(), -1 for the end.
  LineResult translated(const std::string& translation, const std::vector<int>& links) const {
    Translation t{.text = translation};
    t.attention = {.source = text::whitespace_words(spans.model_text()),
                   .target = text::whitespace_words(translation),
                   .source_end = true,
                   .target_end = true,
                   .weights = {}};
    const auto add_end = [](std::vector<text::Token>& tokens, std::string_view text) {
      const auto end = static_cast<std::uint32_t>(utf8_length(text));
      tokens.push_back({"<eos>", {end, end}});
    };
    add_end(t.attention.source, spans.model_text());
    add_end(t.attention.target, translation);
    const std::size_t width = t.attention.source.size();
    if (!links.empty()) t.attention.weights.assign(t.attention.target.size() * width, 0);
    for (std::size_t w = 0; w < links.size(); ++w)
      t.attention.weights[w * width + (links[w] < 0 ? width - 1 : static_cast<std::size_t>(links[w]))] = 1;
    t.probabilities.assign(t.attention.target.size(), 0.5F);
    LineResult result;
    result.translations.push_back(std::move(t));
    return result;
  }
  LineResult restored(const std::string& translation, const std::vector<int>& links,
                      const std::string& prefix = "") const {
    LineResult result = translated(translation, links);
    spans.restore(result, prefix);
    return result;
  }
};

std::string shown(const LineResult& result) {
  std::string text = result.best().text;
  for (const Warning& warning : result.warnings)
    text += " [" + std::string(name_of(warning.kind)) + " " + warning.text + "]";
  return text;
}

TEST(ProtectedSentence, ShowsTheModelWordsAndNumbers) {
  EXPECT_EQ(Scene("Open {file} at 10:30 <b>now</b> 😀").spans.model_text(), "Open XY at 10:30 now ");
  EXPECT_EQ(Scene("XY: see www.example.org").spans.model_text(), "XY: see QX");
  EXPECT_EQ(Scene("xy: see www.example.org").spans.model_text(), "xy: see QX");
  EXPECT_EQ(Scene("{a}s of %s").spans.model_text(), "XY s of XY");
}

TEST(ProtectedSentence, ShowsAModelWhatItKnows) {
  const std::string sentence = "open %NAME {a} .";
  for (const char* tokenizer : {"words", "characters"}) {
    const text::TextConfig config{.tokenizer = tokenizer};
    TextPipeline pipeline(config);
    const text::Vocabulary words({"<sos>", "<eos>", "<unk>", "open", "%", "NAME", ".", "X"},
                                 {.sos = 0, .eos = 1, .unk = 2});
    pipeline.set_vocabularies(words, words);
    EXPECT_EQ(Scene(sentence, SpanPolicy(pipeline)).spans.model_text(),
              config.tokenizer == "words" ? "open %NAME XY ." : "open X X .");
  }
}

TEST(ProtectedSentence, PutsSpansInPlaceOfCopies) {
  const Scene scene("Open {file} in {dir} now");
  EXPECT_EQ(shown(scene.restored("Jetzt XY in XY öffnen", {4, 3, 2, 1, 0})), "Jetzt {dir} in {file} öffnen");
  EXPECT_EQ(shown(scene.restored("Jetzt XY in XY öffnen", {})), "Jetzt {file} in {dir} öffnen");
  // Too many copies, and too few.
  EXPECT_EQ(shown(scene.restored("XY XY öffne in XY", {1, 3, 0, 2, 1})), "{file} {dir} öffne in");
  EXPECT_EQ(shown(scene.restored("Öffne XY in jetzt", {0, 1, 2, 4})), "Öffne {file} in {dir} jetzt [unaligned {dir}]");
}

TEST(ProtectedSentence, PutsSpansInPlaceOfAlignedWords) {
  const Scene scene("Open {file} in {dir}");
  EXPECT_EQ(shown(scene.restored("Öffne das Ding in dort", {0, 1, 1, 2, 3})), "Öffne {file} in {dir}");
  // Punctuation is not the translation of a span.
  EXPECT_EQ(shown(scene.restored("Öffne XY in .", {0, 1, 2, 3})), "Öffne {file} in {dir} . [unaligned {dir}]");
}

TEST(ProtectedSentence, PutsSpansInPlaceOfUnknownWords) {
  SpanPolicy policy;
  policy.unknown = U"<unk>";
  const Scene scene("Open {file} with Blorp", policy);
  EXPECT_EQ(shown(scene.restored("Mit <unk> öffnet <unk>", {2, 3, 0, 1})), "Mit <unk> öffnet {file}");
}

TEST(ProtectedSentence, KeepsNumbersThatTheTranslationHas) {
  SpanPolicy policy;
  policy.numbers = std::make_shared<text::SpelledNumbers>("de");
  const Scene scene("4 dogs eat 1,000.5 kg", policy);
  EXPECT_EQ(shown(scene.restored("1.000,5 kg essen 4 Hunde", {3, 4, 2, 0, 1})), "1.000,5 kg essen 4 Hunde");
  EXPECT_EQ(shown(scene.restored("Vier Hunde essen 1.000,5 kg", {0, 1, 2, 3, 4})), "Vier Hunde essen 1.000,5 kg");
  // An article is not the number one.
  EXPECT_EQ(shown(Scene("a dog sees 1 .", policy).restored("ein Hund sieht .", {0, 1, 2, 4})),
            "ein Hund sieht 1 . [unaligned 1]");
  EXPECT_EQ(shown(scene.restored("Fünf Hunde essen viel", {0, 1, 2, 3})), "4 Hunde essen 1,000.5 kg");
  EXPECT_EQ(shown(scene.restored("5 Hunde essen 1.000,5 kg", {0, 1, 2, 3, 4})), "4 Hunde essen 1.000,5 kg");
}

TEST(ProtectedSentence, RestoresPlaceholderTokens) {
  SpanPolicy policy;
  policy.placeholders = U"\uFDD0\uFDD1";
  const Scene scene("From {a} to 1999 by %s", policy);
  EXPECT_EQ(scene.spans.model_text(), "From \uFDD0 to \uFDD1 by XY");
  EXPECT_EQ(shown(scene.restored("Bis \uFDD1 von \uFDD0 durch XY", {2, 3, 0, 1, 4, 5})), "Bis 1999 von {a} durch %s");
  EXPECT_EQ(shown(scene.restored("\uFDD0 \uFDD0 \uFDD5 bis \uFDD1 XY", {1, 1, 1, 2, 3, 5})), "{a} bis 1999 %s");
}

TEST(ProtectedSentence, InsertsTagsAndEmojiNextToTheirNeighbors) {
  EXPECT_EQ(shown(Scene("The <b>old</b> man sees 😀").restored("Der Mann ist alt", {0, 2, 3, 1})),
            "Der Mann ist <b>alt</b> 😀");
  EXPECT_EQ(shown(Scene("😀 yes").restored("ja", {0})), "😀 ja");
  EXPECT_EQ(shown(Scene("😀").restored("", {})), "😀");
}

TEST(ProtectedSentence, ReadsTheNumberOfANoteAsAWordOfItsOwn) {
  const Scene scene("The man<sup>1</sup> sees it");
  EXPECT_EQ(scene.spans.model_text(), "The man 1 sees it");
  EXPECT_EQ(shown(scene.restored("Der Mann 1 sieht es", {0, 1, 2, 3, 4})), "Der Mann <sup>1</sup> sieht es");
  EXPECT_EQ(Scene("H<sub>2</sub>O and a<b>b</b>c").spans.model_text(), "H2O and abc");
}

TEST(ProtectedSentence, KeepsTagsNested) {
  const Scene scene("the <b>old <i>man</i> here</b> sees");
  // Words in the opposite order: an end tag does not come before its start tag.
  EXPECT_EQ(shown(Scene("the <b>old man</b> sees").restored("der sieht Mann alt", {0, 3, 2, 1})),
            "der sieht <b>Mann alt</b>");
  EXPECT_EQ(shown(scene.restored("sieht hier Mann alt der", {4, 3, 2, 1, 0})), "sieht <b>hier <i>Mann</i> alt</b> der");
  // The tags of one pair would enclose only one tag of the other.
  EXPECT_EQ(shown(Scene("<b>a b</b> <i>c d</i> e").restored("A C B D E", {0, 2, 1, 3, 4})),
            "<b>A C B</b> <i>D</i> E [unaligned <i>]");
}

TEST(ProtectedSentence, RemovesWhatTheSentenceDoesNotHave) {
  EXPECT_EQ(shown(Scene("Open %s").restored("{x} Öffne XY www.example.org <b>", {0, 0, 1, 0, 0})), "Öffne %s");
  EXPECT_EQ(shown(Scene("Open %s").restored("Öffne %s %s", {0, 1, 1})), "Öffne %s");
  EXPECT_EQ(shown(Scene("Open 12").restored("XY 12", {0, 1})), "XY 12");
}

TEST(ProtectedSentence, LeavesAPrefixAlone) {
  EXPECT_EQ(shown(Scene("Open {file}").restored("Das XY öffnen XY", {1, 1, 0, 1}, "Das XY")), "Das XY öffnen {file}");
}

TEST(ProtectedSentence, MovesSpansOfTokens) {
  const Scene scene("Ä {file} opens");
  const LineResult result = scene.restored("Es öffnet XY jetzt", {0, 2, 1, 2});
  const text::AttentionMatrix& map = result.best().attention;
  EXPECT_EQ(token_texts(map.source), (std::vector<std::string>{"Ä", "{file}", "opens", "<eos>"}));
  EXPECT_EQ(map.source[1].span, (text::Span{2, 8}));
  EXPECT_EQ(map.source[2].span, (text::Span{9, 14}));
  EXPECT_EQ(map.source[3].span, (text::Span{14, 14}));
  EXPECT_EQ(token_texts(map.target), (std::vector<std::string>{"Es", "öffnet", "{file}", "jetzt", "<eos>"}));
  EXPECT_EQ(map.target[2].span, (text::Span{10, 16}));
  EXPECT_EQ(map.target[3].span, (text::Span{17, 22}));
  EXPECT_EQ(map.target[4].span, (text::Span{22, 22}));
  ASSERT_EQ(result.best().kept.size(), 1u);
  EXPECT_EQ(result.best().kept[0].source, (text::Span{2, 8}));
  EXPECT_EQ(result.best().kept[0].target, (text::Span{10, 16}));
}

TEST(ProtectedSentence, MovesWarnings) {
  const Scene scene("{file} opens a a a a");
  LineResult result = scene.translated("XY XY b b b", {0, 0, 2, 2, 2});
  result.warnings = {{Warning::Kind::unattended, "opens", {3, 8}},
                     {Warning::Kind::unattended, "XY", {0, 2}},
                     {Warning::Kind::repetition, "b b b", {6, 11}}};
  scene.spans.restore(result, "");
  EXPECT_EQ(shown(result), "{file} b b b [unattended opens] [repetition b b b]");
  EXPECT_EQ(result.warnings[0].span, (text::Span{7, 12}));
  EXPECT_EQ(result.warnings[1].span, (text::Span{7, 12}));
}

TEST(ProtectedSentence, RestoresTheChunksOfALongLine) {
  const Scene scene("Open {a} and {b}");
  LineResult result = scene.translated("XY öffnen und XY", {1, 0, 2, 3});
  for (const std::string text : {"XY öffnen", "und XY"}) {
    LineResult& chunk = result.chunks.emplace_back();
    chunk.translations.push_back({.text = text});
    chunk.translations.back().attention.target = text::whitespace_words(text);
  }
  scene.spans.restore(result, "");
  EXPECT_EQ(shown(result), "{a} öffnen und {b}");
  EXPECT_EQ(result.chunks[0].best().text, "{a} öffnen");
  EXPECT_EQ(result.chunks[1].best().text, "und {b}");
}

// The spans of a text that must not be lost or invented.
std::multiset<std::string> spans_of(const std::string& text) {
  const std::u32string characters = text::decode_utf8(text);
  std::multiset<std::string> all;
  for (const text::ProtectedSpan& found : text::find_protected_spans(characters))
    if (!is_numeric(found.kind) && found.kind != text::SpanKind::path)
      all.insert(
          text::encode_utf8(std::u32string_view(characters).substr(found.span.from, found.span.to - found.span.from)));
  all.erase("<unk>");
  return all;
}

// Whether every </b> of a text follows a <b> of its own.
bool has_nested_tags(const std::string& text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("<b>")) ++depth;
    if (text.substr(i).starts_with("</b>") && --depth < 0) return false;
  }
  return depth == 0;
}

TEST(ProtectedSentence, NeverLosesOrInventsASpan) {
  const std::vector<std::string> source_words = {"open",  "the",
                                                 "{a}",   "{b}",
                                                 "%s",    "12",
                                                 "1999",  "3.5 kg",
                                                 "😀",     "<b>",
                                                 "</b>",  "www.example.org",
                                                 "`x y`", "me@example.org",
                                                 "."};
  const std::vector<std::string> target_words = {
      "öffne",           "XY", "QX",     "{a}",    "{c}",    "12", "21", "<unk>", "<i>", "vier",
      "www.example.org", ".",  "\uFDD0", "\uFDD1", "\uFDD7", "(",  ")"};
  std::mt19937 random(11);
  const auto line_of = [&](const std::vector<std::string>& words, unsigned most) {
    std::string line;
    for (unsigned n = random() % most; n > 0; --n) line += (line.empty() ? "" : " ") + words[random() % words.size()];
    return line;
  };
  for (int trial = 0; trial < 5000; ++trial) {
    SpanPolicy policy;
    if (random() % 2 == 0) policy.placeholders = U"\uFDD0\uFDD1\uFDD2";
    if (random() % 2 == 0) policy.unknown = U"<unk>";
    if (random() % 2 == 0) policy.numbers = std::make_shared<text::SpelledNumbers>("de");
    const Scene scene(line_of(source_words, 9), policy);
    LineResult result = scene.translated(line_of(target_words, 9), {});
    text::AttentionMatrix& map = result.translations[0].attention;
    if (random() % 4 != 0)
      for (std::size_t i = map.source.size() * map.target.size(); i > 0; --i)
        map.weights.push_back(static_cast<float>(random() % 100) / 100.0F);
    const std::string before = result.best().text;
    scene.spans.restore(result, "");
    const Translation& best = result.best();
    ASSERT_EQ(spans_of(best.text), spans_of(scene.sentence))
        << scene.sentence << " -> " << before << " -> " << best.text;
    ASSERT_TRUE(has_nested_tags(best.text) || !has_nested_tags(scene.sentence))
        << scene.sentence << " -> " << before << " -> " << best.text;
    const std::u32string text = text::decode_utf8(best.text);
    std::uint32_t from = 0;
    std::vector<text::Span> targets;
    for (const KeptSpan& kept : best.kept) {
      ASSERT_LE(from, kept.source.from);
      from = kept.source.to;
      ASSERT_LE(kept.target.to, text.size());
      const std::string there =
          text::encode_utf8(std::u32string_view(text).substr(kept.target.from, kept.target.to - kept.target.from));
      if (!is_numeric(kept.kind)) {
        ASSERT_EQ(there, kept.text) << before << " -> " << best.text;
      }
      ASSERT_FALSE(there.empty());
      for (const text::Span& other : targets)
        ASSERT_TRUE(other.to <= kept.target.from || kept.target.to <= other.from) << before << " -> " << best.text;
      targets.push_back(kept.target);
    }
    for (const text::Token& token : map.target) {
      ASSERT_LE(token.span.from, token.span.to);
      ASSERT_LE(token.span.to, text.size());
    }
    ASSERT_EQ(best.text.find("\uFDD0"), std::string::npos);
  }
}

}  // namespace
}  // namespace heed::translate
