// docx, odt, and the zip archives that they are.
#include <gtest/gtest.h>

#include "document/fake_documents.h"
#include "document/zip_archive.h"
#include "document/zip_builder.h"

namespace heed::document {

namespace {

using fake::deflate_stored;
using fake::error_of;
using fake::little;
using fake::make_zip;
using fake::translate_text;
using fake::ZipFile;

std::string read_zip(const std::string& bytes, std::string_view name) {
  const MemoryFile file(bytes);
  ByteSource input(file.path());
  const ZipArchive archive(input, "zip");
  return archive.read(*archive.find(name));
}

std::string word(const std::string& body) {
  return "<?xml version=\"1.0\"?>\n<w:document><w:body>" + body + "</w:body></w:document>";
}
std::string docx(const std::string& body) {
  return make_zip({{"[Content_Types].xml", "<Types/>"},
                   {"word/document.xml", word(body), true},
                   {"word/media/a.png", "\x89PNG", true}});
}
std::string translate_docx_body(const std::string& body, const TranslateSegments& translate) {
  return read_zip(translate_text("docx", docx(body), translate), "word/document.xml");
}
std::string run(const std::string& text, const std::string& properties = "") {
  return "<w:r>" + (properties.empty() ? "" : "<w:rPr>" + properties + "</w:rPr>") + "<w:t xml:space=\"preserve\">" +
         text + "</w:t></w:r>";
}

TEST(Docx, RunsAreMarksUnlessMostOfTheTextHasTheirFormat) {
  const std::string body =
      "<w:p><w:pPr><w:jc/></w:pPr>" + run("one ") + run("two", "<w:b/>") + run(" three four") + "</w:p>";
  std::vector<text::MarkedText> seen;
  const std::string out = translate_docx_body(body, [&](fake::Segments segments) {
    seen.assign(segments.begin(), segments.end());
    return fake::reversed(segments);
  });
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].text, "one two three four");
  ASSERT_EQ(seen[0].marks.size(), 1U);
  EXPECT_EQ(seen[0].marks[0].span, (text::Span{4, 7}));
  EXPECT_EQ(out,
            word("<w:p><w:pPr><w:jc/></w:pPr>" + run("four three ") + run("two", "<w:b/>") + run(" one") + "</w:p>"));
}

TEST(Docx, DividedRunsAreOneText) {
  const std::string body =
      "<w:p><w:r w:rsidR=\"1\"><w:t>Hel</w:t></w:r><w:proofErr w:type=\"a\"/><w:r w:rsidR=\"2\"><w:t>lo "
      "you</w:t><w:lastRenderedPageBreak/></w:r></w:p>";
  EXPECT_EQ(translate_docx_body(body, fake::upper_case), word("<w:p>" + run("HELLO YOU") + "</w:p>"));
  EXPECT_EQ(translate_docx_body(body, fake::same), word(body));
}

TEST(Docx, DividedItalicRunsAreOneMark) {
  std::size_t marks = 0;
  translate_docx_body("<w:p>" + run("many words ") + run("on", "<w:i/>") + run("e", "<w:i/>") + "</w:p>",
                      [&](fake::Segments segments) {
                        marks = segments[0].marks.size();
                        return fake::same(segments);
                      });
  EXPECT_EQ(marks, 1U);
}

TEST(Docx, LinksTabsAndImagesStay) {
  const std::string body =
      "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b </w:t><w:drawing><x:y/></w:drawing><w:t>c</w:t></w:r><w:hyperlink "
      "r:id=\"1\">" +
      run("d", "<w:u/>") + "</w:hyperlink><w:bookmarkStart/></w:p>";
  EXPECT_EQ(translate_docx_body(body, fake::upper_case),
            word("<w:p><w:r><w:t xml:space=\"preserve\">A</w:t><w:tab/><w:t xml:space=\"preserve\">B "
                 "</w:t><w:drawing><x:y/></w:drawing><w:t "
                 "xml:space=\"preserve\">C</w:t></w:r><w:hyperlink r:id=\"1\">" +
                 run("D", "<w:u/>") + "</w:hyperlink><w:bookmarkStart/></w:p>"));
}

TEST(Docx, TextAroundMarksHasTheFormatAroundIt) {
  // The brackets lie in no mark.
  EXPECT_EQ(translate_docx_body("<w:p>" + run("b", "<w:b/>") + run(" aaa", "<w:i/>") + "</w:p>", fake::bracketed),
            word("<w:p>" + run("[", "<w:i/>") + run("b", "<w:b/>") + run(" aaa]", "<w:i/>") + "</w:p>"));
}

TEST(Docx, FieldsKeepTheirPartsInOrder) {
  const auto mark = [](const std::string& type) { return "<w:r><w:fldChar w:fldCharType=\"" + type + "\"/></w:r>"; };
  const auto field = [&](const std::string& instruction, const std::string& result) {
    return mark("begin") + "<w:r><w:instrText>" + instruction + "</w:instrText></w:r>" + mark("separate") + result +
           mark("end");
  };
  EXPECT_EQ(
      translate_docx_body("<w:p>" + run("page ") + field("PAGE", run("xi")) + run(" end") + "</w:p>", fake::upper_case),
      word("<w:p>" + run("PAGE ") + field("PAGE", run("xi")) + run(" END") + "</w:p>"));
  EXPECT_EQ(
      translate_docx_body("<w:p>" + run("see ") + field("HYPERLINK \"x\"", run("here")) + "</w:p>", fake::reversed),
      word("<w:p>" + field("HYPERLINK \"x\"", run("here")) + run(" see") + "</w:p>"));
  // A field that ends in another paragraph.
  EXPECT_EQ(translate_docx_body("<w:p>" + mark("begin") + "<w:r><w:instrText>TOC</w:instrText></w:r>" +
                                    mark("separate") + run("a") + "</w:p><w:p>" + run("b") + mark("end") + "</w:p>",
                                fake::upper_case),
            word("<w:p>" + mark("begin") + "<w:r><w:instrText>TOC</w:instrText></w:r>" + mark("separate") + run("A") +
                 "</w:p><w:p>" + run("B") + mark("end") + "</w:p>"));
}

TEST(Docx, ParagraphsWithinParagraphsAreTranslated) {
  const std::string box = "<w:r><w:pict><w:txbxContent><w:p>" + run("inner") + "</w:p></w:txbxContent></w:pict></w:r>";
  EXPECT_EQ(translate_docx_body("<w:p>" + run("outer ") + box + run("text") + "</w:p>", fake::upper_case),
            word("<w:p><w:r><w:t xml:space=\"preserve\">OUTER </w:t><w:pict><w:txbxContent><w:p>" + run("INNER") +
                 "</w:p></w:txbxContent></w:pict><w:t xml:space=\"preserve\">TEXT</w:t></w:r></w:p>"));
}

TEST(Docx, DeletedTextAndContentControlsStay) {
  const std::string deleted = "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>";
  const auto control = [](const std::string& text) {
    return "<w:sdt><w:sdtPr><w:id/></w:sdtPr><w:sdtContent>" + run(text) + "</w:sdtContent></w:sdt>";
  };
  EXPECT_EQ(translate_docx_body("<w:p>" + run("a ") + deleted + run("b ") + control("c") + run(".") + "</w:p>",
                                fake::upper_case),
            word("<w:p>" + run("A ") + deleted + run("B ") + control("C") + run(".") + "</w:p>"));
}

TEST(Docx, OtherFilesOfTheArchiveAreCopied) {
  const std::string before = docx("<w:p>" + run("a") + "</w:p>"),
                    after = translate_text("docx", before, fake::upper_case);
  EXPECT_EQ(translate_text("docx", before, fake::same), before);
  EXPECT_EQ(read_zip(after, "word/media/a.png"), "\x89PNG");
  EXPECT_NE(after.find(deflate_stored("\x89PNG")), std::string::npos);
  EXPECT_NE(after.find(little(0x5A5B6C6D, 4)), std::string::npos);
  EXPECT_EQ(read_zip(after, "[Content_Types].xml"), "<Types/>");
}

TEST(Docx, HeadersFootersAndNotesAreTranslated) {
  std::vector<ZipFile> files = {{"word/document.xml", word("")}};
  for (const char* name : {"word/header1.xml", "word/footer12.xml", "word/footnotes.xml", "word/endnotes.xml",
                           "word/comments.xml", "word/styles.xml"})
    files.push_back({name, word("<w:p>" + run("a") + "</w:p>")});
  const std::string out = translate_text("docx", make_zip(files), fake::upper_case);
  for (const ZipFile& file : files)
    EXPECT_EQ(read_zip(out, file.name) != file.content,
              file.name != "word/document.xml" && file.name != "word/styles.xml")
        << file.name;
}

std::string odt(const std::string& body) {
  return make_zip({{"mimetype", "application/vnd.oasis.opendocument.text"},
                   {"content.xml", "<office:text>" + body + "</office:text>", true}});
}
std::string translate_odt_body(const std::string& body, const TranslateSegments& translate) {
  return read_zip(translate_text("odt", odt(body), translate), "content.xml");
}

TEST(Odt, SpansFollowTheirWords) {
  EXPECT_EQ(translate_odt_body("<text:p>one <text:span a=\"1\">two</text:span> three<text:soft-page-break/></text:p>",
                               fake::reversed),
            "<office:text><text:p>three <text:span a=\"1\">two</text:span> one</text:p></office:text>");
}

TEST(Odt, NotesTabsAndDeletedTextStayInPlace) {
  EXPECT_EQ(
      translate_odt_body(
          "<text:tracked-changes><text:p>all gone</text:p></text:tracked-changes><text:h>a<text:tab/>b "
          "c<text:note><text:note-body><text:p>d e</text:p></text:note-body></text:note></text:h><text:p/>",
          fake::reversed),
      "<office:text><text:tracked-changes><text:p>all gone</text:p></text:tracked-changes><text:h>a<text:tab/>c "
      "b<text:note><text:note-body><text:p>e d</text:p></text:note-body></text:note></text:h><text:p/></office:text>");
}

TEST(Odt, TheMimeTypeStaysFirstAndStored) {
  const std::string out = translate_text("odt", odt("<text:p>a</text:p>"), fake::upper_case);
  EXPECT_EQ(out.substr(30, 8 + 39), "mimetypeapplication/vnd.oasis.opendocument.text");
}

TEST(Office, SaysWhatIsWrong) {
  const std::string good = docx("<w:p/>");
  EXPECT_NE(error_of("docx", "text").find("it is not a zip archive"), std::string::npos);
  EXPECT_NE(error_of("docx", "\xD0\xCF\x11\xE0 old").find("protected by a password or in an old format"),
            std::string::npos);
  EXPECT_NE(error_of("odt", good).find("is not in the format odt: it has no content.xml"), std::string::npos);
  for (std::size_t size = 4; size < good.size(); size += 7)
    EXPECT_NE(error_of("docx", good.substr(0, size)).find("is damaged: "), std::string::npos) << size;
  EXPECT_NE(error_of("docx", make_zip({{"word/document.xml", "x", false, true}}))
                .find("protected by a password; save it without one"),
            std::string::npos);
  EXPECT_NE(error_of("docx", make_zip({{"word/document.xml", "<a/>", true, false, 3}})).find("wrong size or checksum"),
            std::string::npos);
  EXPECT_NE(error_of("docx", make_zip({{"word/document.xml", "<a/>", true, false, 0x7FFFFFFF}}))
                .find("has more than 256 MiB"),
            std::string::npos);
  EXPECT_NE(error_of("docx", make_zip({{"word/document.xml", "<a/>"}, {"word/document.xml", "<a/>"}}))
                .find("two files named"),
            std::string::npos);
  EXPECT_NE(error_of("docx", make_zip({{"word/document.xml", "<!DOCTYPE a><a/>"}})).find("a document type declaration"),
            std::string::npos);
  EXPECT_NE(error_of("docx", make_zip({{"word/document.xml", "<a></b>"}})).find("word/document.xml:1: </b> closes <a>"),
            std::string::npos);
  EXPECT_NE(
      error_of("odt", make_zip({{"content.xml", "<a/>"}, {"META-INF/manifest.xml", "<manifest:encryption-data/>"}}))
          .find("protected by a password"),
      std::string::npos);
  std::string changed = good;
  changed[changed.find("<w:document>")] = '(';
  EXPECT_NE(error_of("docx", changed).find("wrong size or checksum"), std::string::npos);
}

TEST(Office, EntriesMayNotOverlap) {
  std::string zip = make_zip({{"word/document.xml", std::string(1000, 'x')}, {"b", std::string(1000, 'y')}});
  // The second entry of the directory points to the data of the first one.
  const std::size_t second = zip.rfind("PK\1\2");
  zip.replace(second + 42, 4, little(0, 4));
  zip.replace(second + 20, 4, little(1000, 4));
  std::string shorter = zip.substr(0, zip.find("PK\3\4", 4)) + zip.substr(zip.find("PK\1\2"));
  shorter.replace(shorter.size() - 6, 4, little(shorter.find("PK\1\2"), 4));
  EXPECT_NE(error_of("docx", shorter).find("overlap"), std::string::npos);
}

}  // namespace

}  // namespace heed::document
