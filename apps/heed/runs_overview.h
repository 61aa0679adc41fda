// Training runs side by side, as `heed runs` shows them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/json.h"
#include "train/run_list.h"

namespace heed::cli {

// The runs with their names, and which of them belong together.
struct Runs {
  std::vector<train::RunInfo> all;
  std::vector<std::string> names;
  std::vector<train::RunGroup> groups;
  std::vector<std::string> group_names;
  std::vector<std::string> differing;  // settings
};

// All runs at or below the directories, each once. Prints a note about what it skips: damaged runs, and directories
// without runs if there are several. InputError if there is no run or a directory does not exist.
Runs read_runs(const std::vector<std::string>& directories);

// A line of the table: a run, or the mean of runs with several seeds, whose lines follow.
struct RunRow {
  std::string name;
  std::size_t group_index = 0;       // in Runs::groups
  bool is_group_summary = false;     // the line of a whole group, which may be one run
  bool is_member = false;            // a run of the group whose line is above
  std::vector<std::string> figures;  // one per column
};

std::vector<std::string> columns(const Runs& runs);
std::vector<RunRow> rows_of(const Runs& runs);

Json to_json(const Runs& runs);

}  // namespace heed::cli
