// The logs of a run: metrics.jsonl and samples.jsonl, which docs/guide.md describes, and an optional event file for
// TensorBoard. Not thread-safe. InputError if a file cannot be written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"
#include "train/event_file.h"
#include "train/trainer.h"
#include "train/validation.h"

namespace heed::train {

struct ValidationReport {
  std::int64_t update = 0, epoch = 0;  // the epoch counted from 1
  double loss = 0;                     // training loss per target token since the last validation
  double rate = 0;
  double seconds = 0;  // of the run so far
  bool best = false;
  const Validation* validation = nullptr;  // null without validation text
  bool averaged = false;                   // validates the average of the snapshots, at the end of the run
};

struct Divergence {
  UpdateReport report;                  // of the update that diverged
  std::optional<std::int64_t> back_to;  // the update that the run continues from; empty: it gave up
  double rate_factor = 1;               // multiplies the learning rate from now on
  double seconds = 0;
};

class RunLog {
 public:
  struct Position {
    std::int64_t metrics_bytes = 0, samples_bytes = 0;
  };
  void open(const std::string& metrics, const std::string& samples, const Position& position);
  // From now on, also writes an event file. `seconds`: the time that the run has taken so far.
  void open_events(const std::string& path, double seconds);
  Position position() const { return {metrics_.bytes(), samples_.bytes()}; }
  void truncate(const Position& position);
  void sync();

  void write_line(const Json& line);
  void write(const ValidationReport& report);
  void write(const Divergence& divergence);

 private:
  LineLog metrics_, samples_;
  std::optional<EventLog> events_;
};

}  // namespace heed::train
