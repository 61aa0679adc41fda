#include "runs_overview.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "base/enum_names.h"
#include "base/numbers.h"
#include "command.h"
#include "progress.h"
#include "train/config.h"

namespace heed::cli {

namespace fs = std::filesystem;

namespace {

// The path of a run relative to `root`, or its last part if it is the root itself.
std::string name_below(const std::string& root, const std::string& directory) {
  const fs::path name = fs::path(directory).lexically_normal().lexically_relative(fs::path(root).lexically_normal());
  if (!name.empty() && name != "." && *name.begin() != "..") return name.string();
  return fs::absolute(fs::path(directory) / ".").lexically_normal().parent_path().filename().string();
}

// Replaces names that occur more than once by the directories.
void make_unique(std::vector<std::string>& names, const std::vector<std::string>& directories) {
  const std::vector<std::string> before = names;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (std::ranges::count(before, names[i]) > 1) names[i] = directories[i];
}

std::vector<const train::RunInfo*> members(const Runs& runs, const train::RunGroup& group) {
  std::vector<const train::RunInfo*> list;
  for (const std::size_t i : group.runs) list.push_back(&runs.all[i]);
  return list;
}

constexpr const char* kNone = "–";

// The metric that selected the best model, if it is the same in all runs.
std::string common_metric(const Runs& runs) {
  const std::string& metric = runs.all[0].metric;
  const bool same = std::ranges::all_of(runs.all, [&](const train::RunInfo& run) { return run.metric == metric; });
  return same ? metric : "";
}

// The differing settings without the lists of text files, which do not fit into a table.
std::vector<std::string> shown_settings(const Runs& runs) {
  std::vector<std::string> keys = runs.differing;
  std::erase_if(keys, train::is_text_file_key);
  return keys;
}

using Summary = std::map<std::string, train::MeanDeviation>;

// The best value of the metric, and BLEU of the same model.
void add_results(std::vector<std::string>& figures, const std::string& metric, const std::string& common,
                 const Summary& best) {
  const auto text = [&](const std::string& name) {
    const auto found = best.find(name);
    return found == best.end() ? kNone : metric_text(name, found->second);
  };
  const std::string value = text(metric);
  figures.push_back(common.empty() && value != kNone ? fmt::format("{} {}", train::metric_label(metric), value)
                                                     : value);
  if (common != "bleu") figures.push_back(text("bleu"));
}

std::vector<std::string> figures_of(const Runs& runs, const train::RunInfo& run) {
  const bool unfinished = run.progress != train::RunProgress::finished && run.updates > run.update;
  std::vector<std::string> figures{enum_name(run.progress), grouped(run.epoch),
                                   grouped(run.update) + (unfinished ? "/" + grouped(run.updates) : "")};
  add_results(figures, run.metric, common_metric(runs), train::summarize({&run}));
  for (const std::string& text : {short_duration(run.seconds), run.system.empty() ? kNone : run.system,
                                  grouped(run.train_pairs), grouped(run.parameters)})
    figures.push_back(text);
  for (const std::string& key : shown_settings(runs))
    figures.push_back(run.settings.empty() ? kNone : run.settings.at(key));
  return figures;
}

// What the runs of a group have in common, and the mean of their results.
std::vector<std::string> figures_of(const Runs& runs, const train::RunGroup& group) {
  const std::vector<const train::RunInfo*> list = members(runs, group);
  std::vector<std::string> figures = figures_of(runs, *list[0]);
  std::vector<std::string> results;
  const std::string metric = common_metric(runs);
  add_results(results, list[0]->metric, metric, train::summarize(list));
  double seconds = 0;
  std::size_t finished = 0;
  for (const train::RunInfo* run : list) {
    const std::vector<std::string> own = figures_of(runs, *run);
    for (std::size_t i = 0; i < figures.size(); ++i)
      if (figures[i] != own[i]) figures[i].clear();
    seconds += run->seconds;
    finished += run->progress == train::RunProgress::finished ? 1 : 0;
  }
  if (finished < list.size()) figures[0] = fmt::format("{} of {} finished", finished, list.size());
  constexpr std::size_t kResultsAt = 3;  // as in columns()
  std::ranges::move(results, figures.begin() + kResultsAt);
  figures[kResultsAt + results.size()] = short_duration(seconds);
  return figures;
}

}  // namespace

Runs read_runs(const std::vector<std::string>& roots) {
  Runs runs;
  std::set<fs::path> seen;
  std::vector<std::string> directories, root_of, group_directories;
  bool damaged = false;
  for (const std::string& root : roots) {
    check<InputError>(fs::is_directory(root), "{}",
                      fs::exists(root)
                          ? fmt::format("'{}' is a file, not a directory; give the directory of a run", root)
                          : fmt::format("there is no directory '{}'; give the directory of a run", root));
    const std::vector<std::string> found = train::find_runs(root);
    if (found.empty() && roots.size() > 1) print_note("'{}' contains no training run; skipped", root);
    for (const std::string& directory : found) {
      std::error_code ignored;
      if (!seen.insert(fs::weakly_canonical(directory, ignored)).second) continue;
      try {
        const train::RunInfo& run = runs.all.emplace_back(train::read_run(directory));
        if (!run.settings_problem.empty())
          print_note("{}; the settings of this run are not shown", run.settings_problem);
        runs.names.push_back(name_below(root, directory));
        directories.push_back(directory);
        root_of.push_back(root);
      } catch (const InputError& error) {
        damaged = true;
        print_note("{}; '{}' is skipped", error.what(), directory);
      }
    }
  }
  check<InputError>(!damaged || !runs.all.empty(),
                    "no readable training run in '{}'; restore the damaged files, which the notes name",
                    fmt::format("{}", fmt::join(roots, "', '")));
  check<InputError>(
      !runs.all.empty(),
      "found no training run, a directory with metrics.jsonl, in {}; give the directory of a run (--out of "
      "heed train), or one that contains runs",
      fmt::format("'{}'", fmt::join(roots, "', '")));
  make_unique(runs.names, directories);
  runs.groups = train::group_seeds(runs.all);
  for (const train::RunGroup& group : runs.groups) {
    group_directories.push_back(group.directory);
    runs.group_names.push_back(group.several_seeds ? name_below(root_of[group.runs[0]], group.directory)
                                                   : runs.names[group.runs[0]]);
  }
  make_unique(runs.group_names, group_directories);
  // A run in a group of seeds is named after the group, whichever directory it was found below.
  for (std::size_t g = 0; g < runs.groups.size(); ++g)
    for (const std::size_t i : runs.groups[g].runs)
      if (runs.groups[g].several_seeds)
        runs.names[i] = (fs::path(runs.group_names[g]) / fs::path(directories[i]).filename()).string();
  std::vector<const train::RunInfo*> pointers;
  for (const train::RunInfo& run : runs.all) pointers.push_back(&run);
  runs.differing = train::differing_settings(pointers);
  return runs;
}

std::vector<std::string> columns(const Runs& runs) {
  const std::string metric = common_metric(runs);
  std::vector<std::string> names{"state", "epoch", "updates"};
  names.push_back(metric.empty() ? "best" : "best " + train::metric_label(metric));
  if (metric != "bleu") names.emplace_back("BLEU");
  for (const char* name : {"time", "preset", "pairs", "parameters"}) names.emplace_back(name);
  std::ranges::move(shown_settings(runs), std::back_inserter(names));
  return names;
}

std::vector<RunRow> rows_of(const Runs& runs) {
  std::vector<RunRow> rows;
  for (std::size_t g = 0; g < runs.groups.size(); ++g) {
    const train::RunGroup& group = runs.groups[g];
    if (group.several_seeds)
      rows.push_back({fmt::format("{} ({} seeds)", runs.group_names[g], group.runs.size()), g, true, false,
                      figures_of(runs, group)});
    for (const std::size_t i : group.runs)
      rows.push_back({group.several_seeds ? fs::path(runs.all[i].directory).filename().string() : runs.names[i], g,
                      !group.several_seeds, group.several_seeds, figures_of(runs, runs.all[i])});
  }
  return rows;
}

Json to_json(const Runs& runs) {
  Json list = Json::array(), groups = Json::array();
  for (std::size_t i = 0; i < runs.all.size(); ++i) {
    const train::RunInfo& run = runs.all[i];
    Json best = Json::object(), settings = Json::object();
    for (const auto& [name, value] : run.best) best[name] = value;
    for (const std::string& key : runs.differing)
      settings[key] = run.settings.empty() ? Json() : Json(run.settings.at(key));
    list.push_back({{"name", runs.names[i]},
                    {"directory", run.directory},
                    {"system", run.system},
                    {"train_pairs", run.train_pairs},
                    {"parameters", run.parameters},
                    {"state", enum_name(run.progress)},
                    {"epoch", run.epoch},
                    {"update", run.update},
                    {"updates", run.updates},
                    {"metric", run.metric},
                    {"best", best},
                    {"seconds", run.seconds},
                    {"settings", settings}});
  }
  for (std::size_t g = 0; g < runs.groups.size(); ++g) {
    if (!runs.groups[g].several_seeds) continue;
    Json names = Json::array();
    for (const std::size_t i : runs.groups[g].runs) names.push_back(runs.names[i]);
    groups.push_back({{"name", runs.group_names[g]},
                      {"runs", names},
                      {"summary", train::to_json(train::summarize(members(runs, runs.groups[g])))}});
  }
  return {{"runs", list}, {"groups", groups}, {"differing", runs.differing}};
}

}  // namespace heed::cli
