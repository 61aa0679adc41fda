#include <gtest/gtest.h>

#include "document/fake_documents.h"

namespace heed::document {

namespace {

using fake::error_of;
using fake::translate_text;

DocumentOptions columns(std::vector<std::string> names) {
  return {"en", "de", std::move(names)};
}

TEST(Json, TranslatesStringValuesAndNothingElse) {
  EXPECT_EQ(
      translate_text(
          "json", "{ \"key\" : \"a b\",\r\n\t\"key\":[1, -2.50e+3,true,null , \"c\"],\"o\":{\"k\":\"\\u0041\\/d\"} }\n",
          fake::upper_case),
      "{ \"key\" : \"A B\",\r\n\t\"key\":[1, -2.50e+3,true,null , \"C\"],\"o\":{\"k\":\"A/D\"} }\n");
  EXPECT_EQ(translate_text("json", "\"a\"", fake::upper_case), "\"A\"");
  EXPECT_EQ(translate_text("json", "{\"k\":\"a\"}\n{\"k\":\"b\"}\n", fake::upper_case),
            "{\"k\":\"A\"}\n{\"k\":\"B\"}\n");
}

TEST(Json, EscapesAsTheOriginalDid) {
  EXPECT_EQ(translate_text("json", "[\"\\u00e4 \\ud83d\\ude00 \\\"x\\\" \\\\\"]", fake::bracketed),
            "[\"[\\u00e4 \\ud83d\\ude00 \\\"x\\\" \\\\]\"]");
  EXPECT_EQ(translate_text("json", "[\"ä 😀 \\\"x\\\"\"]", fake::bracketed), "[\"[ä 😀 \\\"x\\\"]\"]");
}

TEST(Json, LinesAndWhiteSpaceOfAValueStay) {
  EXPECT_EQ(translate_text("json", "\" one\\n\\n\\ttwo \\n---\"", fake::bracketed), "\" [one]\\n\\n\\t[two] \\n---\"");
}

TEST(Json, StringsThatAreNoTextStay) {
  for (const std::string value :
       {"\"\\ud800 a\"", "\"\\udc00 a\"", "\"\\ud800\\u0041\"", "\"123\"", "\"\"", "\"a\xFF\""})
    EXPECT_EQ(translate_text("json", value, fake::bracketed), value);
}

TEST(Json, SaysWhatIsWrong) {
  for (const auto& [text, sentence] : {std::pair("{\"a\":", "ends inside an object"),
                                       {"[\"a", "ends inside a string"},
                                       {"[1 2]", "expected ',' or the end, found '2'"},
                                       {"{a:1}", "expected a key in double quotes or '}', found 'a'"},
                                       {"{\"a\" 1}", "expected ':'"},
                                       {"[1,]", "expected a value, found ']'"},
                                       {"{\"a\":1,}", "expected a key in double quotes, found '}'"},
                                       {"[}", "expected a value or ']', found '}'"},
                                       {"]", "expected a value"},
                                       {"[nul]", "'nul' is not a JSON value"},
                                       {"[\"\\q\"]", "not a JSON escape"},
                                       {"[\"\\u12g4\"]", "not a JSON escape"},
                                       {"[\"a\nb\"]", "a line end or control character"},
                                       {"[\n\n\"a", ":3: "}})
    EXPECT_NE(error_of("json", text).find(sentence), std::string::npos) << text << ": " << error_of("json", text);
  EXPECT_NE(error_of("json", std::string(2000, '[')).find("values are nested more than 1000 deep"), std::string::npos);
}

TEST(Csv, TranslatesTheChosenColumns) {
  const std::string csv = "id,text,\"more text\"\r\n1,\"a, \"\"b\"\"\",c\r\n\r\n2,d,\"e\"\"\nf\"\r\n3\r\n";
  EXPECT_EQ(translate_text("csv", csv, fake::upper_case, columns({"more text", "text"})),
            "id,text,\"more text\"\r\n1,\"A, \"\"B\"\"\",C\r\n\r\n2,D,\"E\"\"\nF\"\r\n3\r\n");
  EXPECT_EQ(translate_text("csv", "a;b\nc;d", fake::upper_case, columns({"2"})), "a;B\nc;D");
}

TEST(Csv, QuotesWhatNeedsIt) {
  const auto comma = [](fake::Segments segments) {
    return std::vector<text::MarkedText>(segments.size(), {"x, \"y\""});
  };
  EXPECT_EQ(translate_text("csv", "a,b\n", comma, columns({"2"})), "a,\"x, \"\"y\"\"\"\n");
  EXPECT_EQ(translate_text("csv", "\"a\";b\n", comma, columns({"1", "2"})), "\"x, \"\"y\"\"\";\"x, \"\"y\"\"\"\n");
}

TEST(Csv, SaysWhichColumnsThereAre) {
  EXPECT_NE(error_of("csv", "id,text\n", columns({}))
                .find("choose the columns to translate by name or number, such as --columns 2; its first row is 1 "
                      "'id', 2 'text'"),
            std::string::npos);
  EXPECT_NE(error_of("csv", "id,text\n", columns({"x"})).find("has no column 'x'; its first row is 1 'id', 2 'text'"),
            std::string::npos);
  EXPECT_NE(error_of("csv", "id,text\n", columns({"3"})).find("has no column '3'"), std::string::npos);
  EXPECT_NE(
      error_of("csv", "a,b\n\nc,\"d\n", columns({"1"})).find(":3: a quoted cell of this row has no closing quote"),
      std::string::npos);
}

TEST(Tsv, HasNoQuotes) {
  const auto tab = [](fake::Segments segments) { return std::vector<text::MarkedText>(segments.size(), {"x\ty"}); };
  EXPECT_EQ(translate_text("tsv", "1\t\"a\tb\n", fake::upper_case, columns({"2"})), "1\t\"A\tb\n");
  EXPECT_EQ(translate_text("tsv", "1\ta\n", tab, columns({"2"})), "1\tx y\n");
}

}  // namespace

}  // namespace heed::document
