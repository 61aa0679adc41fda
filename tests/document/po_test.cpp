#include <gtest/gtest.h>

#include "document/fake_documents.h"
#include "document/po_text.h"

namespace heed::document {

namespace {

using fake::error_of;

// Without a language nothing is added to the header.
std::string translate_text(const char* format, const std::string& text, const TranslateSegments& translate,
                           const DocumentOptions& options = {}) {
  return fake::translate_text(format, text, translate, options);
}

TEST(Po, FillsUntranslatedEntriesAndNothingElse) {
  const std::string before =
      "# comment\nmsgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\"Language: fr\\n\"\n\n"
      "#. extracted\n#: a.c:1\n#| msgid \"previous\"\nmsgctxt \"menu\"\nmsgid \"open\"\n";
  const std::string after =
      "\n#, fuzzy\nmsgid \"close\"\nmsgstr \"Fermer?\"\n\nmsgid \"done\"\nmsgstr \"fini\"\n\n#~ msgid \"old\"\n#~ "
      "msgstr \"\"\n";
  EXPECT_EQ(translate_text("po", before + "msgstr \"\"\n" + after, fake::upper_case),
            before + "msgstr \"OPEN\"\n" + after);
}

TEST(Po, FillsTheHeaderOfATemplate) {
  const std::string po =
      "msgid \"\"\nmsgstr \"\"\n\"Language: \\n\"\n\"Content-Type: text/plain; charset=CHARSET\\n\"\n"
      "\"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n\"\n\nmsgid \"%d file\"\nmsgid_plural \"%d "
      "files\"\nmsgstr[0] \"\"\n"
      "msgstr[1] \"\"\n";
  EXPECT_EQ(
      translate_text("po", po, fake::bracketed, {"en", "pl"}),
      "msgid \"\"\nmsgstr \"\"\n\"Language: pl\\n\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
      "\"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);\\n\"\n\n"
      "msgid \"%d file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"[%d file]\"\nmsgstr[1] \"[%d files]\"\nmsgstr[2] "
      "\"[%d files]\"\n");
}

TEST(Po, AddsPluralFormsThatAreMissing) {
  const std::string header = "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n",
                    plural = "\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"\n",
                    entry = "\nmsgid \"a\"\nmsgid_plural \"bs\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n",
                    done = "\nmsgid \"a\"\nmsgid_plural \"bs\"\nmsgstr[0] \"A\"\nmsgstr[1] \"BS\"\n";
  EXPECT_EQ(translate_text("po", header + entry, fake::upper_case, {"en", "de"}), header + plural + done);
  EXPECT_EQ(translate_text("po", header + plural + entry, fake::upper_case, {"en", "de"}), header + plural + done);
  EXPECT_EQ(translate_text("po", header + entry, fake::upper_case), header + done);
  EXPECT_EQ(translate_text("po", "msgid \"\"\nmsgstr \"X: y\"", fake::same, {"en", "ja"}),
            "msgid \"\"\nmsgstr \"X: y\"\n\"\\nPlural-Forms: nplurals=1; plural=0;\\n\"\n");
}

TEST(Po, AddsAHeaderThatIsMissing) {
  const std::string entry = "# comment\nmsgid \"a\"\nmsgstr \"\"\n";
  const std::string out = translate_text("po", entry, fake::upper_case, {"en", "de"});
  EXPECT_EQ(out,
            "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\"Language: de\\n\"\n"
            "\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"\n\n# comment\nmsgid \"a\"\nmsgstr \"A\"\n");
  EXPECT_EQ(translate_text("po", out, fake::upper_case, {"en", "de"}), out);
  EXPECT_EQ(translate_text("po", "# only a comment\n", fake::upper_case, {"en", "de"}), "# only a comment\n");
}

TEST(Po, WithOnePluralFormThePluralIsTranslated) {
  const std::string header = "msgid \"\"\nmsgstr \"\"\n\"Plural-Forms: nplurals=1; plural=0;\\n\"\n\n";
  EXPECT_EQ(translate_text("po", header + "msgid \"a\"\nmsgid_plural \"bs\"\nmsgstr[0] \"\"\n", fake::bracketed),
            header + "msgid \"a\"\nmsgid_plural \"bs\"\nmsgstr[0] \"[bs]\"\n");
}

TEST(Po, KeepsLineEndsAndWhiteSpaceOfMessages) {
  EXPECT_EQ(translate_text("po", "msgid \"\"\n\"\\n one\\n\"\n\"two\\n\"\nmsgstr \"\"\n", fake::bracketed),
            "msgid \"\"\n\"\\n one\\n\"\n\"two\\n\"\nmsgstr \"\"\n\"\\n\"\n\" [one]\\n\"\n\"[two]\\n\"\n");
}

TEST(Po, ATranslationWithOtherPlaceholdersIsNotWritten) {
  const std::string plain = "msgid \"%d of %s\"\nmsgstr \"\"\n", format = "#, c-format\n" + plain;
  EXPECT_EQ(translate_text("po", format, fake::reversed), format);
  EXPECT_EQ(translate_text("po", "#, fuzzy-x, c-format\n" + plain, fake::reversed), "#, fuzzy-x, c-format\n" + plain);
  EXPECT_EQ(translate_text("po", "#, no-c-format\n" + plain, fake::reversed),
            "#, no-c-format\nmsgid \"%d of %s\"\nmsgstr \"%s of %d\"\n");
  EXPECT_EQ(translate_text("po", plain, fake::reversed), "msgid \"%d of %s\"\nmsgstr \"%s of %d\"\n");
}

TEST(Po, ATranslationMayBeTheSource) {
  EXPECT_EQ(translate_text("po", "msgid \"OK\"\nmsgstr \"\"\n", fake::same), "msgid \"OK\"\nmsgstr \"OK\"\n");
}

TEST(Po, ConvertsToUtf8) {
  const std::string po =
      "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=ISO-8859-1\\n\"\n\nmsgid \"caf\xE9\"\nmsgstr "
      "\"\"\n";
  EXPECT_EQ(
      translate_text("po", po, fake::bracketed),
      "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\nmsgid \"café\"\nmsgstr \"[café]\"\n");
}

TEST(Po, AsciiIsNotEnoughForTranslations) {
  const std::string header = "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=";
  EXPECT_EQ(translate_text("po", header + "US-ASCII\\n\"\n", fake::same), header + "UTF-8\\n\"\n");
}

TEST(Po, SaysWhatIsWrong) {
  EXPECT_NE(error_of("po", "msgid \"a\"\n").find("ends before the msgstr"), std::string::npos);
  EXPECT_NE(error_of("po", "msgid \"a\nmsgstr \"\"\n").find(":1: expected a string in double quotes"),
            std::string::npos);
  EXPECT_NE(error_of("po", "hello\n").find(":1: expected msgid, msgstr"), std::string::npos);
  EXPECT_NE(error_of("po", "msgstr \"a\"\n").find("msgid is missing"), std::string::npos);
  EXPECT_NE(error_of("po", "msgid \"a\"\nmsgid \"b\"\n").find(":2: a second msgid"), std::string::npos);
}

TEST(PoText, WrapsLongStringsAsMsgcatDoes) {
  const std::string words = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen";
  EXPECT_EQ(
      encode_po_field("msgstr", words, true, "\n"),
      "msgstr \"\"\n\"one two three four five six seven eight nine ten eleven twelve thirteen \"\n\"fourteen\"\n");
  EXPECT_EQ(encode_po_field("msgstr", words, false, "\n"), "msgstr \"" + words + "\"\n");
  EXPECT_EQ(encode_po_field("msgstr", "", true, "\n"), "msgstr \"\"\n");
}

TEST(PoText, DecodesWhatItEncodes) {
  std::string all;
  for (int c = 1; c < 128; ++c) all += static_cast<char>(c);
  const std::string field = encode_po_field("msgstr", all, true, "\n");
  std::string decoded;
  for (std::size_t at = 0, end = 0; at < field.size(); at = end + 1) {
    end = field.find('\n', at);
    const std::string line = field.substr(at, end - at);
    EXPECT_TRUE(decode_po_string(line.substr(line.find('"')), decoded)) << line;
  }
  EXPECT_EQ(decoded, all);
  std::string text;
  EXPECT_TRUE(decode_po_string("\"\\101\\x41\" \n", text));
  EXPECT_EQ(text, "AA");
  for (const char* bad : {"\"a", "a\"", "\"\\q\"", "\"a\" b", "\"\\777\"", ""})
    EXPECT_FALSE(decode_po_string(bad, text)) << bad;
}

TEST(PoText, ComparesPlaceholders) {
  EXPECT_TRUE(has_same_placeholders("%d %s 100%%", "100 %% %d%s"));
  EXPECT_FALSE(has_same_placeholders("%d %s", "%s %d"));
  EXPECT_TRUE(has_same_placeholders("%1$d %2$s", "%2$s %1$d"));
  EXPECT_TRUE(has_same_placeholders("%(a)s {b}", "{b} %(a)s"));
  EXPECT_FALSE(has_same_placeholders("{a}", "{b}"));
  EXPECT_FALSE(has_same_placeholders("%-5.2f", "%-5.1f"));
  EXPECT_TRUE(has_same_placeholders("%1 of %2", "%2 von %1"));
  EXPECT_FALSE(has_same_placeholders("100%% of %s", "100% von %s"));
  EXPECT_FALSE(has_same_placeholders("%s", "100 % der %s"));
  EXPECT_FALSE(has_same_placeholders("all %s", "100 % Kinder %s"));
}

}  // namespace

}  // namespace heed::document
