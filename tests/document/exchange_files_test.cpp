// XLIFF and TMX, and the XML that they are made of.
#include <gtest/gtest.h>

#include "document/fake_documents.h"
#include "document/xml_tokens.h"

namespace heed::document {

namespace {

using fake::error_of;
using fake::translate_text;

std::string xliff1(const std::string& units) {
  return "<?xml version=\"1.0\"?>\n<xliff version=\"1.2\">\n<file target-language='de'><body>\n" + units +
         "\n</body></file></xliff>\n";
}
std::string xliff2(const std::string& units) {
  return "<xliff version=\"2.1\" srcLang=\"en\" trgLang=\"de\"><file id=\"f\">" + units + "</file></xliff>";
}
std::string tmx(const std::string& units) {
  return "<tmx version=\"1.4\"><header srclang=\"en\"/><body>" + units + "</body></tmx>";
}

TEST(Xliff, FillsMissingTargets) {
  EXPECT_EQ(
      translate_text(
          "xliff",
          xliff1(
              "<trans-unit id=\"1\">\n  <source>one &amp; &quot;two&quot;</source>\n  <note>n</note>\n</trans-unit>"),
          fake::upper_case),
      xliff1("<trans-unit id=\"1\">\n  <source>one &amp; &quot;two&quot;</source>\n  <target>ONE &amp; "
             "\"TWO\"</target>\n  <note>n</note>\n</trans-unit>"));
  EXPECT_EQ(translate_text("xliff", xliff1("<trans-unit><source>a</source><target state=\"new\"/></trans-unit>"),
                           fake::upper_case),
            xliff1("<trans-unit><source>a</source><target state=\"translated\">A</target></trans-unit>"));
  EXPECT_EQ(translate_text("xliff", xliff1("<trans-unit><source>a</source><target>\n</target></trans-unit>"),
                           fake::upper_case),
            xliff1("<trans-unit><source>a</source><target>A</target></trans-unit>"));
  EXPECT_EQ(translate_text("xliff", xliff2("<unit><segment state=\"initial\"><source>a</source></segment></unit>"),
                           fake::upper_case),
            xliff2("<unit><segment state=\"translated\"><source>a</source><target>A</target></segment></unit>"));
}

TEST(Xliff, LeavesTheRestAsItIs) {
  for (const std::string& unit :
       {std::string("<trans-unit><source>a</source><target>b</target></trans-unit>"),
        std::string("<trans-unit translate=\"no\"><source>a</source></trans-unit>"),
        std::string("<group translate='no'><trans-unit><source>a</source></trans-unit></group>"),
        std::string("<trans-unit><alt-trans><source>a</source></alt-trans></trans-unit>"),
        std::string("<trans-unit><source></source></trans-unit><!-- <source>a</source> -->")})
    EXPECT_EQ(translate_text("xliff", xliff1(unit), fake::upper_case), xliff1(unit));
  for (const std::string& unit : {std::string("<unit translate=\"no\"><segment><source>a</source></segment></unit>"),
                                  std::string("<unit><segment><source>a</source><target>b</target></"
                                              "segment><ignorable><source> </source></ignorable></unit>")})
    EXPECT_EQ(translate_text("xliff", xliff2(unit), fake::upper_case), xliff2(unit));
}

TEST(Xliff, NamesTheTargetLanguage) {
  EXPECT_EQ(translate_text("xliff", "<xliff version=\"1.2\"><file id='1'></file></xliff>", fake::same),
            "<xliff version=\"1.2\"><file id='1' target-language=\"de\"></file></xliff>");
  EXPECT_EQ(translate_text("xliff", "<xliff version=\"2.0\"><file id='1'></file></xliff>", fake::same),
            "<xliff version=\"2.0\" trgLang=\"de\"><file id='1'></file></xliff>");
}

TEST(Xliff, InlineElementsFollowTheirWords) {
  const auto unit = [](const std::string& source, const std::string& target) {
    return xliff1("<trans-unit><source>" + source + "</source>" +
                  (target.empty() ? "" : "<target>" + target + "</target>") + "</trans-unit>");
  };
  for (const auto& [source, target] :
       {std::pair("one <g id=\"1\">two</g> three", "three <g id=\"1\">two</g> one"),
        {"<bpt id=\"1\">&lt;b></bpt>one<ept id=\"1\">&lt;/b></ept> two",
         "two <bpt id=\"1\">&lt;b></bpt>one<ept id=\"1\">&lt;/b></ept>"},
        {"<bx id='1' rid='7'/>one<ex id='2' rid='7'/> two", "two <bx id='1' rid='7'/>one<ex id='2' rid='7'/>"},
        {"one <x id=\"1\"/>two", "two one<x id=\"1\"/>"},
        {"one <it id='1' pos='open'>&lt;i></it>two", "two one<it id='1' pos='open'>&lt;i></it>"},
        {"one &unknown; two", "two one&unknown;"},
        {"<![CDATA[one <b>]]>two", "&lt;b&gt;two one"}})
    EXPECT_EQ(translate_text("xliff", unit(source, ""), fake::reversed), unit(source, target));
  EXPECT_EQ(translate_text("xliff", unit("a <mrk mtype=\"protected\">b</mrk>", ""), fake::upper_case),
            unit("a <mrk mtype=\"protected\">b</mrk>", "A <mrk mtype=\"protected\">b</mrk>"));
}

TEST(Xliff, PairsOfXliff2FollowTheirWords) {
  const std::string source =
      "<source><sc id=\"1\"/>one<ec startRef=\"1\"/> <pc id=\"2\">two</pc> <mrk id=\"3\" "
      "translate=\"no\">x</mrk></source>";
  EXPECT_EQ(translate_text("xliff", xliff2("<unit><segment>" + source + "</segment></unit>"), fake::upper_case),
            xliff2("<unit><segment>" + source +
                   "<target><sc id=\"1\"/>ONE<ec startRef=\"1\"/> <pc id=\"2\">TWO</pc> <mrk id=\"3\" "
                   "translate=\"no\">x</mrk></target></segment></unit>"));
}

TEST(Xliff, SegmentsAreTranslatedOneByOne) {
  const std::string source = "<source>a b. c d.</source>",
                    segments = "<mrk mtype=\"seg\" mid=\"1\">a b.</mrk> <mrk mtype=\"seg\" mid=\"2\">c d.</mrk>";
  EXPECT_EQ(translate_text("xliff",
                           xliff1("<trans-unit>" + source + "<seg-source>" + segments + "</seg-source></trans-unit>"),
                           fake::reversed),
            xliff1("<trans-unit>" + source + "<seg-source>" + segments +
                   "</seg-source><target><mrk mtype=\"seg\" mid=\"1\">b. a</mrk> <mrk mtype=\"seg\" mid=\"2\">d. "
                   "c</mrk></target></trans-unit>"));
}

TEST(Xliff, ChangesTheDeclaredEncoding) {
  EXPECT_EQ(translate_text("xliff",
                           "<?xml version='1.0' encoding='ISO-8859-1'?><xliff version='1.2'><file "
                           "target-language='de'><note>\xE9</note></file></xliff>",
                           fake::same),
            "<?xml version='1.0' encoding='UTF-8'?><xliff version='1.2'><file "
            "target-language='de'><note>é</note></file></xliff>");
}

TEST(Xliff, SaysWhatIsWrong) {
  EXPECT_NE(error_of("xliff", "<a/>").find("has no <xliff> element"), std::string::npos);
  EXPECT_NE(error_of("xliff", "<xliff>\n<file></xliff>").find(":2: </xliff> closes <file>"), std::string::npos);
  EXPECT_NE(error_of("xliff", "<xliff><file>").find("ends inside <file>"), std::string::npos);
  EXPECT_NE(error_of("xliff", "<xliff").find("ends inside a tag"), std::string::npos);
  EXPECT_NE(error_of("xliff", "text").find("text outside of all elements"), std::string::npos);
  EXPECT_NE(
      error_of("xliff", "<?xml version='1.0' encoding='KOI8-R'?><xliff/>").find("'KOI8-R', which heed does not read"),
      std::string::npos);
  for (const char* tag :
       {"<xliff a>", "<xliff a='1' 'b'>", "<xliff =''>", "<xliff a=b>", "<xliff a b='1'>", "<xliff / >"})
    EXPECT_NE(error_of("xliff", tag).find("<xliff> contains something that is not an attribute"), std::string::npos)
        << tag;
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += "<a>";
  EXPECT_NE(error_of("xliff", deep).find("elements are nested more than 1000 deep"), std::string::npos);
}

TEST(Tmx, AddsTheVariantOfTheTargetLanguage) {
  const std::string source =
      "\n  <tuv xml:lang=\"en-US\"><seg>one <bpt i=\"1\">[</bpt>two<ept i=\"1\">]</ept></seg></tuv>";
  EXPECT_EQ(translate_text("tmx", tmx("<tu>" + source + "\n</tu>"), fake::reversed),
            tmx("<tu>" + source +
                "\n  <tuv xml:lang=\"de\"><seg><bpt i=\"1\">[</bpt>two<ept i=\"1\">]</ept> one</seg></tuv>\n</tu>"));
}

TEST(Tmx, LeavesTheRestAsItIs) {
  for (const std::string& unit :
       {std::string("<tu><tuv xml:lang=\"en\"><seg>a</seg></tuv><tuv xml:lang=\"DE-at\"><seg>b</seg></tuv></tu>"),
        std::string("<tu><tuv xml:lang=\"fr\"><seg>a</seg></tuv></tu>"), std::string("<tu><tuv xml:lang=\"en\"/></tu>"),
        std::string("<tu/>")})
    EXPECT_EQ(translate_text("tmx", tmx(unit), fake::upper_case), tmx(unit));
}

TEST(Tmx, NeedsATargetLanguage) {
  EXPECT_NE(error_of("tmx", tmx(""), {}).find("does not name its target language"), std::string::npos);
  EXPECT_NE(error_of("tmx", "<a/>").find("has no <tmx> element"), std::string::npos);
}

TEST(XmlTokens, KeepEveryByte) {
  const std::string xml =
      "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY e \"]>\">]>\n<a b='>' c=\"/>\"><!-- <a> --><![CDATA[</a>]]>t&amp;x<d "
      "/><e></e></a>\n";
  DocumentReader reader(xml, "test");
  XmlTokenizer tokenizer(reader);
  std::string all;
  std::size_t count = 0;
  for (XmlToken token; tokenizer.next(token); ++count) all += token.raw;
  EXPECT_EQ(all, xml);
  EXPECT_EQ(count, 12U);
}

TEST(XmlTokens, ReadAndChangeAttributes) {
  XmlToken tag{XmlToken::Kind::empty, "<x:a b = 'c&amp;&#100;' ab=\"2\" />"};
  EXPECT_EQ(tag.name(), "x:a");
  EXPECT_EQ(tag.local_name(), "a");
  EXPECT_EQ(find_attribute(tag, "b"), "c&d");
  EXPECT_EQ(find_attribute(tag, "a"), std::nullopt);
  set_attribute(tag, "b", "\"<");
  set_attribute(tag, "new", "3");
  EXPECT_EQ(tag.raw, "<x:a b = '&quot;&lt;' ab=\"2\" new=\"3\" />");
}

}  // namespace

}  // namespace heed::document
