#include "serve/form.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace heed::serve {
namespace {

using Pairs = FormFields;

Pairs urlencoded(std::string_view text) {
  Pairs fields;
  parse_urlencoded(text, fields);
  return fields;
}

Pairs multipart(std::string_view body, std::string_view boundary = "XX") {
  Pairs fields;
  parse_multipart(body, boundary, fields);
  return fields;
}

TEST(Urlencoded, DecodesEscapesAndSpaces) {
  EXPECT_EQ(urlencoded("q=Hello+W%C3%B6rld%21&source=en&empty=&alone&=x"),
            (Pairs{{"q", "Hello Wörld!"}, {"source", "en"}, {"empty", ""}, {"alone", ""}, {"", "x"}}));
  EXPECT_EQ(urlencoded("a%3Db=1%262&&q=1&q=2=3"), (Pairs{{"a=b", "1&2"}, {"q", "1"}, {"q", "2=3"}}));
}

TEST(Urlencoded, KeepsWhatIsNoEscape) {
  EXPECT_EQ(urlencoded("q=100%&p=%4&r=%zz%41"), (Pairs{{"q", "100%"}, {"p", "%4"}, {"r", "%zzA"}}));
  EXPECT_TRUE(urlencoded("").empty());
  EXPECT_TRUE(urlencoded("&&&").empty());
}

TEST(Urlencoded, RefusesTooManyFields) {
  std::string text;
  for (std::size_t i = 0; i < kMostFields; ++i) text += "a&";
  EXPECT_EQ(urlencoded(text).size(), kMostFields);
  EXPECT_THROW(urlencoded(text + "a"), UsageError);
}

TEST(Multipart, FindsTheParts) {
  EXPECT_EQ(
      multipart(
          "--XX\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\nHello\r\n--X\r\nWorld\r\n--XX\r\n"
          "content-disposition:form-data;filename=\"a;name=b.txt\" ; NAME=source\r\nX-Y: z\r\n\r\n\r\n--XX--\r\n"),
      (Pairs{{"q", "Hello\r\n--X\r\nWorld"}, {"source", "", "a;name=b.txt"}}));
  // Text in front of the first part, spaces after the boundary, a part without a name, an escaped quote.
  EXPECT_EQ(
      multipart("preamble\r\n--XX \t\r\n\r\nno name\r\n--XX\r\nContent-Disposition: form-data; name=\"a\\\"b\"\r\n\r\n"
                "1\r\n--XX--epilogue"),
      (Pairs{{"a\"b", "1"}}));
  EXPECT_TRUE(multipart("--XX--").empty());
}

TEST(Multipart, RefusesDamagedBodies) {
  const std::string good = "--XX\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\nHello\r\n--XX--";
  EXPECT_EQ(multipart(good).size(), 1u);
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_THROW(multipart(std::string_view(good).substr(0, size)), UsageError) << size;
  EXPECT_THROW(multipart("--XXjunk\r\n\r\nHello\r\n--XX--"), UsageError);
  EXPECT_THROW(multipart(good, ""), UsageError);
  EXPECT_THROW(multipart(good, std::string(71, 'X')), UsageError);
  EXPECT_THROW(multipart("--XX\r\nA: " + std::string(5000, 'x') + "\r\n\r\n\r\n--XX--"), UsageError);
}

TEST(HeaderParameter, ReadsTokensAndQuotedStrings) {
  EXPECT_EQ(media_type(" Text/HTML ;charset=utf-8"), "text/html");
  EXPECT_EQ(media_type(""), "");
  EXPECT_EQ(header_parameter("multipart/form-data; Boundary=abc", "boundary"), "abc");
  EXPECT_EQ(header_parameter("a; x=\"1;boundary=no\"; boundary=\"y z\"", "boundary"), "y z");
  EXPECT_EQ(header_parameter("a; flag; boundary = q ; b=c", "boundary"), "q");
  for (const char* without : {"", "a", "boundary=1", "a; xboundary=1", "a;", "a;;;", "a; boundary", "a; boundary="})
    EXPECT_EQ(header_parameter(without, "boundary"), "") << without;
  EXPECT_EQ(header_parameter("a; boundary=\"open", "boundary"), "open");
}

}  // namespace
}  // namespace heed::serve
