// What the pages hold. That browsers show them is tested by tests/web.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/json.h"
#include "support/files.h"
#include "viz/compare_page.h"
#include "viz/page.h"
#include "viz/report.h"
#include "viz/step_page.h"

namespace heed::viz {
namespace {

constexpr const char* kHostile = "</script><script>alert(1)</script><!-- \u2028 \" ' &amp;";

// The data of a page, read back from its JSON block.
Json data_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(open) + open.size();
  return parse_json(page.substr(from, page.find("</script>", from) - from), "page")["page"];
}

// The user's text is in the data and nowhere else; the policy allows only what is hashed.
void expect_safe(const std::string& page) {
  EXPECT_EQ(page.find("<script>alert"), page.npos);
  EXPECT_EQ(page.find("<img"), page.npos);
  EXPECT_NE(page.find("default-src 'none'; script-src 'sha256-"), page.npos);
  EXPECT_EQ(page.find("unsafe"), page.npos);
  for (const char* outside : {"https://", "src=\"", "href=\"", "@import", "innerHTML ="})
    EXPECT_EQ(page.find(outside), page.npos) << outside;
}

StepPage::Model step_model() {
  StepPage::Step step{.input = "<s>",
                      .embedding = std::vector<float>(40, 0.5F),
                      .before = {1, -1},
                      .state = {0.123456F, NAN},
                      .scores = {2, 1},
                      .weights = {0.7F, 0.3F},
                      .context = {1},
                      .readout = {1},
                      .word = kHostile,
                      .probability = 0.5,
                      .choices = {{kHostile, 0.5}}};
  return {.title = "<img src=x>",
          .summary = "small",
          .place = "before",
          .score = "dot",
          .formula = "e · h",
          .cell = "gru",
          .input = {"embedding"},
          .readout = {"state"},
          .readout_layer = false,
          .source = {kHostile, "</s>"},
          .encoder = {{1, 2}, {3, 4}},
          .hypotheses = {{.text = "x", .score = -1, .steps = {step}}},
          .gold = {{0, 0, true}}};
}

TEST(StepPages, HoldTheNumbersAndEscapeTheWords) {
  const std::string page = step_page({.sentence = kHostile, .models = {step_model()}});
  expect_safe(page);
  const Json model = data_of(page)["models"][0];
  const Json step = model["hypotheses"][0]["steps"][0];
  EXPECT_EQ(step["embedding"]["size"], 40);
  EXPECT_EQ(step["embedding"]["first"].size(), kShownComponents);
  EXPECT_DOUBLE_EQ(step["state"]["first"][0].get<double>(), 0.1235);
  EXPECT_TRUE(step["state"]["first"][1].is_null());
  EXPECT_EQ(model["hypotheses"][0]["map"]["weights"], Json::parse("[[0.7,0.3]]"));
  EXPECT_NE(step["word"].get<std::string>().find("</script><script>alert(1)"), std::string::npos);
}

TEST(StepPages, RefuseNothingToShow) {
  EXPECT_THROW(step_page({.sentence = "x", .models = {}}), ShapeError);
  StepPage::Model empty = step_model();
  empty.hypotheses.clear();
  EXPECT_THROW(step_page({.sentence = "x", .models = {empty}}), ShapeError);
  StepPage::Model uneven = step_model();
  uneven.hypotheses[0].steps[0].weights.pop_back();
  EXPECT_THROW(step_page({.sentence = "x", .models = {uneven}}), ShapeError);
}

TEST(ComparePages, HoldEveryModelsTranslation) {
  ComparePage page{.title = kHostile,
                   .columns = {"BLEU"},
                   .models = {{"a", "", {"30.1"}}, {"b", "", {"31.0"}}},
                   .notes = {kHostile},
                   .sentences = {{kHostile, "r", {{"x", {}}, {kHostile, {}}}}}};
  const std::string text = compare_page(page);
  expect_safe(text);
  EXPECT_EQ(data_of(text)["sentences"][0]["translations"].size(), 2U);
  page.models[1].figures.clear();
  EXPECT_THROW(compare_page(page), ShapeError);
  page.models[1].figures = {"1"};
  page.sentences[0].translations.pop_back();
  EXPECT_THROW(compare_page(page), ShapeError);
}

class Report : public ::testing::Test {
 protected:
  void write(const char* name, const std::string& text) const { std::ofstream(directory_.file(name)) << text; }
  std::string path() const { return std::filesystem::path(directory_.file("x")).parent_path().string(); }
  std::string message() const {
    try {
      run_report(path());
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  heed::testing::TemporaryDirectory directory_;
};

constexpr const char* kMetrics =
    "{\"kind\":\"start\",\"system\":\"luong-dot\",\"parameters\":5}\n"
    "{\"kind\":\"update\",\"update\":1,\"loss\":2.5}\n"
    "{\"kind\":\"validation\",\"update\":1,\"perplexity\":9.5}\n";

TEST_F(Report, ReadsARun) {
  write("metrics.jsonl", std::string(kMetrics) + "{\"kind\":\"upda");  // cut off by a crash
  write("samples.jsonl",
        "{\"kind\":\"validation\",\"update\":1,\"epoch\":1,\"samples\":[{\"text\":\"</script><script>alert(1)\","
        "\"reference\":\"r\",\"translation\":\"t\",\"source\":[\"a\",\"b\"],\"target\":[\"t\"],"
        "\"attention\":[[0.25,0.75]]}]}\n");
  write("config.toml", "a = \"<script>\"\n");
  const std::string page = run_report(path());
  expect_safe(page);
  const Json data = data_of(page);
  EXPECT_EQ(data["updates"].size(), 1U);
  EXPECT_EQ(data["validations"][0]["perplexity"], 9.5);
  EXPECT_EQ(data["samplings"][0]["samples"][0]["map"]["weights"], Json::parse("[[0.25,0.75]]"));
  write_report(path());
  EXPECT_TRUE(std::filesystem::exists(directory_.file("report.html")));
}

TEST_F(Report, ThinsALongRunAndKeepsTheLast) {
  std::string lines;
  for (int i = 1; i <= 201; ++i) lines += fmt::format("{{\"kind\":\"validation\",\"update\":{},\"samples\":[]}}\n", i);
  write("metrics.jsonl", kMetrics);
  write("samples.jsonl", lines);
  const Json samplings = data_of(run_report(path()))["samplings"];
  EXPECT_LE(samplings.size(), 81U);
  EXPECT_EQ(samplings[0]["update"], 1);
  EXPECT_EQ(samplings.back()["update"], 201);
}

TEST_F(Report, NamesWhatIsWrong) {
  EXPECT_NE(message().find("holds no training run"), std::string::npos);
  write("metrics.jsonl", "{\"kind\":\"start\"}\nnonsense\n");
  EXPECT_NE(message().find("metrics.jsonl:2"), std::string::npos);
  write("metrics.jsonl", "[]\n");
  EXPECT_NE(message().find("no JSON object"), std::string::npos);
  write("metrics.jsonl", kMetrics);
  for (const char* line :
       {"{}", "{\"samples\":[1]}", "{\"samples\":[{}]}", "{\"samples\":[{\"source\":[1],\"target\":[]}]}",
        "{\"samples\":[{\"source\":[\"a\"],\"target\":[\"b\"],\"attention\":[[\"x\"]]}]}",
        "{\"samples\":[{\"source\":[\"a\"],\"target\":[\"b\"],\"attention\":[[1,2]]}]}"}) {
    write("samples.jsonl", std::string(line) + "\n");
    EXPECT_NE(message().find("samples.jsonl:1"), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace heed::viz
