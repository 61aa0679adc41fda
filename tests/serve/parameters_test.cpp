#include "serve/parameters.h"

#include <gtest/gtest.h>

namespace heed::serve {
namespace {

Parameters json(std::string body) {
  return Parameters(
      {.method = "POST", .path = "/", .content_type = "application/json; charset=utf-8", .body = std::move(body)});
}

Parameters form(std::string body, std::string query = "") {
  return Parameters({.method = "POST",
                     .path = "/",
                     .query = std::move(query),
                     .content_type = "application/x-www-form-urlencoded",
                     .body = std::move(body)});
}

std::string failure(const std::function<void()>& work) {
  try {
    work();
  } catch (const ApiError& error) {
    return fmt::format("{} {}", error.status(), error.what());
  }
  return "";
}

TEST(Parameters, ReadsJson) {
  bool is_array = false;
  const Parameters p = json(R"({"q":["a","b"],"source":"en","n":3,"x":1.5,"yes":true,"none":null,"empty":""})");
  EXPECT_TRUE(p.is_json());
  EXPECT_EQ(p.texts("q", false, &is_array), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(is_array);
  EXPECT_EQ(p.texts("source", false, &is_array), std::vector<std::string>{"en"});
  EXPECT_FALSE(is_array);
  EXPECT_EQ(p.text("source"), "en");
  EXPECT_EQ(p.integer("n", 0), 3);
  EXPECT_EQ(p.number("x", 0), 1.5);
  EXPECT_TRUE(p.flag("yes", false));
  for (const char* name : {"none", "empty", "missing"}) {
    EXPECT_EQ(p.find(name), nullptr);
    EXPECT_EQ(p.text(name), "");
    EXPECT_EQ(p.integer(name, 7), 7);
  }
}

TEST(Parameters, ReadsFormsAndTheQueryBeforeThem) {
  const Parameters p = form("q=a%0D%0Ab%0Dc&q=second&source=de&n=12", "source=en&yes=1");
  EXPECT_FALSE(p.is_json());
  EXPECT_EQ(p.text("q"), "a\nb\nc");
  EXPECT_EQ(p.texts("q", false), std::vector<std::string>{"a\nb\nc"});
  EXPECT_EQ(p.texts("q", true), (std::vector<std::string>{"a\nb\nc", "second"}));
  EXPECT_EQ(p.text("source"), "en");
  EXPECT_EQ(p.integer("n", 0), 12);
  EXPECT_TRUE(p.flag("yes", false));
  EXPECT_EQ(form("q=%FFa").text("q"), "\uFFFDa");
}

TEST(Parameters, ReadsMultipart) {
  const Parameters p({.method = "POST",
                      .path = "/",
                      .content_type = "multipart/form-data; boundary=\"B\"",
                      .body = "--B\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\nx\r\n--B--\r\n"});
  EXPECT_EQ(p.text("q"), "x");
}

// A body without a type that has fields is not read.
TEST(Parameters, IgnoresOtherBodies) {
  const Parameters p({.method = "GET", .path = "/", .query = "a=1", .content_type = "text/plain", .body = "q=1"});
  EXPECT_EQ(p.find("q"), nullptr);
  EXPECT_EQ(p.text("a"), "1");
}

TEST(Parameters, ReportsErrorsAsLibreTranslateDoes) {
  EXPECT_EQ(failure([] { json("[1]"); }), "400 Invalid JSON format");
  EXPECT_TRUE(failure([] { json("{"); }).starts_with("400 Invalid JSON format: "));
  EXPECT_TRUE(failure([] { json("{\"q\":\"\xff\"}"); }).starts_with("400 Invalid JSON format: "));
  EXPECT_TRUE(failure([] { json(""); }).starts_with("400 Invalid JSON format: "));
  const std::string not_a_number = "400 Invalid request: alternatives parameter is not a number";
  const std::string not_an_integer = "400 Invalid request: alternatives parameter is not an integer";
  const auto form_failure = [](const char* text) {
    return failure([&] { form(fmt::format("alternatives={}", text)).integer("alternatives", 0); });
  };
  for (const char* text : {"x", "1x", "nan", " 1"}) EXPECT_EQ(form_failure(text), not_a_number) << text;
  for (const char* text : {"1.5", "1e99"}) EXPECT_EQ(form_failure(text), not_an_integer) << text;
  const auto json_failure = [](const char* text) {
    return failure([&] { json(fmt::format("{{\"alternatives\":{}}}", text)).integer("alternatives", 0); });
  };
  for (const char* text : {"[1]", "true", "{}"}) EXPECT_EQ(json_failure(text), not_a_number) << text;
  for (const char* text : {"1e300", "0.5"}) EXPECT_EQ(json_failure(text), not_an_integer) << text;
  EXPECT_EQ(failure([] { json(R"({"q":[1]})").texts("q", false); }),
            "400 Invalid request: q parameter is not a string or an array of strings");
  EXPECT_EQ(failure([] { json(R"({"source":1})").text("source"); }),
            "400 Invalid request: source parameter is not a string");
  EXPECT_EQ(failure([] { json(R"({"x":"maybe"})").flag("x", false); }),
            "400 Invalid request: x parameter is not true or false");
}

}  // namespace
}  // namespace heed::serve
