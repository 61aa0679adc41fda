// The report of a training run: curves, translations as they improved, attention as it emerged, settings. One
// self-contained HTML file from what the run directory holds (metrics.jsonl, samples.jsonl, config.toml; docs/guide.md
// says what is in them). Works on a run that is still going on.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

namespace heed::viz {

// Used by one thread at a time.
class RunReport {
 public:
  explicit RunReport(std::string directory) : directory_(std::move(directory)) {}

  // From the files as they are now. Keeps the samples it has shown, so that the next page costs only the new ones.
  // InputError if the directory holds no run, or if a line of its files is not what it should be (a last line that was
  // cut off by a crash is passed over).
  std::string page();

  // The same to a file; `path` empty: report.html in the directory.
  void write(const std::string& path = "");

 private:
  std::vector<std::string> read_samplings(const std::string& path);

  std::string directory_;
  std::unordered_map<std::string, std::string> shown_;  // a line of samples.jsonl: what the page has for it
};

}  // namespace heed::viz
