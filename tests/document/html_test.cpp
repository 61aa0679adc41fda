#include <gtest/gtest.h>
#include <gumbo.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "base/error.h"
#include "document/fake_translator.h"
#include "document/random_parts.h"

namespace heed::document {
namespace {

using testing::backwards;
using testing::same_text;
using testing::translate_text;
using testing::upper;

std::string html(const std::string& document, testing::FakeTranslation translation = backwards) {
  return translate_text("html", document, translation);
}

TEST(Html, InlineTagsFollowTheirWords) {
  EXPECT_EQ(html("<p class='a'> The <b>old <i>man</i></b> sees. </p>"),
            "<p class='a'> .SEES <b><i>NAM</i> DLO</b> EHT </p>");
  EXPECT_EQ(html("<p>one<br>two <img src=x>three</p>"), "<p>ENO<br>EERHT<img src=x> OWT</p>");
  EXPECT_EQ(html("ab<!-- c -->de"), "ED<!-- c -->BA");
  EXPECT_EQ(html("<ul><li>ab<li>cd</ul>"), "<ul><li>BA<li>DC</ul>");
}

TEST(Html, KeepsWhatIsNotTranslated) {
  for (const char* document :
       {"<script>var a = 'text';</script>", "<style>p { color: red }</style>", "<p translate=\"no\">ab <b>cd</b></p>",
        "<div class=\"x notranslate y\"><p>ab</p></div>", "<textarea>ab</textarea>", "<template><p>ab</p></template>",
        "<svg><text>ab</text></svg>", "<math><mi>ab</mi></math>", "<p>12 &amp; 13 !</p>",
        "<pre><code>ab\ncd</code></pre>", "", "   ", "<!-- ab -->", "<?php ab ?>", "<iframe>ab</iframe>",
        "<p><a href=ab></a></p>"})
    EXPECT_EQ(html(document), document);
  EXPECT_EQ(html("<p>a <code>x = 1</code> b</p>", upper), "<p>A <code>x = 1</code> B</p>");
  EXPECT_EQ(html("<p>a <span class=notranslate>Foo  bar</span> b</p>"),
            "<p>B <span class=notranslate>Foo  bar</span> A</p>");
  EXPECT_EQ(html("<p>ab</p><p class=\"notranslated\">cd</p>"), "<p>BA</p><p class=\"notranslated\">DC</p>");
}

TEST(Html, DecodesAndEncodesEntities) {
  EXPECT_EQ(html("<p>a &lt;b&gt; &amp;amp; &eacute;&#x41; c</p>", upper), "<p>A &lt;B&gt; &amp;AMP; éA C</p>");
  EXPECT_EQ(html("<p>AT&T &copy &unknown; x</p>", upper), "<p>AT&amp;T © &amp;UNKNOWN; X</p>");
  EXPECT_EQ(html("<p>a < b</p>", upper), "<p>A &lt; B</p>");
  EXPECT_EQ(html("<p>a &#xZZ; &#99999999999; &; &#xD800; b</p>", upper), "<p>A &amp;#XZZ; \uFFFD &amp;; \uFFFD B</p>");
  // What does not change keeps its bytes.
  EXPECT_EQ(html("<p>A &eacute; < B</p>", same_text), "<p>A &eacute; < B</p>");
}

TEST(Html, TranslatesAttributesThatPeopleRead) {
  EXPECT_EQ(html("<img alt='a \"b\" &amp; c' src=ab>", upper), "<img alt='A \"B\" &amp; C' src=ab>");
  EXPECT_EQ(html("<p title=ab>c <b title=\"d 'e'\">f</b></p>", upper),
            "<p title=\"AB\">C <b title=\"D 'E'\">F</b></p>");
  EXPECT_EQ(html("<input placeholder=\"a&quot;b\"><textarea placeholder=\"x\">y</textarea>", upper),
            "<input placeholder=\"A&quot;B\"><textarea placeholder=\"X\">y</textarea>");
  EXPECT_EQ(html("<a href=b aria-label=\"c\" translate=no title=d>e</a>", upper),
            "<a href=b aria-label=\"c\" translate=no title=d>e</a>");
  EXPECT_EQ(html("<head><title>ab</title><meta name=description content='cd'><meta name=x content=ef></head>", upper),
            "<head><title>AB</title><meta name=description content='CD'><meta name=x content=ef></head>");
  EXPECT_EQ(html("<p>x <img alt=\"a\"> y</p>"), "<p>Y <img alt=\"A\"> X</p>");
}

TEST(Html, DeclaresUtf8) {
  EXPECT_EQ(html("<meta charset=\"ISO-8859-1\"><meta charset='UTF-8'>"),
            "<meta charset=\"utf-8\"><meta charset='UTF-8'>");
  EXPECT_EQ(html("<meta http-equiv=\"Content-Type\" content=\"text/html; charset=latin1\">"),
            "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=utf-8\">");
}

TEST(Html, LinesOfPreStayLines) {
  EXPECT_EQ(html("<pre>\n  ab  cd\n\n\tef &lt;\n</pre>"), "<pre>\n  DC BA\n\n\t&lt; FE\n</pre>");
  EXPECT_EQ(html("<pre>ab\ncd <b>ef</b> gh\n<i>x\ny</i></pre>"), "<pre>BA\nHG <b>FE</b> DC\n<i>X\nY</i></pre>");
}

TEST(Html, BrokenMarkupIsABoundary) {
  // The text is translated, and no tag moves that the parser had to repair.
  EXPECT_EQ(html("<p>ab <b>cd <i>ef</b> gh</i> ij</p>"), "<p>BA <b>DC <i>FE</b> HG</i> JI</p>");
  EXPECT_EQ(html("<p>ab</b> cd"), "<p>ab</b> cd");
  EXPECT_EQ(html("<b><p>ab</p>cd</b>"), "<b><p>BA</p>DC</b>");
  EXPECT_EQ(html("ab<table>cd<tr><td>ef</table>"), "BA<table>DC<tr><td>FE</table>");
  EXPECT_EQ(html("<p>ab <b>cd"), "<p>BA <b>DC");
  EXPECT_EQ(html("<a href=1>ab<a href=2>cd</a>"), "<a href=1>BA<a href=2>DC</a>");
  EXPECT_EQ(html("ab<b"), "BA<b");
  EXPECT_EQ(html("<p>ab\xFF</p>", upper), "<p>AB\uFFFD</p>");
}

TEST(Html, RefusesWhatWouldTakeTooLong) {
  std::string deep;
  for (int i = 0; i < 9'000; ++i) deep += "<div>";
  EXPECT_EQ(html(deep + "ab"), deep + "BA");
  for (int i = 0; i < 2'000; ++i) deep += "<span>";
  EXPECT_THROW(html(deep), InputError);
  std::string unclosed;  // each paragraph would open all of them again
  for (int i = 0; i < 5'000; ++i) unclosed += "<p><b id=" + std::to_string(i) + ">";
  EXPECT_THROW(html(unclosed), InputError);
  std::string attributes = "<p";
  for (int i = 0; i < 200'000; ++i) attributes += " a" + std::to_string(i);
  EXPECT_THROW(html(attributes + ">"), InputError);
}

// What must not change: the elements with their attributes, and the tree of blocks with the text outside of segments.
struct Outline {
  std::multiset<std::string> elements;
  std::vector<std::string> blocks;

  explicit Outline(const std::string& document) {
    GumboOutput* output = gumbo_parse_with_options(&kGumboDefaultOptions, document.data(), document.size());
    std::vector<std::pair<const GumboNode*, std::string>> open = {{output->root, ""}};
    while (!open.empty()) {
      const auto [node, path] = open.back();
      open.pop_back();
      if (node->type != GUMBO_NODE_ELEMENT && node->type != GUMBO_NODE_TEMPLATE) continue;
      const GumboElement& element = node->v.element;
      std::string name = gumbo_normalized_tagname(element.tag);
      std::string all = name;
      for (unsigned i = 0; i < element.attributes.length; ++i) {
        const auto* attribute = static_cast<const GumboAttribute*>(element.attributes.data[i]);
        all += std::string(" ") + attribute->name;
        static const std::set<std::string> kTranslated = {"title",      "alt",     "placeholder",
                                                          "aria-label", "content", "charset"};
        if (!kTranslated.contains(attribute->name)) all += std::string("=") + attribute->value;
      }
      elements.insert(all);
      static const std::set<std::string> kInline = {
          "a",     "abbr", "acronym", "b",      "bdi", "bdo", "big",   "cite", "code", "data", "del", "dfn", "em",
          "font",  "i",    "img",     "input",  "ins", "kbd", "label", "mark", "math", "nobr", "q",   "s",   "samp",
          "small", "span", "strike",  "strong", "sub", "sup", "svg",   "time", "tt",   "u",    "var", "wbr", ""};
      std::string inner = path;
      if (!kInline.contains(name)) {
        inner += "/" + name;
        blocks.push_back(inner);
        if (name == "script" || name == "textarea")
          for (unsigned i = 0; i < element.children.length; ++i)
            blocks.push_back(static_cast<const GumboNode*>(element.children.data[i])->v.text.text);
      }
      for (unsigned i = element.children.length; i-- > 0;)
        open.emplace_back(static_cast<const GumboNode*>(element.children.data[i]), inner);
    }
    gumbo_destroy_output(&kGumboDefaultOptions, output);
  }
};

// Random documents: mostly well-formed, with `chaos` percent of broken parts.
class RandomHtml : testing::RandomParts {
 public:
  RandomHtml(std::uint64_t seed, int chaos) : RandomParts(seed), chaos_(chaos) {}

  std::string make() {
    std::string document;
    for (int i = below(4) + 1; i > 0; --i) block(document, 3);
    return document;
  }

 private:
  bool broken() { return below(100) < chaos_; }

  void text(std::string& out) {
    for (int i = below(4); i >= 0; --i)
      out +=
          pick({"dog", "cat ", " ", "A", "&amp;", "&lt;", " < ", "é", "\n", "12", ".", "&nbsp;", "x&y", "\r\n", "\t"});
    if (broken())
      out += pick({"<", "</", "<!", "</b>", "</p>", "<b>", "<p>", "\xFF", "<table>", "<?x", "]]>", "<!-->", "&#0;"});
  }
  void inline_part(std::string& out, int depth) {
    const int kind = below(10);
    if (kind < 5 || depth == 0) return text(out);
    if (kind == 5)
      return void(out +=
                  pick({"<br>", "<img src=a>", "<img src=b title='ab'>", "<!-- c -->", "<code>x y</code>", "<wbr>"}));
    const std::string tag = pick({"b", "i", "a", "span", "em", "u", "font"});
    out += "<" + tag + pick({"", " id=1", " title=\"ab\"", " class='x'", " class=notranslate"}) + ">";
    for (int i = below(4); i > 0; --i) inline_part(out, depth - 1);
    if (!broken()) out += "</" + tag + pick({">", ">", " >"});
  }
  void block(std::string& out, int depth) {
    const int kind = below(10);
    if (kind < 3 || depth == 0) {
      for (int i = below(4); i >= 0; --i) inline_part(out, 4);
      return;
    }
    if (kind == 3)
      return void(out += pick({"<script>a<b</script>", "<textarea>a</textarea>", "<hr>", "<pre>a\n b</pre>",
                               "<table><tr><td>a b</table>"}));
    const std::string tag =
        pick({"p", "div", "h1", "li", "ul", "td", "table", "section", "blockquote", "pre", "button", "select", "dd"});
    out += "<" + tag + pick({"", " id=b", " title='a'", " translate=no"}) + ">";
    for (int i = below(4); i > 0; --i) block(out, depth - 1);
    if (!broken()) out += "</" + tag + ">";
  }

  int chaos_;
};

TEST(Html, AnyDocumentKeepsItsElementsAndBlocks) {
  for (std::uint64_t seed = 0; seed < 4'000; ++seed) {
    const std::string document = RandomHtml(seed, static_cast<int>(seed % 3) * 6).make();
    EXPECT_EQ(html(document, same_text), document);
    const std::string result = html(document);
    const Outline before(document), after(result);
    ASSERT_EQ(before.elements, after.elements) << document << "\n---\n" << result;
    ASSERT_EQ(before.blocks, after.blocks) << document << "\n---\n" << result;
  }
}

// The documentation of the installed packages.
TEST(Html, RealPagesKeepTheirElementsAndBlocks) {
  const std::filesystem::path root = "/usr/share/doc";
  std::size_t pages = 0, bytes = 0;
  std::error_code ignored;
  for (std::filesystem::recursive_directory_iterator file(root, ignored), end; file != end; file.increment(ignored)) {
    if (!file->is_regular_file(ignored) || file->path().extension() != ".html" || pages == 300) continue;
    std::ifstream input(file->path(), std::ios::binary);
    const std::string page((std::istreambuf_iterator<char>(input)), std::istreambuf_iterator<char>());
    if (page.size() > 300'000 || bytes > 15'000'000) continue;
    bytes += page.size();
    ++pages;
    std::vector<text::MarkedText> segments;
    const std::string result = translate_text("html", page, backwards, &segments);
    const Outline before(page), after(result);
    EXPECT_EQ(before.elements, after.elements) << file->path();
    EXPECT_EQ(before.blocks, after.blocks) << file->path();
    EXPECT_FALSE(segments.empty()) << file->path();
  }
  if (pages == 0) GTEST_SKIP() << "there is no HTML documentation under " << root;
}

}  // namespace
}  // namespace heed::document
