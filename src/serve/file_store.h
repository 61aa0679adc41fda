// Keeps translated files in memory, for a limited time, until their clients fetch them. Their names cannot be guessed.
// Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace heed::serve {

class FileStore {
 public:
  using Clock = std::chrono::steady_clock;

  // `bytes` limits the total size: the oldest files are removed to make room for new ones.
  FileStore(std::size_t bytes, Clock::duration lifetime) : most_(bytes), lifetime_(lifetime) {}

  // Returns the name for find(): 32 random hexadecimal digits, a dot and `name`. Empty if the file alone exceeds the
  // limit.
  std::string add(std::string_view name, std::string content, Clock::time_point now = Clock::now());
  // Null if there is no such file, or if it has been removed.
  std::shared_ptr<const std::string> find(std::string_view name, Clock::time_point now = Clock::now());

  struct Size {
    std::size_t files = 0, bytes = 0;
  };
  Size size(Clock::time_point now = Clock::now());

 private:
  struct File {
    std::string name;
    std::shared_ptr<const std::string> content;
    Clock::time_point expiry;
  };

  void remove_first();
  void remove_expired(Clock::time_point now);

  const std::size_t most_;
  const Clock::duration lifetime_;
  std::mutex mutex_;        // guards everything below
  std::deque<File> files_;  // oldest first
  std::size_t bytes_ = 0;
};

// A file name without its directory: at most 100 letters, digits, dots, dashes and underscores. "file" if nothing is
// left.
std::string safe_file_name(std::string_view name);

}  // namespace heed::serve
