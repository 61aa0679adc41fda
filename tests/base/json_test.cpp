#include "base/json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/json_lines.h"

namespace heed {
namespace {

std::string json_failure_of(std::string_view text, Json (*parse)(std::string_view, std::string_view) = parse_json) {
  try {
    parse(text, "m.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no InputError";
}

std::string nested(int depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(Json, parses_and_keeps_order) {
  const char* text = R"({"z":1,"a":[true,null,-2,2.5,"x\u00e9"],"m":{"q":{},"b":[]},"big":18446744073709551615})";
  const Json value = parse_json(text, "t");
  EXPECT_EQ(dump_json(value),
            "{\"z\":1,\"a\":[true,null,-2,2.5,\"xé\"],\"m\":{\"q\":{},\"b\":[]},\"big\":18446744073709551615}");
  EXPECT_EQ(value["a"][3].get<double>(), 2.5);
  EXPECT_EQ(parse_json(" 7 ", "t"), 7);
}

TEST(Json, errors_have_the_position) {
  EXPECT_EQ(json_failure_of("{\"a\":1,\n\"b\":}"),
            "m.json: this is not valid JSON at line 2, column 5 (byte 13 of 13)");
  EXPECT_EQ(json_failure_of(""), "m.json: the JSON text ends too early at line 1, column 1 (byte 0 of 0)");
  EXPECT_EQ(json_failure_of(std::string_view("{}\0x", 4)), "m.json: byte 3 is NUL, which JSON does not allow");
  EXPECT_EQ(json_failure_of("[1,2"), "m.json: the JSON text ends too early at line 1, column 5 (byte 4 of 4)");
  EXPECT_EQ(json_failure_of("{\"a\":", parse_json_line), "m.json, column 6: the JSON text ends too early");
  EXPECT_EQ(json_failure_of("[1,]", parse_json_line), "m.json, column 4: this is not valid JSON");
  for (const char* bad :
       {"{} x", "[1,]", "{'a':1}", "nul", "\"\xff\"", "\"\n\"", "01", "1e9999", "[1]]", "NaN", "\"\\ud800\""})
    EXPECT_NE(json_failure_of(bad).find("m.json: "), std::string::npos) << bad;
}

TEST(Json, rejects_duplicate_keys_depth_and_too_many_values) {
  EXPECT_EQ(json_failure_of(R"({"a":1,"b":{"a":2},"a":3})"), "m.json: the key 'a' occurs twice in one object");
  EXPECT_EQ(json_failure_of(nested(100)), "no InputError");
  EXPECT_EQ(json_failure_of(nested(101)), "m.json: this JSON is nested deeper than 100 levels");
  EXPECT_EQ(json_failure_of(std::string(1'000'000, '[')), "m.json: this JSON is nested deeper than 100 levels");
  std::string flood = "[";
  for (int i = 0; i < 10'000'000; ++i) flood += "0,";
  EXPECT_EQ(json_failure_of(flood + "0]"), "m.json: this JSON holds more than 10000000 values");
}

TEST(Json, many_keys_take_linear_time) {
  // Quadratic behavior would take hours here, not a second.
  std::string text = "{";
  for (int i = 0; i < 1'000'000; ++i) text += "\"k" + std::to_string(i) + "\":0,";
  EXPECT_EQ(parse_json(text + "\"last\":1}", "t").size(), 1'000'001u);
}

TEST(Json, dump_is_always_valid) {
  const std::string text = dump_json(Json{{"bad", "a\xff\xc3z"}, {"nan", std::nan("")}});
  EXPECT_EQ(text, "{\"bad\":\"a\uFFFD\uFFFDz\",\"nan\":null}");
  EXPECT_EQ(dump_json(Json{{"a", 1}}, 2), "{\n  \"a\": 1\n}");
}

TEST(JsonLines, SkipALastLineThatIsCutOff) {
  const std::vector<JsonLine> lines = json_lines("{\"a\":1}\n[]\n{\"a\"", "log");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].parse()["a"], 1);
  EXPECT_EQ(lines[1].where, "log:2");
  EXPECT_THROW(lines[1].parse(), InputError);
}

}  // namespace
}  // namespace heed
