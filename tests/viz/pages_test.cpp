// The data in the pages. tests/system/web_test.py tests how browsers show them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/json.h"
#include "support/files.h"
#include "viz/compare_page.h"
#include "viz/heatmap.h"
#include "viz/page.h"
#include "viz/report.h"
#include "viz/runs_page.h"

namespace heed::viz {
namespace {

constexpr const char* kHostile = "</script><script>alert(1)</script><!-- \u2028 \" ' &amp;";

// The data of a page, read back from its JSON block.
Json data_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(open) + open.size();
  return parse_json(page.substr(from, page.find("</script>", from) - from), "page")["page"];
}

// The blocks after the first one.
std::vector<Json> parts_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" class=\"part\">";
  std::vector<Json> parts;
  for (std::size_t at = 0; (at = page.find(open, at)) != page.npos;) {
    at += open.size();
    parts.push_back(parse_json(page.substr(at, page.find("</script>", at) - at), "page"));
  }
  return parts;
}

// The user's text is in the data and nowhere else; the policy allows only what is hashed.
void expect_safe(const std::string& page) {
  EXPECT_EQ(page.find("<script>alert"), page.npos);
  EXPECT_EQ(page.find("<img"), page.npos);
  EXPECT_NE(page.find("default-src 'none'; script-src 'sha256-"), page.npos);
  EXPECT_EQ(page.find("unsafe"), page.npos);
  for (const char* outside : {"https://", "<!--", "src=\"", "href=\"", "@import", "innerHTML ="})
    EXPECT_EQ(page.find(outside), page.npos) << outside;
}

TEST(Pages, ConnectOnlyWithTheirServer) {
  const Page page{.title = "t", .lead = "l", .scripts = {"compare"}, .data = {}};
  EXPECT_EQ(page_policy(page).find("connect-src"), std::string::npos);
  EXPECT_NE(page_policy(page).find("; form-action 'none'; base-uri 'none'"), std::string::npos);
  Page served = page;
  served.has_server = true;
  EXPECT_NE(page_policy(served).find("; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'"),
            std::string::npos);
  const std::string text = make_page(served);
  EXPECT_NE(text.find(page_policy(served)), std::string::npos);
  expect_safe(text);
}

TEST(Pages, RejectAnUnknownScript) {
  EXPECT_THROW(make_page({.title = "t", .lead = "l", .scripts = {"nothing"}, .data = {}}), InternalError);
}

TEST(ShortNumbers, KeepFourDigits) {
  const std::vector<float> numbers{0.123456F, 0, -98765, NAN, INFINITY};
  EXPECT_EQ(short_numbers(numbers), Json::parse("[0.1235,0.0,-98770.0,null,null]"));
}

TEST(ComparePages, HaveTheTranslationOfEachModel) {
  ComparePage page{
      .title = kHostile,
      .columns = {"BLEU"},
      .models = {{"a", "", {{.text = "30.1"}}}, {"b", "", {{.text = "31.0", .best = true}}}},
      .metrics = {{"BLEU", "nrefs:1", {{.score = {1, 0, 2}}, {.score = {3, 2, 4}, .difference = {{2, 1, 3}}}}}},
      .notes = {kHostile},
      .sentences = {{kHostile, "r", {{"x", {}}, {kHostile, {}}}}}};
  const std::string text = compare_page(page);
  expect_safe(text);
  EXPECT_EQ(data_of(text)["sentences"][0]["translations"].size(), 2U);
  EXPECT_EQ(data_of(text)["models"][1]["figures"][0]["best"], true);
  EXPECT_TRUE(data_of(text)["metrics"][0]["results"][0]["difference"].is_null());
  EXPECT_EQ(data_of(text)["metrics"][0]["results"][1]["difference"], Json::parse("[2.0,1.0,3.0]"));
  // Subwords of the source are added up, so that the maps of all models have the same columns.
  page.sentences[0].source = "ab c";
  text::AttentionMatrix attention{.source = {{"a", {0, 1}}, {"b", {1, 2}}, {"c", {3, 4}}},
                                  .target = {{"x", {0, 1}}},
                                  .weights = {0.123456F, 0.25F, 0.5F}};
  page.sentences[0].translations[1] = {"x", attention};
  const Json map = data_of(compare_page(page))["sentences"][0]["translations"][1]["map"];
  EXPECT_EQ(map["title"], "b");
  EXPECT_EQ(map["source"], Json::parse(R"(["ab","c"])"));
  EXPECT_EQ(map["weights"], Json::parse("[[0.3735,0.5]]"));
  attention = {.source = std::vector<text::Token>(kMaxHeatmapWords + 1), .target = {{"x", {}}}};
  page.sentences[0].translations[1].attention = attention;
  EXPECT_TRUE(data_of(compare_page(page))["sentences"][0]["translations"][1]["map"].is_null());
  page.models[1].figures.clear();
  EXPECT_THROW(compare_page(page), ShapeError);
  page.models[1].figures = {{.text = "1"}};
  page.metrics[0].results.pop_back();
  EXPECT_THROW(compare_page(page), ShapeError);
  page.metrics.clear();
  EXPECT_NO_THROW(compare_page(page));
  page.sentences[0].translations.pop_back();
  EXPECT_THROW(compare_page(page), ShapeError);
}

TEST(RunsPages, HaveTheFiguresOfEachRun) {
  RunsPage page{.columns = {"BLEU", kHostile},
                .rows = {{kHostile, 0, false, {"30.1", ""}}, {"b", {}, true, {kHostile, "1"}}},
                .charts = {{.title = kHostile, .curves = {{kHostile, {{1, 2}}}}, .labels = true}}};
  const std::string text = runs_page(page);
  expect_safe(text);
  EXPECT_EQ(data_of(text)["rows"][0]["figures"][0], "30.1");
  EXPECT_EQ(data_of(text)["rows"][0]["classes"], "color0 dash0");
  EXPECT_TRUE(data_of(text)["rows"][1]["classes"].is_null());
  EXPECT_EQ(data_of(text)["charts"].size(), 1U);
  page.rows[1].figures.pop_back();
  EXPECT_THROW(runs_page(page), ShapeError);
}

class Report : public ::testing::Test {
 protected:
  void write(const char* name, const std::string& text) const { std::ofstream(directory_.file(name)) << text; }
  std::string path() const { return std::filesystem::path(directory_.file("x")).parent_path().string(); }
  std::string message() const {
    try {
      RunReport(path()).page();
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
  const std::string page = RunReport(path()).page();
  expect_safe(page);
  const Json data = data_of(page);
  EXPECT_EQ(data["last"]["loss"], 2.5);
  EXPECT_EQ(data["charts"][0]["curves"][0]["points"], Json::parse("[[1.0,2.5]]"));
  EXPECT_EQ(data["validations"][0]["perplexity"], 9.5);
  EXPECT_EQ(parts_of(page).at(0)["samples"][0]["map"]["weights"], Json::parse("[[0.25,0.75]]"));
  RunReport(path()).write();
  EXPECT_TRUE(std::filesystem::exists(directory_.file("report.html")));
}

TEST_F(Report, IsNamedAfterTheDirectory) {
  write("metrics.jsonl", kMetrics);
  const std::string name = std::filesystem::path(path()).filename().string();
  for (const char* end : {"", "/", "/."}) EXPECT_EQ(data_of(RunReport(path() + end).page())["name"], name) << end;
}

TEST_F(Report, ThinsALongRunAndKeepsTheLast) {
  std::string lines;
  for (int i = 1; i <= 201; ++i) lines += fmt::format("{{\"kind\":\"validation\",\"update\":{},\"samples\":[]}}\n", i);
  write("metrics.jsonl", kMetrics);
  write("samples.jsonl", lines);
  const std::vector<Json> samplings = parts_of(RunReport(path()).page());
  EXPECT_LE(samplings.size(), 81U);
  EXPECT_EQ(samplings.at(0)["update"], 1);
  EXPECT_EQ(samplings.back()["update"], 201);
}

std::string sampling(int update, double weight) {
  return fmt::format(
      "{{\"kind\":\"validation\",\"update\":{},\"samples\":[{{\"source\":[\"a\"],\"target\":[\"t\"],"
      "\"attention\":[[{}]]}}]}}\n",
      update, weight);
}

// A run that diverges truncates its logs and continues with other lines.
TEST_F(Report, FollowsARunThatGrowsAndRestarts) {
  write("metrics.jsonl", kMetrics);
  RunReport report(path());
  const auto expect_like_a_new_one = [&](const std::string& samples) {
    write("samples.jsonl", samples);
    EXPECT_EQ(report.page(), RunReport(path()).page());
  };
  std::string lines;
  for (int i = 1; i <= 90; ++i) expect_like_a_new_one(lines += sampling(i, 0.01 * i));
  expect_like_a_new_one(sampling(1, 0.5));
  EXPECT_EQ(parts_of(report.page()).at(0)["samples"][0]["map"]["weights"], Json::parse("[[0.5]]"));
}

TEST_F(Report, NamesTheFileAndLineOfAnError) {
  EXPECT_NE(message().find("does not contain a training run"), std::string::npos);
  write("metrics.jsonl", "{\"kind\":\"start\"}\nnonsense\n");
  EXPECT_NE(message().find("metrics.jsonl:2"), std::string::npos);
  write("metrics.jsonl", "[]\n");
  EXPECT_NE(message().find("not a JSON object"), std::string::npos);
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
