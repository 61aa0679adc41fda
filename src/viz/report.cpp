#include "viz/report.h"

#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "text/attention_json.h"
#include "viz/heatmap.h"
#include "viz/label.h"
#include "viz/page.h"

namespace heed::viz {
namespace {

// More validations than this and the page keeps every n-th one's samples, the first and the last always.
constexpr std::size_t kMostSamplings = 80;
constexpr std::size_t kMostUpdates = 2000;

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

struct LogLine {
  std::string_view text;
  std::string where;  // file:line

  Json parse() const {
    Json line = parse_json(text, where);
    check<InputError>(line.is_object(), "{}: this is not a JSON object, as each line of a run's files must be", where);
    return line;
  }
};

// The lines of a file. A last line that a crash cut off is passed over.
std::vector<LogLine> lines_of(std::string_view text, const std::string& path) {
  std::vector<LogLine> lines;
  for (std::size_t from = 0, end; (end = text.find('\n', from)) != text.npos; from = end + 1)
    lines.push_back({text.substr(from, end - from), fmt::format("{}:{}", path, lines.size() + 1)});
  return lines;
}

// The attention of a sample as a map; null if it is too large to draw.
Json map_of(const Json& sample, const std::string& where) {
  text::AttentionMatrix attention = text::attention_from_json(sample, where);
  if (std::max(attention.source.size(), attention.target.size()) > kMaxHeatmapWords) return nullptr;
  return heatmap_json({.attention = std::move(attention)});
}

Json sampling_of(const Json& line, const std::string& where) {
  Json samples = Json::array();
  const auto found = line.find("samples");
  check<InputError>(found != line.end() && found->is_array(), "{}: there is no list \"samples\"", where);
  for (const Json& sample : *found) {
    check<InputError>(sample.is_object(), "{}: a sample is not a JSON object", where);
    samples.push_back({{"text", clean_label(text_of(sample, "text"))},
                       {"reference", clean_label(text_of(sample, "reference"))},
                       {"translation", clean_label(text_of(sample, "translation"))},
                       {"map", map_of(sample, where)}});
  }
  return {{"kind", text_of(line, "kind")},
          {"update", line.value("update", Json())},
          {"epoch", line.value("epoch", Json())},
          {"samples", samples}};
}

// At most `most` of them, evenly, the first and the last always.
template <class T>
std::vector<T> thinned(const std::vector<T>& all, std::size_t most) {
  std::vector<T> kept;
  const std::size_t every = std::max<std::size_t>((all.size() + most - 1) / most, 1);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i % every == 0 || i + 1 == all.size()) kept.push_back(all[i]);
  return kept;
}

struct Metrics {
  Json start, end;
  std::vector<Json> updates;
  Json validations = Json::array(), divergences = Json::array();
};

Metrics read_metrics(const std::string& path) {
  Metrics metrics;
  const std::string text = read_file(path);
  for (const LogLine& source : lines_of(text, path)) {
    const Json line = source.parse();
    const std::string kind = text_of(line, "kind");
    if (kind == "start") metrics.start = line;
    if (kind == "end") metrics.end = line;
    if (kind == "update") metrics.updates.push_back(line);
    if (kind == "validation" || kind == "average") metrics.validations.push_back(line);
    if (kind == "divergence") metrics.divergences.push_back(line);
  }
  return metrics;
}

}  // namespace

std::vector<std::string> RunReport::read_samplings(const std::string& path) {
  const std::string text = read_file(path);
  std::vector<std::string> samplings;
  std::unordered_map<std::string, std::string> shown;
  for (const LogLine& line : thinned(lines_of(text, path), kMostSamplings)) {
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
  check<InputError>(fs::is_regular_file(at / "metrics.jsonl"),
                    "'{}' holds no training run: there is no metrics.jsonl in it (heed train --out writes one)",
                    directory_);
  const Metrics metrics = read_metrics(file("metrics.jsonl"));
  std::vector<std::string> samplings;
  if (fs::is_regular_file(at / "samples.jsonl")) samplings = read_samplings(file("samples.jsonl"));
  std::string config;
  if (fs::is_regular_file(at / "config.toml")) config = read_file(file("config.toml"));

  const std::string name = clean_label(fs::absolute(at).lexically_normal().filename().string());
  return make_page({.title = "Training run " + name,
                    .lead = "This page shows a training run of heed: its curves, its translations and its attention. "
                            "It needs scripts to run.",
                    .script = "report",
                    .data = {{"name", name.empty() ? directory_ : name},
                             {"start", metrics.start},
                             {"end", metrics.end},
                             {"updates", thinned(metrics.updates, kMostUpdates)},
                             {"validations", metrics.validations},
                             {"divergences", metrics.divergences},
                             {"config", config}},
                    .parts = samplings});
}

void RunReport::write(const std::string& path) {
  write_file_atomically(path.empty() ? (std::filesystem::path(directory_) / "report.html").string() : path, page());
}

}  // namespace heed::viz
