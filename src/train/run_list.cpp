#include "train/run_list.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "base/csv.h"
#include "base/enum_names.h"
#include "base/error.h"
#include "base/files.h"
#include "base/json_lines.h"
#include "model/presets.h"
#include "train/config.h"
#include "train/run_directory.h"

namespace heed::train {

namespace fs = std::filesystem;

std::vector<std::string> enum_names(RunProgress) {
  return {"running", "stopped", "finished", "diverged"};
}

std::optional<double> RunInfo::best_value(const std::string& name) const {
  const auto found = best.find(name);
  return found == best.end() ? std::nullopt : std::optional(found->second);
}

namespace {

std::string text_at(const Json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<double> number_at(const Json& line, const std::string& key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

std::int64_t count_at(const Json& line, const char* key) {
  const double number = number_at(line, key).value_or(0);
  return number >= 0 && number < 1e15 ? static_cast<std::int64_t>(number) : 0;
}

bool is_run(const fs::path& directory) {
  std::error_code ignored;
  return fs::is_regular_file(directory / "metrics.jsonl", ignored);
}

using Settings = std::map<std::string, std::string>;

// All keys with the values that `apply` gives them; keys of older versions have their current names.
template <class Apply>
Settings settings_with(const Apply& apply) {
  RunConfig config;
  RunFiles files;
  Options options;
  declare(options, files);
  declare(options, config);
  apply(options, files);
  Settings settings;
  for (const TomlEntry& entry : parse_toml(options.to_toml(), "the settings"))
    settings[entry.key] = to_plain(entry.value);
  return settings;
}

void read_settings(RunInfo& run) {
  const std::string path = RunDirectory(run.directory).file("config.toml");
  run.settings = settings_with([&](Options& options, RunFiles& files) {
    apply_run_config(options, files, read_file(path), path, run.directory, true);
  });
  const auto preset = std::ranges::find(model::presets(), run.settings.at("system"), &model::Preset::name);
  const Settings usual = settings_with([&](Options& options, RunFiles&) {
    if (preset != model::presets().end()) options.apply_preset(preset->toml, preset->name);
  });
  for (const auto& [key, value] : run.settings)
    if (usual.at(key) != value) run.own_settings.insert(key);
}

void note_best(RunInfo& run, const Json& line) {
  std::map<std::string, double> found;
  // An average has no training loss of its own.
  if (const auto before = run.best.find("loss"); before != run.best.end()) found.insert(*before);
  std::vector<std::string> names = enum_names(ValidationMetric{});
  names.emplace_back("loss");
  for (const std::string& name : names)
    if (const auto value = number_at(line, name)) found[name] = *value;
  run.best = std::move(found);
}

}  // namespace

std::vector<std::string> find_runs(const std::string& directory) {
  constexpr int kDeepest = 4;
  if (is_run(directory)) return {directory};
  std::vector<std::string> found;
  std::error_code error;
  fs::recursive_directory_iterator at(directory, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    if (!at->is_directory(ignored) || at->is_symlink(ignored)) continue;
    const bool hidden = at->path().filename().string().starts_with('.'), run = !hidden && is_run(at->path());
    if (run) found.push_back(at->path().string());
    if (run || hidden || at.depth() + 1 >= kDeepest) at.disable_recursion_pending();
  }
  // Natural order: seed-2 before seed-10.
  std::ranges::sort(found, {}, [](const std::string& path) {
    std::size_t digits = 0;
    while (digits < path.size() && std::isdigit(static_cast<unsigned char>(path[path.size() - 1 - digits])) != 0)
      ++digits;
    return std::tuple(path.substr(0, path.size() - digits), digits, path);
  });
  return found;
}

RunInfo read_run(const std::string& directory) {
  const RunDirectory files(directory);
  const std::string path = files.file("metrics.jsonl");
  check<InputError>(is_run(directory), "'{}' does not contain a training run (no metrics.jsonl)", directory);
  RunInfo run{.directory = directory};
  const std::string text = read_file(path);
  for (const JsonLine& line : json_lines(text, path)) run.lines.push_back(line.parse());
  check<InputError>(!run.lines.empty() && text_at(run.lines[0], "kind") == "start",
                    "'{}' is not the log of a run: it does not begin with a line of kind start", path);
  const Json& start = run.lines[0];
  run.system = text_at(start, "system");
  run.metric = text_at(start, "metric");
  run.train_pairs = count_at(start, "train_pairs");
  run.parameters = count_at(start, "parameters");
  run.updates = count_at(start, "updates");
  for (const Json& line : run.lines) {
    const std::string kind = text_at(line, "kind");
    run.seconds = std::max(run.seconds, number_at(line, "seconds").value_or(0));
    if (kind == "update" || kind == "validation" || kind == "stop") {
      run.update = std::max(run.update, count_at(line, "update"));
      run.epoch = std::max(run.epoch, count_at(line, "epoch"));
    }
    if ((kind == "validation" || kind == "average") && line.value("best", Json()) == Json(true)) note_best(run, line);
  }
  const Json& last = run.lines.back();
  if (files.is_locked())
    run.progress = RunProgress::running;
  else if (text_at(last, "kind") == "end")
    run.progress = RunProgress::finished;
  else if (text_at(last, "kind") == "divergence" && last.value("back_to", Json(0)).is_null())
    run.progress = RunProgress::diverged;
  try {
    read_settings(run);
  } catch (const Error& error) {
    run.settings.clear();
    run.settings_problem = error.what();
  }
  return run;
}

std::vector<std::string> differing_settings(const std::vector<const RunInfo*>& runs) {
  std::map<std::string, std::set<std::string>> values;  // of the settings that differ from some run's preset
  for (const RunInfo* run : runs)
    for (const std::string& key : run->own_settings) values[key];
  std::vector<std::string> differing;
  for (auto& [key, seen] : values) {
    for (const RunInfo* run : runs)
      if (!run->settings.empty()) seen.insert(run->settings.at(key));
    const bool matters = key != "system" && key != "training.tensorboard" && !key.starts_with("vocabulary.");
    if (seen.size() > 1 && matters) differing.push_back(key);
  }
  return differing;
}

std::vector<RunGroup> group_seeds(const std::vector<RunInfo>& runs) {
  std::vector<RunGroup> groups;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const fs::path path(runs[i].directory);
    const std::string name = path.filename().string(), parent = path.parent_path().string();
    const bool is_seed = name.starts_with("seed-") && name.size() > 5 &&
                         std::ranges::all_of(name.substr(5), [](unsigned char c) { return std::isdigit(c) != 0; });
    const auto same = std::ranges::find_if(groups, [&](const RunGroup& group) {
      if (!is_seed || !group.several_seeds || group.directory != parent) return false;
      const std::vector<std::string> differing = differing_settings({&runs[group.runs[0]], &runs[i]});
      return differing.empty() || differing == std::vector<std::string>{"training.seed"};
    });
    if (same != groups.end())
      same->runs.push_back(i);
    else
      groups.push_back({is_seed ? parent : runs[i].directory, is_seed, {i}});
  }
  for (RunGroup& group : groups)
    if (group.runs.size() == 1) group = {runs[group.runs[0]].directory, false, group.runs};
  return groups;
}

MeanDeviation mean_and_deviation(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  MeanDeviation result{.mean = std::accumulate(values.begin(), values.end(), 0.0) / count, .deviation = {}};
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.deviation = std::sqrt(squares / (count - 1));
  return result;
}

std::map<std::string, MeanDeviation> summarize(const std::vector<const RunInfo*>& runs) {
  std::map<std::string, std::vector<double>> values;
  for (const RunInfo* run : runs)
    for (const auto& [name, value] : run->best) values[name].push_back(value);
  std::map<std::string, MeanDeviation> summary;
  for (const auto& [name, list] : values)
    if (list.size() == runs.size()) summary[name] = mean_and_deviation(list);
  return summary;
}

Json to_json(const std::map<std::string, MeanDeviation>& summary) {
  Json json = Json::object();
  for (const auto& [name, value] : summary)
    json[name] = {{"mean", value.mean}, {"deviation", value.deviation ? Json(*value.deviation) : Json()}};
  return json;
}

std::string metric_label(const std::string& name) {
  return name == "bleu" ? "BLEU" : name == "chrf" ? "chrF" : name;
}

std::string metric_text(const std::string& name, const MeanDeviation& value) {
  const bool fraction = name == "accuracy" || name == "exact";
  const int digits = fraction ? 1 : name == "bleu" || name == "chrf" ? 2 : 3;
  const double factor = fraction ? 100 : 1;
  return fmt::format("{:.{}f}{}{}", factor * value.mean, digits,
                     value.deviation ? fmt::format(" ± {:.{}f}", factor * *value.deviation, digits) : "",
                     fraction ? "%" : "");
}

std::string metrics_csv(const std::vector<NamedRun>& runs) {
  const auto has_measurements = [](const Json& line) {
    const std::string kind = text_at(line, "kind");
    return kind == "update" || kind == "validation" || kind == "average" || kind == "divergence";
  };
  std::vector<std::string> columns;
  for (const NamedRun& named : runs)
    for (const Json& line : named.run->lines)
      if (has_measurements(line))
        for (const auto& [key, value] : line.items())
          if (!value.is_null() && std::ranges::find(columns, key) == columns.end()) columns.push_back(key);
  std::vector<std::string> row = {"run"};
  row.insert(row.end(), columns.begin(), columns.end());
  std::string csv = csv_row(row) + "\n";
  for (const NamedRun& named : runs)
    for (const Json& line : named.run->lines) {
      if (!has_measurements(line)) continue;
      row = {named.name};
      for (const std::string& column : columns) {
        const Json value = line.value(column, Json());
        row.push_back(value.is_null() ? "" : value.is_string() ? value.get<std::string>() : dump_json(value));
      }
      csv += csv_row(row) + "\n";
    }
  return csv;
}

}  // namespace heed::train
