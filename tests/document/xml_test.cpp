#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "document/fake_translator.h"
#include "document/random_parts.h"
#include "document/xml_check.h"

namespace heed::document {
namespace {

using testing::backwards;
using testing::translate_text;
using testing::upper;

std::string xml(const std::string& document, testing::FakeTranslation translation = backwards) {
  return translate_text("xml", document, translation);
}

std::string xml_error(const std::string& document) {
  try {
    xml(document);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Xml, ElementsWithTextAreSegments) {
  EXPECT_EQ(xml("<a>\n  <b x='1'>one</b>\n  <b>two <c d=\"e>f\">three</c> four</b>\n</a>\n"),
            "<a>\n  <b x='1'>ENO</b>\n  <b>RUOF <c d=\"e>f\">EERHT</c> OWT</b>\n</a>\n");
  EXPECT_EQ(xml("<a> ab <b/> cd <c></c></a>"), "<a> <c></c> DC <b/> BA</a>");
  // A paragraph inside of text is one of its own.
  EXPECT_EQ(xml("<a>ab <p>cd</p> ef</a>"), "<a>BA <p>DC</p> FE</a>");
}

TEST(Xml, WhiteSpaceCountsWhereItIsPreserved) {
  EXPECT_EQ(xml("<a xml:space='preserve'>one  two\n\t three four\n<b>five</b> six</a>"),
            "<a xml:space='preserve'>ENO  OWT\n\t RUOF EERHT\nXIS <b>EVIF</b></a>");
  EXPECT_EQ(xml("<a xml:space=\"preserve\"><b>one <c>two\nthree</c></b> <d xml:space=\"default\">four\nfive</d></a>"),
            "<a xml:space=\"preserve\"><b>ENO <c>OWT\nEERHT</c></b> <d xml:space=\"default\">EVIF RUOF</d></a>");
  EXPECT_EQ(xml("<a space='x'>one  two\nthree</a>"), "<a space='x'>EERHT OWT ENO</a>");
}

TEST(Xml, KeepsWhatIsNotText) {
  const std::string document =
      "<?xml version='1.0' encoding='UTF-8'?>\n<!DOCTYPE a [<!ENTITY x \"y > z\"> <!-- ] > -->]>\n"
      "<a title=\"text\"><!-- text --><?text text?><script>text</script><b translate=\"no\">text</b>"
      "<b class='x notranslate'>text</b><c>12 &#33;</c><d><![CDATA[<p>text</p>]]></d></a>\n<!-- end -->\n";
  EXPECT_EQ(xml(document), document);
  EXPECT_EQ(xml("<a>ab <code>x</code> <!-- c --> cd</a>"), "<a>DC <!-- c --> <code>x</code> BA</a>");
}

TEST(Xml, DecodesAndEncodesEntities) {
  EXPECT_EQ(xml("<a>a &lt;&amp;&gt;&quot;&apos; &#233;&#xe9;</a>", upper), "<a>A &lt;&amp;&gt;\"' éé</a>");
  EXPECT_EQ(xml("<!DOCTYPE a [<!ENTITY x \"y\">]><a>ab &x; cd</a>"),
            "<!DOCTYPE a [<!ENTITY x \"y\">]><a>DC &x; BA</a>");
  EXPECT_EQ(xml("<a><![CDATA[ab ]] c]]></a>"), "<a><![CDATA[C ]] BA]]></a>");
  EXPECT_EQ(xml("<a><![CDATA[ab >]] c]]></a>"), "<a><![CDATA[C ]]]]><![CDATA[> BA]]></a>");
}

TEST(Xml, DeclaresUtf8) {
  EXPECT_EQ(xml("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>ab</a>"),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a>BA</a>");
  EXPECT_NE(xml_error("<?xml version='1.0' encoding='Shift_JIS'?><a>\xE3\x81\x82</a>").find("Shift_JIS"),
            std::string::npos);
}

TEST(Xml, NamesTheLineOfAnError) {
  EXPECT_NE(xml_error("<a>\n<b>\n</a>").find(":3: this is not well-formed XML"), std::string::npos);
  EXPECT_NE(xml_error("<a>&x;</a>").find(":1: "), std::string::npos);
  EXPECT_NE(xml_error("").find("is empty"), std::string::npos);
  EXPECT_NE(xml_error("<a>ab\xFF</a>"), "");
  EXPECT_NE(xml_error("<a>ab"), "");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  EXPECT_NE(xml_error(deep).find("nested more than 256 deep"), std::string::npos) << xml_error(deep);
  for (const char* entity : {"&#x110000;", "&;", "&amp", "&#xD800;"})
    EXPECT_NE(xml_error(std::string("<a>b ") + entity + " c</a>").find(":1: this is not well-formed"),
              std::string::npos)
        << entity;
}

// Random well-formed documents.
class RandomXml : testing::RandomParts {
 public:
  using RandomParts::RandomParts;
  std::string make() {
    std::string out = pick({"", "<?xml version='1.0'?>\n", "<!-- a -->"}) + "<root>";
    for (int i = below(6); i > 0; --i) part(out, 4);
    return out + "</root>" + pick({"", "\n", "<?x y?>"});
  }

 private:
  void part(std::string& out, int depth) {
    const int kind = below(10);
    if (kind < 4 || depth == 0)
      return void(out += pick({"ab", " cd ", "\n", "&amp;", "&lt;x", "é", "1 ", "&#65;", ". ", "a > b"}));
    if (kind == 4) return void(out += pick({"<!-- a<b -->", "<?p q?>", "<![CDATA[a]]>", "<![CDATA[<b>]]>", "<e/>"}));
    const std::string tag = pick({"b", "c", "p", "x:d", "code", "item"});
    out += "<" + tag + pick({"", " t='>'", " translate='no'", " u=\"a'b\"", " xml:space='preserve'"}) +
           pick({"", " "}) + ">";
    for (int i = below(5); i > 0; --i) part(out, depth - 1);
    out += "</" + tag + ">";
  }
};

// All tags, and the structure without the elements that may move.
std::pair<std::multiset<std::string>, std::string> outline(const std::string& document) {
  std::pair<std::multiset<std::string>, std::string> result;
  for (std::size_t at = 0; (at = document.find('<', at)) != document.npos; ++at) {
    char quote = 0;
    std::size_t end = at;
    for (; end < document.size() && (quote != 0 || document[end] != '>'); ++end) {
      if (quote == 0 && (document[end] == '\'' || document[end] == '"'))
        quote = document[end];
      else if (document[end] == quote)
        quote = 0;
    }
    const std::string tag = document.substr(at, end + 1 - at);
    result.first.insert(tag.starts_with("<![CDATA[") ? "cdata" : tag);
    for (const char* block : {"<p", "</p", "<item", "</item", "<root", "</root"})
      if (tag.starts_with(block)) result.second += tag;
    at = end;
  }
  return result;
}

TEST(Xml, AnyDocumentStaysWellFormedWithTheSameTags) {
  for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
    const std::string document = RandomXml(seed).make();
    check_xml(document, "input");
    EXPECT_EQ(xml(document, testing::same_text), document);
    const std::string result = xml(document);
    ASSERT_NO_THROW(check_xml(result, "output")) << document << "\n---\n" << result;
    ASSERT_EQ(outline(document), outline(result)) << document << "\n---\n" << result;
  }
}

}  // namespace
}  // namespace heed::document
