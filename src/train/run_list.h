// Reads run directories, for lists and comparisons of runs. Training may still be running; nothing is written. Safe for
// untrusted files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace heed::train {

enum class RunProgress : std::uint8_t { running, stopped, finished, diverged };
std::vector<std::string> enum_names(RunProgress);

struct RunInfo {
  std::string directory;
  std::string system, metric;  // metric: the one that selects the best model; empty if unknown
  std::int64_t train_pairs = 0, parameters = 0;
  std::int64_t epoch = 0, update = 0;
  std::int64_t updates = 0;  // planned when the run was started
  RunProgress progress = RunProgress::stopped;
  double seconds = 0;
  // The numbers of the best validation: the training loss, and the metrics if there is validation text.
  std::map<std::string, double> best;
  std::vector<Json> lines;                      // of metrics.jsonl
  std::map<std::string, std::string> settings;  // the keys of config.toml with values as a user writes them
  std::set<std::string> own_settings;           // the keys whose values differ from the preset's
  std::string settings_problem;                 // why `settings` is empty

  std::optional<double> best_value(const std::string& name) const;
};

// The run directories at or a few levels below a directory, sorted; skips hidden directories and symbolic links.
std::vector<std::string> find_runs(const std::string& directory);

// InputError if the directory does not contain a run or its log is damaged.
RunInfo read_run(const std::string& directory);

// The keys of settings that differ between runs, sorted. Differences that follow from the presets, the text or the
// working directory do not count.
std::vector<std::string> differing_settings(const std::vector<const RunInfo*>& runs);

// A run, or several that differ only in their seed: the directories seed-1, seed-2, … of one directory.
struct RunGroup {
  std::string directory;  // of the run, or the one that contains the runs
  bool several_seeds = false;
  std::vector<std::size_t> runs;  // indices
};
std::vector<RunGroup> group_seeds(const std::vector<RunInfo>& runs);

// The mean and, for at least two values, the sample standard deviation (n - 1).
struct MeanDeviation {
  double mean = 0;
  std::optional<double> deviation;
};
MeanDeviation mean_and_deviation(const std::vector<double>& values);

// RunInfo::best over the runs, for the numbers that all of them have.
std::map<std::string, MeanDeviation> summarize(const std::vector<const RunInfo*>& runs);
Json to_json(const std::map<std::string, MeanDeviation>& summary);

// For display, with `name` as in RunInfo::best: "BLEU", and "31.25", "31.25 ± 0.40" or "90.1 ± 0.2%".
std::string metric_label(const std::string& name);
std::string metric_text(const std::string& name, const MeanDeviation& value);

// The lines of metrics.jsonl with measurements as a table, one row per line: CSV (RFC 4180, but with LF) with a header.
struct NamedRun {
  std::string name;
  const RunInfo* run = nullptr;
};
std::string metrics_csv(const std::vector<NamedRun>& runs);

}  // namespace heed::train
