// The logs of a run, metrics.jsonl and samples.jsonl; docs/guide.md describes their lines. A log can be truncated to an
// earlier position, so that a run which returns to a checkpoint leaves no lines about the discarded updates.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "base/system.h"
#include "train/trainer.h"
#include "train/validation.h"

namespace heed::train {

// A file of lines. Owned by one thread. InputError if the file cannot be written.
class LineLog {
 public:
  void open(const std::string& path);
  void write(std::string line);
  std::int64_t bytes() const { return bytes_; }
  void truncate(std::int64_t bytes);  // never extends the file
  void sync();                        // to the disk

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_;
  Descriptor descriptor_{-1};
  std::int64_t bytes_ = 0;
};

struct ValidationReport {
  std::int64_t update = 0, epoch = 0;  // the epoch counted from 1
  double loss = 0;                     // training loss per target token since the last validation
  double rate = 0;
  double seconds = 0;  // of the run so far
  bool best = false;
  const Validation* validation = nullptr;  // null without validation text
  bool averaged = false;                   // of the averaged snapshots, at the end
};

struct Divergence {
  UpdateReport report;       // of the update that diverged
  std::int64_t back_to = 0;  // the update that the run continues from
  double rate_factor = 1;    // multiplies the learning rate from now on
  double seconds = 0;
};

class RunLog {
 public:
  struct Position {
    std::int64_t metrics_bytes = 0, samples_bytes = 0;
  };
  void open(const std::string& metrics, const std::string& samples, const Position& position);
  Position position() const { return {metrics_.bytes(), samples_.bytes()}; }
  void truncate(const Position& position);
  void sync() { metrics_.sync(), samples_.sync(); }

  void write_line(const Json& line) { metrics_.write(dump_json(line)); }
  void write(const ValidationReport& report);
  void write(const Divergence& divergence);

 private:
  LineLog metrics_, samples_;
};

}  // namespace heed::train
