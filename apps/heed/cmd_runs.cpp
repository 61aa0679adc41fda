// heed runs: compares training runs: a list, JSON, curves, and measurements for other programs.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/files.h"
#include "base/shared_options.h"
#include "command.h"
#include "runs_overview.h"
#include "table.h"
#include "train/event_file.h"
#include "train/run_directory.h"
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
  for (const std::string& run : train::find_runs(directory))
    for (std::string& file : train::RunDirectory(run).kept_files()) files.push_back(std::move(file));
  return files;
}

void declare(Options& o, Values& v) {
  o.positional(
       "DIR", v.directories,
       "run directories, or directories that contain some; default: runs, or the current directory if runs contains "
       "none",
       0)
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

void print_table(const Runs& runs) {
  Table table{.head = columns(runs), .rows = {}};
  table.head.insert(table.head.begin(), "run");
  for (const RunRow& row : rows_of(runs)) {
    auto& cells = table.rows.emplace_back(row.figures);
    cells.insert(cells.begin(), (row.is_member ? "  " : "") + row.name);
  }
  write_output(table.text(terminal_width(STDOUT_FILENO, 0)));
}

viz::RunsPage page_of(const Runs& runs) {
  viz::RunsPage page{.columns = columns(runs), .rows = {}, .charts = {}};
  for (const RunRow& row : rows_of(runs))
    page.rows.push_back(
        {row.name, row.is_group_summary ? std::optional(row.group_index) : std::nullopt, row.is_member, row.figures});
  std::vector<viz::RunCurves> curves;
  for (std::size_t g = 0; g < runs.groups.size(); ++g)
    for (const std::size_t i : runs.groups[g].runs)
      curves.push_back({runs.names[i], runs.group_names[g], g, runs.all[i].lines});
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
    // The log was last written when the run had taken `seconds`.
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
  check<UsageError>(!v.tensorboard.empty() || !options.is_set(&v.tensorboard),
                    "--tensorboard is empty; give it a directory or leave it out");
  const bool chosen = !v.directories.empty();
  if (!chosen) v.directories = {train::find_runs("runs").empty() ? "." : "runs"};
  options.check_files();
  const Runs runs = read_runs(v.directories);
  if (!chosen && train::find_runs(".").size() > train::find_runs(v.directories[0]).size())
    print_note("only the runs below 'runs' are shown; to see all runs below the current directory: {} runs .",
               program_name());
  if (!v.out.empty()) {
    write_file_atomically(v.out, file_content(runs, ending));
    say("heed: wrote {}\n", v.out);
  }
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
                    .example = "heed runs . --out runs.html",
                    .make = action<runs_command::Values, runs_command::declare, runs_command::run>};

}  // namespace heed::cli
