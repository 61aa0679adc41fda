#include "train/line_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.h"

namespace heed::train {

void LineLog::fail(int error) const {
  throw InputError("cannot write '{}': {}", path_, system_message(error));
}

void LineLog::open(const std::string& path) {
  path_ = path;
  descriptor_ = open_own_file(path, O_APPEND);
}

void LineLog::truncate(std::int64_t bytes) {
  // The user may have shortened or removed the log.
  bytes_ = std::min<std::int64_t>(bytes, ::lseek(descriptor_.get(), 0, SEEK_END));
  if (::ftruncate(descriptor_.get(), bytes_) != 0) fail(errno);
}

void LineLog::append(std::string_view bytes) {
  if (const int error = write_all(descriptor_.get(), bytes); error != 0) fail(error);
  bytes_ += std::ssize(bytes);
}

void LineLog::sync() {
  // Some file systems do not support fsync; only a failure to write is an error.
  if (::fsync(descriptor_.get()) != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT)) fail(errno);
}

}  // namespace heed::train
