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

// A longer run is thinned to about this many validations with samples, and updates.
constexpr std::size_t kMostSamplings = 80, kMostUpdates = 2000;

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

struct LogLine {
  std::string_view text;
  std::string where;  // file:line

  Json parse() const {
    Json line = parse_json(text, where);
    check<InputError>(line.is_object(), "{}: this line is not a JSON object", where);
    return line;
  }
};

// The complete lines of a file: a last line that a crash cut off is skipped.
std::vector<LogLine> lines_of(std::string_view text, const std::string& path) {
  std::vector<LogLine> lines;
  for (std::size_t from = 0, end; (end = text.find('\n', from)) != text.npos; from = end + 1)
    lines.push_back({text.substr(from, end - from), fmt::format("{}:{}", path, lines.size() + 1)});
  return lines;
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

// About `most` of them, evenly spaced, always with the first and the last.
template <class T>
std::vector<T> thinned(const std::vector<T>& all, std::size_t most) {
  std::vector<T> kept;
  const std::size_t every = std::max<std::size_t>((all.size() + most - 1) / most, 1);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i % every == 0 || i + 1 == all.size()) kept.push_back(all[i]);
  return kept;
}

// The lines of metrics.jsonl by kind, as the page reads them.
Json read_metrics(const std::string& path) {
  Json start, end, validations = Json::array(), divergences = Json::array();
  std::vector<Json> updates;
  const std::string text = read_file(path);
  for (const LogLine& source : lines_of(text, path)) {
    const Json line = source.parse();
    const std::string kind = text_of(line, "kind");
    if (kind == "start") start = line;
    if (kind == "end") end = line;
    if (kind == "update") updates.push_back(line);
    if (kind == "validation" || kind == "average") validations.push_back(line);
    if (kind == "divergence") divergences.push_back(line);
  }
  return {{"start", start},
          {"end", end},
          {"updates", thinned(updates, kMostUpdates)},
          {"validations", validations},
          {"divergences", divergences}};
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
  check<InputError>(fs::exists(at), "there is no directory '{}'", directory_);
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
                    .script = "report",
                    .data = std::move(data),
                    .parts = samplings});
}

void RunReport::write(const std::string& path) {
  write_file_atomically(path.empty() ? (std::filesystem::path(directory_) / "report.html").string() : path, page());
}

}  // namespace heed::viz
