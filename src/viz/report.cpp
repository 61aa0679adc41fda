#include "viz/report.h"

#include <cmath>
#include <filesystem>
#include <functional>

#include "base/error.h"
#include "base/files.h"
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

// Calls visit(object, where) for each line. A last line that a crash cut off is passed over.
void for_each_line(const std::string& path, const std::function<void(const Json&, const std::string&)>& visit) {
  const std::string text = read_file(path);
  int number = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    if (end == text.npos) return;
    const std::string where = fmt::format("{}:{}", path, ++number);
    const Json line = parse_json(std::string_view(text).substr(from, end - from), where);
    check<InputError>(line.is_object(), "{}: this is no JSON object, as each line of a run's files must be", where);
    visit(line, where);
    from = end + 1;
  }
}

std::vector<std::string> words_of(const Json& sample, const char* key, const std::string& where) {
  const auto found = sample.find(key);
  check<InputError>(found != sample.end() && found->is_array(), "{}: a sample has no list \"{}\"", where, key);
  std::vector<std::string> words;
  for (const Json& word : *found) {
    check<InputError>(word.is_string(), "{}: a word in \"{}\" is no text", where, key);
    words.push_back(word.get<std::string>());
  }
  return words;
}

// The attention JSON of a sample as a map; null where it is too large to draw.
Json map_of(const Json& sample, const std::string& where) {
  Heatmap map;
  map.source = words_of(sample, "source", where);
  map.target = words_of(sample, "target", where);
  if (std::max(map.source.size(), map.target.size()) > kMaxHeatmapWords) return nullptr;
  const auto rows = sample.find("attention");
  if (rows != sample.end() && rows->is_array()) {
    for (const Json& row : *rows)
      for (const Json& weight : row) {
        check<InputError>(weight.is_number() || weight.is_null(), "{}: a weight of \"attention\" is no number", where);
        map.weights.push_back(weight.is_number() ? weight.get<float>() : 0.0F);
      }
    check<InputError>(map.weights.size() == map.source.size() * map.target.size(),
                      "{}: \"attention\" has {} weights for {} by {} words", where, map.weights.size(),
                      map.target.size(), map.source.size());
  }
  return heatmap_json(map);
}

Json sampling_of(const Json& line, const std::string& where) {
  Json samples = Json::array();
  const auto found = line.find("samples");
  check<InputError>(found != line.end() && found->is_array(), "{}: there is no list \"samples\"", where);
  for (const Json& sample : *found) {
    check<InputError>(sample.is_object(), "{}: a sample is no JSON object", where);
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

// At most `most` of them, evenly, the last always.
Json thinned(const std::vector<Json>& all, std::size_t most) {
  Json kept = Json::array();
  const std::size_t every = (all.size() + most - 1) / std::max<std::size_t>(most, 1);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i % std::max<std::size_t>(every, 1) == 0 || i + 1 == all.size()) kept.push_back(all[i]);
  return kept;
}

struct Metrics {
  Json start, end;
  std::vector<Json> updates;
  Json validations = Json::array(), divergences = Json::array();
};

Metrics read_metrics(const std::string& path) {
  Metrics metrics;
  for_each_line(path, [&](const Json& line, const std::string&) {
    const std::string kind = text_of(line, "kind");
    if (kind == "start") metrics.start = line;
    if (kind == "end") metrics.end = line;
    if (kind == "update") metrics.updates.push_back(line);
    if (kind == "validation" || kind == "average") metrics.validations.push_back(line);
    if (kind == "divergence") metrics.divergences.push_back(line);
  });
  return metrics;
}

std::vector<Json> read_samplings(const std::string& path) {
  std::vector<Json> samplings;
  for_each_line(path,
                [&](const Json& line, const std::string& where) { samplings.push_back(sampling_of(line, where)); });
  return samplings;
}

}  // namespace

std::string run_report(const std::string& directory) {
  namespace fs = std::filesystem;
  const fs::path at(directory);
  const auto file = [&](const char* name) { return (at / name).string(); };
  check<InputError>(fs::is_regular_file(at / "metrics.jsonl"),
                    "'{}' holds no training run: there is no metrics.jsonl in it (heed train --out writes one)",
                    directory);
  const Metrics metrics = read_metrics(file("metrics.jsonl"));
  std::vector<Json> samplings;
  if (fs::is_regular_file(at / "samples.jsonl")) samplings = read_samplings(file("samples.jsonl"));
  std::string config;
  if (fs::is_regular_file(at / "config.toml")) config = read_file(file("config.toml"));

  const std::string name = clean_label(fs::absolute(at).lexically_normal().filename().string());
  const Json data = {{"name", name.empty() ? directory : name},
                     {"start", metrics.start},
                     {"end", metrics.end},
                     {"updates", thinned(metrics.updates, kMostUpdates)},
                     {"validations", metrics.validations},
                     {"divergences", metrics.divergences},
                     {"samplings", thinned(samplings, kMostSamplings)},
                     {"config", config}};
  return make_page("Training run " + name,
                   "This page shows a training run of heed: its curves, its translations and its attention. It needs "
                   "scripts to run.",
                   {"report"}, data);
}

void write_report(const std::string& directory, const std::string& path) {
  write_file_atomically(path.empty() ? (std::filesystem::path(directory) / "report.html").string() : path,
                        run_report(directory));
}

}  // namespace heed::viz
