#include "text/attention_json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace heed::testing {
namespace {

text::AttentionMatrix small() {
  return {.source = {{"a", {0, 1}}, {"</s>", {1, 1}}},
          .target = {{"x", {0, 1}}},
          .source_end = true,
          .weights = {0.12345678F, 0.75F}};
}

TEST(AttentionJson, FollowsTheFormat) {
  EXPECT_EQ(attention_json(small()).dump(),
            R"({"source":["a","</s>"],"source_spans":[[0,1],[1,1]],"target":["x"],"target_spans":[[0,1]],)"
            R"("attention":[[0.123457,0.75]]})");
  text::AttentionMatrix none = small();
  none.weights.clear();
  EXPECT_TRUE(attention_json(none)["attention"].is_null());
  EXPECT_EQ(text::attention_json({}).dump(),
            R"({"source":[],"source_spans":[],"target":[],"target_spans":[],"attention":null})");
}

TEST(AttentionJson, WeightsAreRoundedToTheUnit) {
  EXPECT_EQ(weights_json(small(), 1e4).dump(), "[[0.1235,0.75]]");
}

TEST(AttentionFromJson, ReadsWhatAttentionJsonWrites) {
  const text::AttentionMatrix read = text::attention_from_json(attention_json(small()), "here");
  EXPECT_EQ(token_texts(read.source), token_texts(small().source));
  EXPECT_EQ(token_texts(read.target), token_texts(small().target));
  ASSERT_EQ(read.weights.size(), 2u);
  EXPECT_FLOAT_EQ(read.at(0, 0), 0.123457F);
  EXPECT_FLOAT_EQ(read.at(0, 1), 0.75F);
  EXPECT_FALSE(
      text::attention_from_json(Json::parse(R"({"source":[],"target":[],"attention":null})"), "here").has_weights());
  const Json nan = Json::parse(R"({"source":["a"],"target":["b"],"attention":[[null]]})");
  EXPECT_EQ(text::attention_from_json(nan, "here").weights, std::vector<float>{0});
}

TEST(AttentionFromJson, ErrorsBeginWithTheFileAndLine) {
  for (const char* text :
       {R"({})", R"({"source":["a"]})", R"({"source":[1],"target":[]})",
        R"({"source":["a"],"target":["b"],"attention":[["x"]]})",
        R"({"source":["a"],"target":["b"],"attention":[[1,2]]})", R"({"source":["a"],"target":["b"],"attention":[1]})",
        R"({"source":["a","b"],"target":["c","d"],"attention":[[1],[0,0,1]]})",
        R"({"source":["a"],"target":["b"],"attention":[]})"}) {
    try {
      text::attention_from_json(Json::parse(text), "file:7");
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with("file:7: ")) << error.what();
    }
  }
}

}  // namespace
}  // namespace heed::testing
