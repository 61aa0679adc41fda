#include "viz/report.h"

#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/json_lines.h"
#include "text/attention_json.h"
#include "viz/chart.h"
#include "viz/heatmap.h"
#include "viz/label.h"
#include "viz/page.h"

namespace heed::viz {
namespace {

// A longer run is thinned to about this many validations with samples.
constexpr std::size_t kMostSamplings = 80;

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Json sampling_of(const Json& line, const std::string& where) {
  Json samples = Json::array();
  const auto found = line.find("samples");
  check<InputError>(found != line.end() && found->is_array(), "{}: the list \"samples\" is missing", where);
  for (const Json& sample : *found) {
    check<InputError>(sample.is_object(), "{}: a sample is not a JSON object", where);
    samples.push_back({{"text", clean_label(text_of(sample, "text"))},
                       {"reference", clean_label(text_of(sample, "reference"))},
                       {"translation", clean_label(text_of(sample, "translation"))},
                       {"map", heatmap_json_if_small({.attention = text::attention_from_json(sample, where)})}});
  }
  return {{"kind", text_of(line, "kind")},
          {"update", line.value("update", Json())},
          {"epoch", line.value("epoch", Json())},
          {"samples", samples}};
}

Json charts_of(std::span<const Json> lines) {
  const auto curve = [&](const char* name, const char* kind, const std::string& key, std::size_t style = 0) {
    return Curve{name, points_of(lines, kind, key), std::string_view(kind) == "validation", style};
  };
  Curve validation = curve("validation", "validation", "perplexity", 1);
  for (Curve::Point& point : validation.points) point.y = std::log(point.y);
  Json charts = Json::array();
  for (const Chart& chart :
       {Chart{.title = "Loss per token", .curves = {curve("training", "update", "loss"), validation}},
        Chart{.title = "Perplexity", .curves = {curve("perplexity", "validation", "perplexity")}, .log = true},
        Chart{.title = "Quality",
        .curves = {curve("BLEU", "validation", "bleu"), curve("chrF", "validation", "chrf", 1)}},
        Chart{.title = "Learning rate", .curves = {curve("rate", "update", "learning_rate")}},
        Chart{.title = "Tokens per second", .curves = {curve("tokens/s", "update", "tokens_per_second")}, .zero = true},
        Chart{.title = "Gradient norm", .curves = {curve("norm", "update", "gradient_norm")}, .log = true}})
    charts.push_back(chart_json(chart));
  return charts;
}

// The lines of metrics.jsonl by kind, for the page; of the updates, only the curves and the last line.
Json read_metrics(const std::string& path) {
  Json start, end, last, validations = Json::array(), divergences = Json::array();
  std::vector<Json> lines;
  const std::string text = read_file(path);
  for (const JsonLine& source : json_lines(text, path)) {
    const Json& line = lines.emplace_back(source.parse());
    const std::string kind = text_of(line, "kind");
    if (kind == "start") start = line;
    if (kind == "end") end = line;
    if (kind == "update") last = line;
    if (kind == "validation" || kind == "average") validations.push_back(line);
    if (kind == "divergence") divergences.push_back(line);
  }
  return {{"start", start},
          {"end", end},
          {"last", last},
          {"validations", validations},
          {"divergences", divergences},
          {"charts", charts_of(lines)}};
}

}  // namespace

std::vector<std::string> RunReport::read_samplings(const std::string& path) {
  const std::string text = read_file(path);
  std::vector<std::string> samplings;
  std::unordered_map<std::string, std::string> shown;
  for (const JsonLine& line : thinned(json_lines(text, path), kMostSamplings)) {
    const auto known = shown_.find(std::string(line.text));
    samplings.push_back(known != shown_.end() ? known->second : script_json(sampling_of(line.parse(), line.where)));
    shown.emplace(line.text, samplings.back());
  }
  shown_ = std::move(shown);
  return samplings;
}

std::string RunReport::page() {
  namespace fs = std::filesystem;
  const fs::path at(directory_);
  const auto file = [&](const char* name) { return (at / name).string(); };
  check<InputError>(fs::exists(at), "there is no directory '{}'; give the directory of a training run", directory_);
  check<InputError>(
      fs::is_regular_file(at / "metrics.jsonl"),
      "'{}' does not contain a training run (no metrics.jsonl); give the directory of a run (--out of heed train)",
      directory_);
  Json data = read_metrics(file("metrics.jsonl"));
  std::vector<std::string> samplings;
  if (fs::is_regular_file(at / "samples.jsonl")) samplings = read_samplings(file("samples.jsonl"));
  data["config"] = fs::is_regular_file(at / "config.toml") ? read_file(file("config.toml")) : "";
  const std::string name = clean_label(fs::absolute(at / ".").lexically_normal().parent_path().filename().string());
  data["name"] = name;
  return make_page({.title = "Training run " + name,
                    .lead = "This page shows a training run of heed: curves, translations and attention. It needs "
                            "JavaScript.",
                    .scripts = {"heatmap", "chart", "chart_page", "report"},
                    .data = std::move(data),
                    .parts = samplings});
}

void RunReport::write(const std::string& path) {
  write_file_atomically(path.empty() ? (std::filesystem::path(directory_) / "report.html").string() : path, page());
}

}  // namespace heed::viz
