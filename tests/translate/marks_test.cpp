#include "translate/marks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.h"
#include "base/utf8.h"
#include "translate/marked_patterns.h"
#include "translate/random_model.h"
#include "translate/text_layer.h"

namespace heed::translate {
namespace {

using testing::parse_marks;
using testing::show_marks;
using text::Mark;
using text::MarkedText;

// A result whose words, separated by spaces, are linked as given: {target word, source word}; -1: to the end.
LineResult linked(const std::string& source, const std::string& target, const std::vector<int>& links) {
  LineResult result;
  Translation& translation = result.translations.emplace_back();
  translation.text = target;
  text::AttentionMatrix& map = translation.attention;
  map.source = text::whitespace_words(source);
  map.target = text::whitespace_words(target);
  const auto end = static_cast<std::uint32_t>(utf8_length(source));
  map.source.push_back({"</s>", {end, end}});
  map.source_end = true;
  map.weights.assign(map.source.size() * map.target.size(), 0.01F);
  for (std::size_t t = 0; t < links.size(); ++t)
    map.weights[t * map.source.size() + (links[t] < 0 ? map.source.size() - 1 : static_cast<std::size_t>(links[t]))] =
        0.9F;
  if (links.empty()) map.weights.clear();
  return result;
}

// As a model returns it: with the end symbol and probabilities.
LineResult with_end(LineResult result) {
  Translation& translation = result.translations.front();
  text::AttentionMatrix& map = translation.attention;
  const auto end = static_cast<std::uint32_t>(utf8_length(translation.text));
  map.target.push_back({"</s>", {end, end}});
  map.target_end = true;
  map.weights.resize(map.weights.size() + map.source.size(), 0.01F);
  translation.probabilities.assign(map.target.size(), 1);
  return result;
}

std::string transferred(std::string_view pattern, const std::string& target, const std::vector<int>& links) {
  const MarkedText source = parse_marks(pattern);
  return show_marks(transfer_marks(source, linked(source.text, target, links)));
}

TEST(Marks, FollowTheWordsThatTheyCover) {
  EXPECT_EQ(transferred("a [b c] d", "D C B A", {3, 2, 1, 0}), "D 0[C B] A");
  EXPECT_EQ(transferred("[a] b [c]", "C A B", {2, 0, 1}), "1[C] 0[A] B");
  EXPECT_EQ(transferred("a [b [c] d] e", "E C D B A", {4, 2, 3, 1, 0}), "E 0[1[C] D B] A");
  EXPECT_EQ(transferred("[[a b]] c", "C B A", {2, 1, 0}), "C 0[1[B A]]");
  // A stray link does not stretch a mark over the words of others.
  EXPECT_EQ(transferred("[a b] c d e", "A B C D X", {0, 1, 2, 3, 0}), "0[A B] C D X");
  // Words between its own that have no link belong to it.
  EXPECT_EQ(transferred("[a b] c", "A X B C", {0, -1, 1, 2}), "0[A X B] C");
}

TEST(Marks, DoNotOverlap) {
  EXPECT_EQ(transferred("[a] [b] c", "X Y C", {0, 1, 2}), "0[X] 1[Y] C");
  // Both cover the same word: the first one gets it, and the other one is empty and stands next to it.
  EXPECT_EQ(transferred("[ab][cd] e", "X E", {0, 1}), "0[X]1[] E");
  // The inner word is translated outside of what its parent covers.
  EXPECT_EQ(transferred("[a b c [d]] e f", "A B C E D F", {0, 1, 2, 4, 3, 5}), "0[A B C E 1[D]] F");
  EXPECT_EQ(transferred("[a b c [d]] e f g h", "A B C E F G D H", {0, 1, 2, 4, 5, 6, 3, 7}), "0[A B C1[]] E F G D H");
}

// The words of one mark are translated on both sides of another mark's words.
TEST(Marks, DoNotStretchOverTheWordsOfOtherMarks) {
  EXPECT_EQ(transferred("[a b] [c] d", "A C B D", {0, 2, 1, 3}), "0[A] 1[C] B D");
  EXPECT_EQ(transferred("[c] [a b] d", "A C B D", {1, 0, 2, 3}), "1[A] 0[C] B D");
  EXPECT_EQ(transferred("[a b c] [d] e", "A D B C E", {0, 3, 1, 2, 4}), "A 1[D] 0[B C] E");
  // A word without a mark and without a link does not matter.
  EXPECT_EQ(transferred("[a b] [c] d", "A X B C D", {0, -1, 1, 2, 3}), "0[A X B] 1[C] D");
  // Inside of a common parent it is the same.
  EXPECT_EQ(transferred("[[a b] [c]] d", "D A C B", {3, 0, 2, 1}), "D 0[1[A] 2[C] B]");
}

TEST(Marks, OverAWholeSentenceCoverItWhole) {
  EXPECT_EQ(transferred("[a b]", "X A B Y", {-1, 0, 1, -1}), "0[X A B Y]");
  EXPECT_EQ(transferred("[a b .]", "X A B !", {-1, 0, 1, 0}), "0[X A B !]");
  EXPECT_EQ(transferred("a [b]", "", {}), "0[]");
}

TEST(Marks, KeepTheirPunctuation) {
  EXPECT_EQ(transferred("[Note:] a b.", "X: A B.", {0, 1, 2}), "0[X:] A B.");
  EXPECT_EQ(transferred("a [b], c", "A B, C", {0, 1, 2}), "A 0[B], C");
  EXPECT_EQ(transferred("a \"[b]\" c", "A \"B\" C", {0, 1, 2}), "A \"0[B]\" C");
  EXPECT_EQ(transferred("a [\"b\"] c", "A \"B\" C", {0, 1, 2}), "A 0[\"B\"] C");
  EXPECT_EQ(transferred("a [ b ] c", "A B C", {0, 1, 2}), "A 0[B] C");
}

TEST(Marks, WithoutWordsStandNextToTheirNeighbor) {
  EXPECT_EQ(transferred("a |b c", "C B A", {2, 1, 0}), "C 0[]B A");
  EXPECT_EQ(transferred("a b| c", "C B A", {2, 1, 0}), "C B0[] A");
  EXPECT_EQ(transferred("|a b|", "B A", {1, 0}), "0[]B A1[]");
  EXPECT_EQ(transferred("a | b", "B A", {1, 0}), "B A 0[]");
  EXPECT_EQ(transferred("a | b c", "B A C", {1, 0, 2}), "B A 0[] C");
  EXPECT_EQ(transferred("a [|] b c", "B A C", {1, 0, 2}), "B A0[ 1[]] C");
  EXPECT_EQ(transferred("a | b c", "B A . C", {1, 0, -1, 2}), "B A 0[] . C");
  EXPECT_EQ(transferred("a |. c", "A . C", {0, 1, 2}), "A 0[]. C");
  EXPECT_EQ(transferred("a |, c", "A, C", {0, 2}), "A, 0[]C");
  EXPECT_EQ(transferred("[a b| ] c", "C A", {2, 0}), "C 0[A1[]]");
  // Inside of a mark it stays inside, and outside it stays outside.
  EXPECT_EQ(transferred("[a| b] c", "C B A", {2, 1, 0}), "C 0[B A1[]]");
  EXPECT_EQ(transferred("[a b]| c", "C B A", {2, 1, 0}), "C 0[B A]1[]");
}

TEST(Marks, BetweenTwoSentencesStayWithTheOneThatTheyTouch) {
  const auto placed = [](std::string_view pattern) {
    std::vector<Chunk> sentences;
    sentences.push_back({with_end(linked("a b.", "B A.", {1, 0})), 0, ""});
    sentences.push_back({with_end(linked("c d.", "D C.", {1, 0})), 5, " "});
    return show_marks(transfer_marks(parse_marks(pattern), join_sentences(std::move(sentences), "", 1)));
  };
  EXPECT_EQ(placed("a b.| c d."), "B A.0[] D C.");
  EXPECT_EQ(placed("a b. |c d."), "B A. 0[]D C.");
}

TEST(Marks, WithoutAttentionKeepTheirPosition) {
  EXPECT_EQ(transferred("a b [c d] e f", "A B C D E F", {}), "A B 0[C D] E F");
  EXPECT_EQ(transferred("a [b] c d", "A B C D E F G H", {}), "A B 0[C D] E F G H");
}

TEST(Marks, FollowBothDirectionsIfThereIsAReverseModel) {
  const MarkedText source = parse_marks("a [b] c");
  LineResult result = linked(source.text, "C B A", {2, 0, 0});  // B attends to the wrong word, but not very much
  result.translations[0].attention.weights[4] = 0.6F;
  const std::string wrong = show_marks(transfer_marks(source, result));
  EXPECT_NE(wrong, "C 0[B] A");
  LineResult reverse = linked("C B A", source.text, {2, 1, 0});
  EXPECT_EQ(show_marks(transfer_marks(source, result, std::span(&reverse.best().attention, 1))), "C 0[B] A");
  reverse.translations[0].attention.weights.clear();  // for example of a sentence that is too long
  EXPECT_EQ(show_marks(transfer_marks(source, result, std::span(&reverse.best().attention, 1))), wrong);
}

TEST(Marks, KeptSpansAreKnownExactly) {
  const MarkedText source = parse_marks("a {x y} b");
  EXPECT_EQ(kept_spans(source), (std::vector<text::Span>{{2, 5}}));
  EXPECT_EQ(kept_spans(parse_marks("a { x } {  } b")), (std::vector<text::Span>{{3, 4}}));
  LineResult result = linked(source.text, "B x y A", {3, 0, 0, 1});
  result.translations[0].kept = {{.text = "x y", .kind = text::SpanKind::code, .source = {2, 5}, .target = {2, 5}}};
  EXPECT_EQ(show_marks(transfer_marks(source, result)), "B 0[x y] A");
  // Words that attend to a kept span are not its translation.
  const MarkedText number = parse_marks("10| dogs .");
  result = linked(number.text, "10 Hunde .", {0, 0, 0});
  result.translations[0].kept = {{.text = "10", .kind = text::SpanKind::number, .source = {0, 2}, .target = {0, 2}}};
  EXPECT_EQ(show_marks(transfer_marks(number, result)), "100[] Hunde .");
}

// Whether all marks are there, within their parents and without overlaps.
void expect_sound(const MarkedText& source, const MarkedText& result) {
  ASSERT_EQ(source.marks.size(), result.marks.size());
  const std::size_t length = utf8_length(result.text);
  std::vector<std::uint32_t> ends(result.marks.size() + 1, 0);
  std::set<std::pair<std::uint32_t, int>> before, after;  // ids of marks and of their parents
  const auto parent_id = [](const MarkedText& text, const Mark& mark) {
    return mark.parent < 0 ? -1 : static_cast<int>(text.marks[static_cast<std::size_t>(mark.parent)].id);
  };
  for (const Mark& mark : source.marks) before.emplace(mark.id, parent_id(source, mark));
  for (std::size_t i = 0; i < result.marks.size(); ++i) {
    const Mark& mark = result.marks[i];
    after.emplace(mark.id, parent_id(result, mark));
    ASSERT_LT(mark.parent, static_cast<int>(i));
    ASSERT_LE(mark.span.from, mark.span.to);
    ASSERT_LE(mark.span.to, length);
    std::uint32_t& end = ends[static_cast<std::size_t>(mark.parent + 1)];
    ASSERT_GE(mark.span.from, end);
    end = mark.span.to;
    if (mark.parent < 0) continue;
    const Mark& parent = result.marks[static_cast<std::size_t>(mark.parent)];
    ASSERT_TRUE(parent.span.from <= mark.span.from && mark.span.to <= parent.span.to);
  }
  EXPECT_EQ(before, after);
}

struct RandomMarks {
  Random random;
  std::uint64_t next = 0;
  explicit RandomMarks(std::uint64_t seed) : random(seed, Stream::test) {}
  int below(int n) { return static_cast<int>(random.below(next++, static_cast<std::uint32_t>(n))); }
  void part(std::string& out, int depth) {
    for (int i = below(4); i >= 0; --i) {
      const int kind = below(8);
      if (kind < 4 || depth == 0) {
        out += std::string(1, static_cast<char>('a' + below(20))) + (below(4) > 0 ? " " : "");
      } else if (kind == 4) {
        out += '|';
      } else if (kind == 5) {
        out += below(2) == 0 ? ". " : " ";
      } else {
        out += kind == 6 ? '[' : depth == 1 ? '{' : '[';
        const char end = out.back() == '[' ? ']' : '}';
        if (end == ']')
          part(out, depth - 1);
        else
          out += "kept";
        out += end;
      }
    }
  }
};

TEST(Marks, AreSoundForAnyTextAndAttention) {
  for (std::uint64_t seed = 0; seed < 5'000; ++seed) {
    RandomMarks random(seed);
    std::string pattern;
    random.part(pattern, 4);
    const MarkedText source = parse_marks(pattern);
    std::string target;
    std::vector<int> links;
    const int width = static_cast<int>(text::whitespace_words(source.text).size());
    for (int t = random.below(12); t > 0; --t) {
      target += std::string(1, static_cast<char>('A' + random.below(20))) + (random.below(5) > 0 ? "" : ",") + " ";
      links.push_back(random.below(width + 1) - 1);
    }
    expect_sound(source,
                 transfer_marks(source, linked(source.text, target, random.below(4) > 0 ? links : std::vector<int>())));
    if (HasFatalFailure()) FAIL() << pattern << " -> " << target;
  }
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

struct MarkedLayerTest : ::testing::Test {
  testing::RandomModel nonsense;
  Translator translator{*nonsense.model, nonsense.pipeline};
};

TEST_F(MarkedLayerTest, TranslatesTheSameTextWithAndWithoutMarks) {
  TextLayer layer(translator, {});
  std::vector<MarkedText> texts;
  for (const char* pattern : {"[w3 w4 ?] W9 [w7] !", "w5 {code here} w6", "[w3 | [w4]] w5", "", "[]", " [w3] "})
    texts.push_back(parse_marks(pattern));
  const std::vector<MarkedText> all = layer.translate(texts, {});
  ASSERT_EQ(all.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    expect_sound(texts[i], all[i]);
    // The result depends only on the text.
    EXPECT_EQ(layer.translate(std::span(&texts[i], 1), {}).front(), all[i]);
  }
  const std::vector<std::string> lines = {texts[0].text};
  EXPECT_EQ(all[0].text, layer.translate(requests_for(lines), {}).front().best().text);
  // The first mark covers the first sentence.
  const std::vector<std::string> sentence = {"w3 w4 ?"};
  const std::string first = layer.translate(requests_for(sentence), {}).front().best().text;
  EXPECT_EQ(all[0].marks[0].span, (text::Span{0, static_cast<std::uint32_t>(utf8_length(first))}));
  // A reverse model changes the positions of marks, and the spaces around empty ones.
  TextLayer with_reverse(translator, {.reverse = &translator});
  const std::vector<MarkedText> moved = with_reverse.translate(texts, {});
  for (std::size_t i = 0; i < texts.size(); ++i) {
    expect_sound(texts[i], moved[i]);
    EXPECT_EQ(without_spaces(moved[i].text), without_spaces(all[i].text));
    EXPECT_EQ(with_reverse.translate(std::span(&texts[i], 1), {.threads = 1}).front(), moved[i]);
  }
  // A sentence has the same marks alone and after another one.
  const std::vector<MarkedText> sentences =
      with_reverse.translate(std::vector{parse_marks("w3 w4 ? W9 w8 [w7] w5 [w9] !"),
                                         parse_marks("W9 w8 [w7] w5 [w9] !"), parse_marks("w3 w4 ?")},
                             {});
  EXPECT_EQ(show_marks(sentences[0]), show_marks(sentences[2]) + " " + show_marks(sentences[1]));
  // What is kept is there once, under its mark.
  EXPECT_EQ(show_marks(all[1]).find("0[code here]") != std::string::npos, true) << show_marks(all[1]);
}

}  // namespace
}  // namespace heed::translate
