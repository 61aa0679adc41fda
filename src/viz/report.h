// The report of a training run: curves, sample translations and attention over time, settings. One self-contained HTML
// file, made from the files of the run directory (metrics.jsonl, samples.jsonl, config.toml; see docs/guide.md).
// Training may still be running.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

namespace heed::viz {

// Not thread-safe.
class RunReport {
 public:
  explicit RunReport(std::string directory) : directory_(std::move(directory)) {}

  // Makes the page from the files as they are now. Caches samples, so that the next call takes time only for new ones.
  // InputError if the directory contains no run or a line of its files is malformed (a last line that a crash cut off
  // is ignored).
  std::string page();

  // Writes the page to a file; default: report.html in the directory.
  void write(const std::string& path = "");

 private:
  std::vector<std::string> read_samplings(const std::string& path);

  std::string directory_;
  std::unordered_map<std::string, std::string> shown_;  // line of samples.jsonl -> its block in the page
};

}  // namespace heed::viz
