// The report of a training run: curves, translations as they improved, attention as it emerged, settings. One
// self-contained HTML file from what the run directory holds (metrics.jsonl, samples.jsonl, config.toml; docs/guide.md
// says what is in them). Works on a run that is still going on. Free of state.
#pragma once

#include <string>

namespace heed::viz {

// InputError where the directory holds no run, or where a line of its files is not what it should be (a last line that
// was cut off by a crash is passed over).
std::string run_report(const std::string& directory);

// The same to a file; `path` empty: report.html in the directory.
void write_report(const std::string& directory, const std::string& path = "");

}  // namespace heed::viz
