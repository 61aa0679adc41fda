// A log file of a run. It can be truncated to an earlier position, so that a run that returns to a checkpoint leaves no
// trace of the discarded updates.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/system.h"

namespace heed::train {

// Owned by one thread. InputError if the file cannot be written.
class LineLog {
 public:
  void open(const std::string& path);
  void write(std::string line) { append(line += '\n'); }
  void append(std::string_view bytes);
  std::int64_t bytes() const { return bytes_; }
  void truncate(std::int64_t bytes);  // never extends the file
  void sync();                        // fsync
  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_;
  Descriptor descriptor_{-1};
  std::int64_t bytes_ = 0;
};

}  // namespace heed::train
