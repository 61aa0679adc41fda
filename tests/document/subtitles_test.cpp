#include <gtest/gtest.h>

#include "document/fake_documents.h"
#include "document/wrap_lines.h"

namespace heed::document {

namespace {

using fake::error_of;
using fake::translate_text;

std::string cue(const std::string& text, const std::string& number = "1") {
  return number + "\n00:00:01,000 --> 00:00:03,000\n" + text + "\n\n";
}

TEST(Srt, TranslatesTheTextOfCuesAndNothingElse) {
  const std::string srt = cue("{\\an8}<i>hello</i> my\nold friend.") + cue("Yes.", "2");
  EXPECT_EQ(translate_text("srt", srt, fake::upper_case),
            cue("{\\an8}<i>HELLO</i> MY\nOLD FRIEND.") + cue("YES.", "2"));
}

TEST(Srt, TagsFollowTheirWords) {
  EXPECT_EQ(translate_text("srt", cue("one <i>two</i> three"), fake::reversed), cue("three <i>two</i> one"));
  EXPECT_EQ(translate_text("srt", cue("<b>one two"), fake::reversed), cue("<b>two one"));
  EXPECT_EQ(translate_text("srt", cue("one</b> two"), fake::reversed), cue("two one</b>"));
}

TEST(Srt, SpeakersKeepTheirLines) {
  EXPECT_EQ(translate_text("srt", cue("- a b\n- c d"), fake::reversed), cue("- b a\n- d c"));
  EXPECT_EQ(translate_text("srt", cue("Who is it?\n- Only me."), fake::reversed), cue("it? is Who\n- me. Only"));
  EXPECT_EQ(translate_text("srt", cue("<i>Who\nis it?\"</i>\n- Only me."), fake::reversed),
            cue("<i>it?\"\nis Who</i>\n- me. Only"));
  EXPECT_EQ(translate_text("srt", cue("a b\n- c d."), fake::reversed), cue("d. c\n- b a")) << "not a new speaker";
  EXPECT_EQ(translate_text("srt", cue("- Who is it?\n- Only me."), fake::reversed), cue("- it? is Who\n- me. Only"));
}

TEST(Srt, SentencesOfSeveralCuesAreTranslatedAsOne) {
  const std::string srt = cue("one two three four") + cue("five six.", "2");
  std::vector<text::MarkedText> seen;
  const std::string out = translate_text("srt", srt, [&](fake::Segments segments) {
    seen.assign(segments.begin(), segments.end());
    return fake::reversed(segments);
  });
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].text, "one two three four five six.");
  EXPECT_EQ(out, cue("six. five four three") + cue("two one", "2"));
}

TEST(Srt, TaggedCuesGoOnTooIfTheirTagsAreTheSame) {
  const auto sentence = [](const std::string& srt) {
    std::string seen;
    const std::string out = translate_text("srt", srt, [&](fake::Segments segments) {
      for (const text::MarkedText& segment : segments) seen += segment.text + "|";
      return fake::reversed(segments);
    });
    return seen + "\n" + out;
  };
  EXPECT_EQ(sentence(cue("<i>one two three</i>") + cue("<i>four.</i>", "2")),
            "one two three four.|\n" + cue("<i>four. three two</i>") + cue("<i>one</i>", "2"));
  EXPECT_EQ(sentence(cue("<i>one two three") + cue("four.</i>", "2")),
            "one two three four.|\n" + cue("<i>four. three two") + cue("one</i>", "2"));
  EXPECT_EQ(sentence(cue("<i><b>one two</b></i>") + cue("<i>three</i>", "2")),
            "one two|three|\n" + cue("<i><b>two one</b></i>") + cue("<i>three</i>", "2"));
}

TEST(Srt, ASentenceGoesOnOnlyInLowerCase) {
  for (const std::string& srt : {cue("one two") + cue("Three.", "2"), cue("one two.") + cue("three.", "2"),
                                 cue("one two") + cue("<i>three</i>.", "2")}) {
    std::size_t segments = 0;
    translate_text("srt", srt, [&](fake::Segments all) {
      segments = all.size();
      return fake::same(all);
    });
    EXPECT_EQ(segments, 2U) << srt;
  }
}

TEST(Srt, EachCueShowsTheWholeTextIfThereAreTooFewWords) {
  const auto one_word = [](fake::Segments segments) {
    return std::vector<text::MarkedText>(segments.size(), {"Wort"});
  };
  EXPECT_EQ(translate_text("srt", cue("one two") + cue("three.", "2"), one_word), cue("Wort") + cue("Wort", "2"));
}

TEST(Srt, LongTranslationsGetASecondLine) {
  const auto doubled = [](fake::Segments segments) {
    return std::vector<text::MarkedText>(segments.size(), {"these are eight words for a very long line"
                                                           " and some more"});
  };
  EXPECT_EQ(translate_text("srt", cue("a short line"), doubled),
            cue("these are eight words for a\nvery long line and some more"));
}

TEST(Srt, KeepsLineEndsAndMistakes) {
  const std::string srt =
      "\xEF\xBB\xBF"
      "1\r\n00:00:01,000 --> 00:00:02,000\r\na b\r\nc d\r\n\r\nstray text\r\n2\r\n"
      "00:00:03,000 --> 00:00:04,000 X1:1\r\ne\r\n3\r\n00:00:05,000 --> 00:00:06,000\r\nf";
  std::string expected = srt;
  for (const auto& [from, to] :
       {std::pair("a b", "A B"), {"c d", "C D"}, {"stray text", "STRAY TEXT"}, {"\ne", "\nE"}, {"\nf", "\nF"}})
    expected.replace(expected.find(from), std::string(to).size(), to);
  EXPECT_EQ(translate_text("srt", srt, fake::upper_case), expected);
}

TEST(Srt, SaysWhatIsNotSubtitles) {
  EXPECT_NE(error_of("srt", "just text\n").find("has no time codes, such as 00:01:02,500"), std::string::npos);
  EXPECT_EQ(error_of("srt", ""), "");
}

TEST(Vtt, KeepsNotesStylesNamesAndSettings) {
  const std::string head =
      "WEBVTT - a title\nKind: captions\n\nNOTE not this\nnor this\n\nNOTE\n00:00.000 --> 00:00.500\nnot "
      "that\n\nSTYLE\n::cue { color: red }\n\n";
  const std::string time = "intro\n00:01.000 --> 00:03.000 align:start\n";
  EXPECT_EQ(translate_text("vtt", head + time + "<v Bob>you &amp; me &lt;<c.x>all</c>\n", fake::upper_case),
            head + time + "<v Bob>YOU &amp; ME &lt;<c.x>ALL</c>\n");
  EXPECT_EQ(translate_text("vtt", head + time + "a <00:02.000>b\n", fake::bracketed),
            head + time + "[a <00:02.000>b]\n");
}

TEST(Vtt, TimeStampsAscend) {
  const std::string head = "WEBVTT\n\n00:01.000 --> 00:03.000\n";
  const auto swapped = [](fake::Segments segments) {
    std::vector<text::MarkedText> out;
    for (const text::MarkedText& segment : segments)
      out.push_back(
          {"C B A", {{{0, 0}, segment.marks[2].id}, {{2, 2}, segment.marks[0].id}, {{4, 4}, segment.marks[1].id}}});
    return out;
  };
  EXPECT_EQ(translate_text("vtt", head + "a <00:01.100>b <00:01.200>c<00:01.300>\n", swapped),
            head + "<00:01.100>C <00:01.200>B <00:01.300>A\n");
}

TEST(Vtt, SpeakersKeepTheirLines) {
  const std::string head = "WEBVTT\n\n00:01.000 --> 00:03.000\n";
  const auto reversed = [&](const std::string& text) {
    return translate_text("vtt", head + text, fake::reversed).substr(head.size());
  };
  EXPECT_EQ(reversed("<v Bob>one two.\n<v.loud Ann>three four five\nsix.\n"),
            "<v Bob>two. one\n<v.loud Ann>six. five\nfour three\n");
  EXPECT_EQ(reversed("<v Bob>one two.</v> <v Ann>three four.</v>\n"), "<v Bob>two. one</v> <v Ann>four. three</v>\n");
  EXPECT_EQ(reversed("one <v Bob>two</v>\n"), "<v Bob>two</v> one\n");
  EXPECT_EQ(reversed("<v Bob>\n<v Ann>one two\n"), "<v Bob>\n<v Ann>two one\n");
}

TEST(WrapLines, BalancesLines) {
  const auto wrap = [](const std::string& text, std::size_t lines) { return wrap_lines({text}, lines).text; };
  EXPECT_EQ(wrap("aaaa bbbb cccc dddd", 2), "aaaa bbbb\ncccc dddd");
  EXPECT_EQ(wrap("aaaa bbbb cccc dddd", 1), "aaaa bbbb cccc dddd");
  EXPECT_EQ(wrap("a bbbbbbbbbb c", 2), "a bbbbbbbbbb\nc");
  EXPECT_EQ(wrap("word", 3), "word");
  EXPECT_EQ(wrap("", 2), "");
  EXPECT_EQ(wrap("a b c", 3), "a\nb\nc");
  EXPECT_EQ(wrap("日本語日本語", 2), "日本語\n日本語");
}

TEST(WrapLines, MovesMarksWithTheirCharacters) {
  const text::MarkedText wrapped = wrap_lines({"日本語日本語", {{.span = {3, 6}}}}, 2);
  EXPECT_EQ(wrapped.marks[0].span, (text::Span{4, 7}));
  EXPECT_EQ(wrap_lines({"aaa bbb", {{.span = {4, 7}}}}, 2).marks[0].span, (text::Span{4, 7}));
}

}  // namespace

}  // namespace heed::document
