// What holds for every document: random ones, cut ones, changed ones.
#include <gtest/gtest.h>

#include <random>

#include "base/utf8.h"
#include "document/fake_documents.h"
#include "document/inline_marks.h"
#include "document/segment_queue.h"

namespace heed::document {

namespace {

using fake::translate_text;

class RandomDocument {
 public:
  explicit RandomDocument(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return random_() % n; }
  std::string pick(std::initializer_list<const char*> choices) { return *(choices.begin() + below(choices.size())); }
  std::string repeat(std::size_t most, const std::function<std::string()>& make) {
    std::string out;
    for (std::size_t i = below(most + 1); i > 0; --i) out += make();
    return out;
  }
  std::string words(const std::string& extra = "") {
    return repeat(6, [&] {
      return pick({"a", "word", "Wort", "x1", "été", "日本", "12", "-", ".", ",", "…"}) + pick({" ", " ", "  ", ""}) +
             (below(4) == 0 ? extra : "");
    });
  }

  std::string srt() {
    std::size_t number = 0;
    const std::string line_end = pick({"\n", "\r\n"});
    return pick({"", "\xEF\xBB\xBF"}) + "1" + line_end + "00:00:01,000 --> 00:00:02,000" + line_end + repeat(8, [&] {
             std::string text;
             for (std::size_t i = below(3); i > 0; --i)
               text += pick({"", "- ", "<i>", "{\\an8}", "♪ "}) +
                       words(pick({"</i>", "<b>", "{\\i1}", "<font color=\"red\">", "< 3"})) + line_end;
             return std::to_string(++number) + line_end + "00:00:01,000 --> 00:00:02,000" + line_end + text +
                    pick({"", "\n", "\n\n"}) + line_end;
           });
  }
  std::string vtt() {
    return "WEBVTT\n\n" + repeat(8, [&] {
             return pick({"NOTE x\ny\n", "STYLE\n{}\n", "id\n00:01.000 --> 00:02.000 line:1\n",
                          "00:01.000 --> 00:02.000\n"}) +
                    pick({"<v A>", "", "&amp;"}) + words(pick({"&lt;", "</c>", "<c.a>", "<00:01.500>", "&nbsp;"})) +
                    "\n" + pick({"", "\n"});
           });
  }
  std::string json(int depth = 0) {
    const std::string space = pick({"", " ", "\n\t"});
    switch (below(depth > 5 ? 3 : 5)) {
      case 0:
        return space + "\"" + words(pick({"\\n", "\\u00e9", "\\\"", "\\ud83d\\ude00", "\\ud83d", "/"})) + "\"" + space;
      case 1:
        return space + pick({"1", "-2.5e7", "true", "null"}) + space;
      case 2:
        return space + pick({"[]", "{}"}) + space;
      case 3:
        return space + "[" + json(depth + 1) + repeat(3, [&] { return "," + json(depth + 1); }) + "]" + space;
      default:
        return space + "{" + space + "\"k\":" + json(depth + 1) +
               repeat(3, [&] { return ", \"k\" :" + json(depth + 1); }) + "}" + space;
    }
  }
  std::string csv() {
    const std::string separator = pick({",", ";"});
    return "a" + separator + "b\n" + repeat(8, [&] {
             return words() + "x" + separator + pick({"", "\"\"", "\"x\""}) + pick({"\n", "\r\n", "\n\n"}) + "\"" +
                    words(pick({"\"\"", "\n", ";,"})) + "\"" + separator + "\n";
           });
  }
  std::string tagged(const std::string& open, const std::string& close, const std::string& single) {
    return words(single) + repeat(3, [&] { return open + words(single) + close + words(); });
  }
  std::string xliff() {
    return "<xliff version='1.2'><file target-language=\"de\"><body>" +
           repeat(6,
                  [&] {
                    const std::string content =
                        tagged("<g id=\"1\">", "</g>", pick({"<x id='2'/>", "&amp;", "<ph id='1'>&lt;</ph>", "\n"}));
                    return "<trans-unit><source>" + content + "</source> <target>" + content +
                           "x</target></trans-unit>" + pick({"", "\n", "<!-- c -->"});
                  }) +
           "</body></file></xliff>";
  }

 private:
  std::mt19937 random_;
};

struct Sample {
  const char* format;
  std::string text;
  DocumentOptions options = {"en", "de"};
};
std::vector<Sample> make_samples(unsigned seed) {
  RandomDocument random(seed);
  return {{"srt", random.srt()},
          {"vtt", random.vtt()},
          {"json", random.json()},
          {"csv", random.csv(), {"en", "de", {"1", "2"}}},
          {"xliff", random.xliff()}};
}

TEST(Documents, TheSameTextGivesTheSameBytes) {
  for (unsigned seed = 0; seed < 300; ++seed)
    for (const Sample& sample : make_samples(seed))
      ASSERT_EQ(translate_text(sample.format, sample.text, fake::same, sample.options), sample.text)
          << sample.format << " " << seed;
}

// Without letters, nothing but what is translated has changed.
TEST(Documents, OnlyLettersChange) {
  const auto upper = [](std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
  };
  for (unsigned seed = 0; seed < 300; ++seed)
    for (const Sample& sample : make_samples(seed)) {
      if (sample.format == std::string("vtt") || sample.format == std::string("srt") ||
          sample.format == std::string("json"))
        continue;
      ASSERT_EQ(upper(translate_text(sample.format, sample.text, fake::upper_case, sample.options)), upper(sample.text))
          << sample.format << " " << seed;
    }
}

TEST(Documents, CuesKeepTheirTimesAndLines) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const std::string srt = RandomDocument(seed).srt();
    const std::string out = translate_text("srt", srt, fake::upper_case);
    EXPECT_EQ(std::ranges::count(out, '>'), std::ranges::count(srt, '>')) << srt;
    EXPECT_LE(std::ranges::count(out, '\n'), std::ranges::count(srt, '\n')) << srt;
  }
}

TEST(Documents, AnyPartOfADocumentIsReadOrRefused) {
  for (unsigned seed = 0; seed < 60; ++seed)
    for (const Sample& sample : make_samples(seed)) {
      std::mt19937 random(seed);
      for (int i = 0; i < 20; ++i) {
        std::string text = sample.text.substr(0, random() % (sample.text.size() + 1));
        if (!text.empty() && i % 2 == 0) text[random() % text.size()] = static_cast<char>(random());
        for (const char* format : {sample.format, "po", "tmx"}) {
          try {
            translate_text(format, text, fake::reversed, sample.options);
          } catch (const Error& error) {
            EXPECT_TRUE(is_valid_utf8(error.what()));
          }
        }
      }
    }
}

TEST(Documents, MemoryDoesNotGrowWithTheDocument) {
  std::string json = "[\"a b\"";
  for (int i = 0; i < 20000; ++i) json += ", \"some words\"";
  std::size_t most = 0, calls = 0;
  const std::string out = translate_text("json", json + "]", [&](fake::Segments segments) {
    most = std::max(most, segments.size());
    ++calls;
    return fake::upper_case(segments);
  });
  EXPECT_LE(most, 2000U);
  EXPECT_GE(calls, 10U);
  EXPECT_EQ(out.size(), json.size() + 1);
}

TEST(SegmentQueue, MarksThatATranslationLostAreKept) {
  const auto lost = [](fake::Segments segments) { return std::vector<text::MarkedText>(segments.size(), {"x\ny"}); };
  EXPECT_EQ(translate_text("srt", "1\n00:00:01,000 --> 00:00:02,000\na <i>b</i>\n", lost),
            "1\n00:00:01,000 --> 00:00:02,000\nx y<i></i>\n");
}

TEST(SegmentQueue, RefusesTranslationsThatDoNotFit) {
  const auto none = [](fake::Segments) { return std::vector<text::MarkedText>(); };
  EXPECT_THROW(translate_text("json", "\"a\"", none), InternalError);
  const auto outside = [](fake::Segments segments) {
    return std::vector<text::MarkedText>(segments.size(), {"x", {{.span = {0, 2}}}});
  };
  EXPECT_THROW(translate_text("json", "\"a\"", outside), InternalError);
}

TEST(InlineMarks, PairsAndSingles) {
  using Kind = InlineItem::Kind;
  const std::vector<InlineItem> items = {{.kind = Kind::open, .text = "<a>", .key = "a"},
                                         {.text = "x"},
                                         {.kind = Kind::open, .text = "<E>", .key = "e", .strict = true},
                                         {.kind = Kind::close, .text = "</a>", .key = "a"},
                                         {.text = "ÿ\xFF"},
                                         {.kind = Kind::close, .text = "</E>", .key = "e", .strict = true},
                                         {.kind = Kind::open, .text = "<b>", .key = "b"},
                                         {.kind = Kind::single, .text = "<s>"},
                                         {.kind = Kind::close, .text = "</b>", .key = "b"}};
  MarkTags tags;
  const text::MarkedText text = mark_text(items, tags);
  EXPECT_EQ(text.text, "xÿ\uFFFD");
  // <a> and </a> are on two sides of <E>, so that they are no pair.
  ASSERT_EQ(text.marks.size(), 5U);
  EXPECT_EQ(text.marks[1], (text::Mark{{1, 3}, 1}));
  EXPECT_EQ(text.marks[2], (text::Mark{{1, 1}, 2, 1}));
  EXPECT_EQ(text.marks[4], (text::Mark{{3, 3}, 4, 3}));
  EXPECT_EQ(write_marked_text(text, tags, [](std::string& out, std::string_view part) { out += part; }),
            "<a>x<E></a>ÿ\uFFFD</E><b><s></b>");
}

TEST(LineSegments, SplitAtLineEndsOutsideOfMarks) {
  const LineSegments lines({"  one\n12\n two\nthree ", {{.span = {9, 19}}}});
  ASSERT_EQ(lines.segments().size(), 2U);
  EXPECT_EQ(lines.segments()[0].text, "one");
  EXPECT_EQ(lines.segments()[1].text, "two three");
  EXPECT_EQ(lines.segments()[1].marks[0].span, (text::Span{0, 9}));
  const text::MarkedText joined = lines.join(lines.segments());
  EXPECT_EQ(joined.text, "  one\n12\n two three ");
  EXPECT_EQ(joined.marks[0].span, (text::Span{10, 19}));
}

TEST(DocumentFormats, AreFoundByNameAndEnding) {
  for (const DocumentFormat& format : document_formats()) {
    EXPECT_EQ(find_document_format(format.name), &format);
    for (const std::string_view ending : format.endings)
      EXPECT_EQ(detect_document_format("DIR.x/A" + std::string(ending)), &format);
  }
  EXPECT_EQ(detect_document_format("A.DOCX"), find_document_format("docx"));
  EXPECT_EQ(detect_document_format("docx"), nullptr);
  EXPECT_EQ(find_document_format("exe"), nullptr);
}

}  // namespace

}  // namespace heed::document
