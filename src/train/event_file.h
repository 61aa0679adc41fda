// Event files for TensorBoard: the numbers of metrics.jsonl as scalars, one event per line of kind update ("train/…"),
// validation ("valid/…") or average ("average/…"). The time of an event is the start of the run plus its training time.
// Event files therefore depend on the clock: they differ between runs that are otherwise byte-identical.
//
// Format: a sequence of records, each with a length (8 bytes, little-endian), its checksum, a protobuf message
// tensorflow.Event, and its checksum. Checksums are masked CRC-32C.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "train/line_log.h"

namespace heed::train {

// TensorBoard reads every file that has "tfevents" in its name, and names a run after its directory.
inline constexpr const char* kEventFile = "events.out.tfevents.heed";

// The whole file for the text of a metrics.jsonl. `started` is in seconds since 1970. Malformed lines and
// numbers that are not finite are skipped.
std::string event_file(std::string_view metrics, double started);

// An event file that grows with its run. Owned by one thread. InputError if the file cannot be written.
class EventLog {
 public:
  // Creates the file, or continues an existing one with the start time that it records. `seconds`: the time that the
  // run has taken so far.
  void open(const std::string& path, double seconds);
  // Makes the file agree with metrics.jsonl, which may have been truncated.
  void follow(std::string_view metrics);
  void write(const Json& line);
  void sync() { file_.sync(); }

 private:
  LineLog file_;
  double started_ = 0;
};

}  // namespace heed::train
