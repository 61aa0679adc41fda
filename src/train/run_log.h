// What a run writes down as it goes: metrics.jsonl and samples.jsonl, whose lines docs/guide.md describes. A log can be
// cut back to where it was, so that a run which goes back or goes on leaves no trace of what did not count.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "base/system.h"
#include "train/trainer.h"
#include "train/validation.h"

namespace heed::train {

// A file of lines. Owned by one thread.
class LineLog {
 public:
  // Keeps the first `bytes` bytes of what is there.
  void open(const std::string& path, std::int64_t bytes);
  // InputError if the line cannot be written whole.
  void write(std::string line);
  std::int64_t bytes() const { return bytes_; }
  void cut(std::int64_t bytes);
  // Puts everything on the disk.
  void sync();

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_;
  Descriptor descriptor_{-1};
  std::int64_t bytes_ = 0;
};

struct ValidationReport {
  std::int64_t update = 0, epoch = 0;  // the epoch counted from 1
  double loss = 0;                     // mean of the training since the last validation
  double rate = 0;
  double seconds = 0;  // of the run so far
  bool best = false;
  const Validated* validated = nullptr;  // null without validation text
  bool averaged = false;                 // of the average of several validations' parameters, at the end
};

struct Divergence {
  UpdateReport report;       // of the update that diverged
  std::int64_t back_to = 0;  // the update that the run goes on from
  double rate_factor = 1;    // of the rates from now on
  double seconds = 0;
};

class RunLog {
 public:
  struct Position {
    std::int64_t metrics_bytes = 0, samples_bytes = 0;
  };
  void open(const std::string& metrics, const std::string& samples, const Position& position);
  Position position() const { return {metrics_.bytes(), samples_.bytes()}; }
  void cut(const Position& position);
  void sync();

  // To metrics.jsonl.
  void write_line(const Json& line) { metrics_.write(dump_json(line)); }
  void write(const ValidationReport& report);
  void write(const Divergence& divergence);

 private:
  LineLog metrics_, samples_;
};

}  // namespace heed::train
