// heed runs: training runs side by side: a list, JSON, curves, and their measurements for other programs.
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "base/enum_names.h"
#include "base/files.h"
#include "base/numbers.h"
#include "base/shared_options.h"
#include "command.h"
#include "progress.h"
#include "table.h"
#include "train/event_file.h"
#include "train/run_directory.h"
#include "train/run_list.h"
#include "viz/raster.h"
#include "viz/runs_page.h"

namespace heed::cli {
namespace runs_command {

namespace fs = std::filesystem;

struct Values {
  std::vector<std::string> directories;
  std::string out, tensorboard;
  bool json = false;
};

std::vector<std::string> read_files(const std::string& directory) {
  std::vector<std::string> files;
  for (const std::string& run : train::find_runs(directory)) {
    files.push_back(train::RunDirectory(run).file("config.toml"));
    for (std::string& file : train::RunDirectory(run).files()) files.push_back(std::move(file));
  }
  return files;
}

void declare(Options& o, Values& v) {
  o.positional(
       "DIR", v.directories,
       "run directories, or directories that contain some; default: runs, or the current directory if there is none", 0)
      .reads(read_files);
  o.flag(
       "out", v.out,
       "write the curves of all runs as a page (.html) or a picture (.svg, .png, .pdf), or all measurements as a table "
       "(.csv)")
      .value("FILE")
      .writes();
  o.flag("tensorboard", v.tensorboard,
         "write an event file for TensorBoard for each run: DIR/RUN/events.out.tfevents.heed")
      .value("DIR")
      .writes([](const std::string&) { return std::vector<std::string>{}; });
  declare_json(o, v.json);
}

// The runs with their names, and which of them belong together.
struct Runs {
  std::vector<train::RunInfo> all;
  std::vector<std::string> names;
  std::vector<train::RunGroup> groups;
  std::vector<std::string> group_names;
  std::vector<std::string> differing;  // settings
};

// Below `root`, or the last part of the path if it is the root itself.
std::string name_below(const std::string& root, const std::string& directory) {
  const fs::path name = fs::path(directory).lexically_normal().lexically_relative(fs::path(root).lexically_normal());
  if (!name.empty() && name != "." && *name.begin() != "..") return name.string();
  return fs::absolute(fs::path(directory) / ".").lexically_normal().parent_path().filename().string();
}

// What two runs would share is replaced by their directories.
void make_unique(std::vector<std::string>& names, const std::vector<std::string>& directories) {
  const std::vector<std::string> before = names;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (std::ranges::count(before, names[i]) > 1) names[i] = directories[i];
}

Runs read_runs(const std::vector<std::string>& roots) {
  Runs runs;
  std::set<fs::path> seen;
  std::vector<std::string> directories, root_of, group_directories;
  for (const std::string& root : roots) {
    check<InputError>(fs::is_directory(root), "there is no directory '{}'", root);
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
        print_note("{}; '{}' is skipped", error.what(), directory);
      }
    }
  }
  check<InputError>(!runs.all.empty(),
                    "found no training run in {}; give the directory of a run (--out of heed train), or one that "
                    "contains runs",
                    fmt::format("'{}'", fmt::join(roots, "', '")));
  make_unique(runs.names, directories);
  runs.groups = train::group_seeds(runs.all);
  for (const train::RunGroup& group : runs.groups) {
    group_directories.push_back(group.directory);
    runs.group_names.push_back(group.several_seeds ? name_below(root_of[group.runs[0]], group.directory)
                                                   : runs.names[group.runs[0]]);
  }
  make_unique(runs.group_names, group_directories);
  std::vector<const train::RunInfo*> pointers;
  for (const train::RunInfo& run : runs.all) pointers.push_back(&run);
  runs.differing = train::differing_settings(pointers);
  return runs;
}

std::vector<const train::RunInfo*> members(const Runs& runs, const train::RunGroup& group) {
  std::vector<const train::RunInfo*> list;
  for (const std::size_t i : group.runs) list.push_back(&runs.all[i]);
  return list;
}

// --- The table ---

constexpr const char* kNone = "–";

// The metric that selected the best model, if it is the same in all runs.
std::string common_metric(const Runs& runs) {
  const std::string& metric = runs.all[0].metric;
  const bool same = std::ranges::all_of(runs.all, [&](const train::RunInfo& run) { return run.metric == metric; });
  return same ? metric : "";
}

std::vector<std::string> columns(const Runs& runs) {
  const std::string metric = common_metric(runs);
  std::vector<std::string> names{"preset", "pairs", "parameters", "state", "epoch", "updates"};
  names.push_back(metric.empty() ? "best" : "best " + train::metric_label(metric));
  if (metric != "bleu") names.emplace_back("BLEU");
  names.emplace_back("time");
  names.insert(names.end(), runs.differing.begin(), runs.differing.end());
  return names;
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
  const bool going = run.progress != train::RunProgress::finished && run.updates > run.update;
  std::vector<std::string> figures{run.system.empty() ? kNone : run.system,
                                   grouped(run.train_pairs),
                                   grouped(run.parameters),
                                   enum_name(run.progress),
                                   grouped(run.epoch),
                                   grouped(run.update) + (going ? "/" + grouped(run.updates) : "")};
  add_results(figures, run.metric, common_metric(runs), train::summarize({&run}));
  figures.push_back(short_duration(run.seconds));
  for (const std::string& key : runs.differing) figures.push_back(run.settings.empty() ? kNone : run.settings.at(key));
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
  for (const train::RunInfo* run : list) {
    const std::vector<std::string> own = figures_of(runs, *run);
    for (std::size_t i = 0; i < figures.size(); ++i)
      if (figures[i] != own[i]) figures[i].clear();
    seconds += run->seconds;
  }
  constexpr std::size_t kResultsAt = 6;  // after the columns of columns()
  std::ranges::move(results, figures.begin() + kResultsAt);
  figures[kResultsAt + results.size()] = short_duration(seconds);
  return figures;
}

struct Row {
  std::string name;
  std::size_t group;
  bool of_group = false, member = false;
  std::vector<std::string> figures;
};

std::vector<Row> rows_of(const Runs& runs) {
  std::vector<Row> rows;
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

void print_table(const Runs& runs) {
  Table table{.head = columns(runs), .rows = {}};
  table.head.insert(table.head.begin(), "run");
  for (const Row& row : rows_of(runs)) {
    auto& cells = table.rows.emplace_back(row.figures);
    cells.insert(cells.begin(), (row.member ? "  " : "") + row.name);
  }
  write_output(table.text(terminal_width(STDOUT_FILENO, 0)));
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

// --- Files ---

viz::RunsPage page_of(const Runs& runs) {
  viz::RunsPage page{.columns = columns(runs), .rows = {}, .charts = {}};
  for (const Row& row : rows_of(runs))
    page.rows.push_back({row.name, row.of_group ? std::optional(row.group) : std::nullopt, row.member, row.figures});
  std::vector<viz::RunCurves> curves;
  for (std::size_t g = 0; g < runs.groups.size(); ++g)
    for (const std::size_t i : runs.groups[g].runs) curves.push_back({runs.group_names[g], g, runs.all[i].lines});
  page.charts = viz::run_charts(curves);
  return page;
}

std::string file_content(const Runs& runs, const std::string& ending) {
  if (ending == ".csv") {
    std::vector<train::NamedRun> named;
    for (std::size_t i = 0; i < runs.all.size(); ++i) named.push_back({runs.names[i], &runs.all[i]});
    return train::metrics_csv(named);
  }
  const viz::RunsPage page = page_of(runs);
  if (ending == ".html") return viz::runs_page(page);
  const std::string svg = viz::runs_svg(page);
  if (ending == ".png") return viz::svg_to_png(svg);
  return ending == ".pdf" ? viz::svg_to_pdf(svg) : svg;
}

void write_event_files(const Runs& runs, const std::string& directory) {
  for (std::size_t i = 0; i < runs.all.size(); ++i) {
    fs::path at(directory);
    for (const fs::path& part : fs::path(runs.names[i]).relative_path())
      if (part != "..") at /= part;
    check<UsageError>(!fs::exists(at / "metrics.jsonl"),
                      "--tensorboard: '{}' is a run directory, whose event file only training writes; give another "
                      "directory",
                      at.string());
    const std::string log = train::RunDirectory(runs.all[i].directory).file("metrics.jsonl");
    make_directories(at.string());
    // The log was last written when the run had taken this time.
    const std::chrono::duration<double> written =
        std::chrono::file_clock::to_sys(fs::last_write_time(log)).time_since_epoch();
    const double started = written.count() - runs.all[i].seconds;
    write_file_atomically((at / train::kEventFile).string(), train::event_file(read_file(log), started));
  }
}

int run(Values& v, Options& options) {
  const std::string ending = fs::path(v.out).extension().string();
  constexpr std::string_view kEndings[] = {".html", ".svg", ".png", ".pdf", ".csv"};
  check<UsageError>(v.out.empty() || std::ranges::find(kEndings, ending) != std::end(kEndings),
                    "--out '{}' does not end in .html, .svg, .png, .pdf or .csv", v.out);
  if (v.directories.empty()) v.directories = {fs::is_directory("runs") ? "runs" : "."};
  options.check_files();
  const Runs runs = read_runs(v.directories);
  if (!v.out.empty()) write_file_atomically(v.out, file_content(runs, ending));
  if (!v.tensorboard.empty()) write_event_files(runs, v.tensorboard);
  if (v.json)
    print_json(to_json(runs));
  else
    print_table(runs);
  return 0;
}

}  // namespace runs_command

const Command kRuns{.name = "runs",
                    .group = "Models",
                    .summary = "compare training runs: settings, results and curves",
                    .example = "heed runs run other --out runs.html",
                    .make = action<runs_command::Values, runs_command::declare, runs_command::run>};

}  // namespace heed::cli
