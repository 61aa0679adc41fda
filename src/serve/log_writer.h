// Writes lines on a thread of its own, so that a slow reader or a full disk stops nobody else: if too many lines wait,
// new ones are dropped and counted.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace heed::serve {

class LogWriter {
 public:
  using Sink = std::function<void(std::string_view line)>;

  // `sink` gets each line with its line end, and must not throw.
  explicit LogWriter(Sink sink) : sink_(std::move(sink)), thread_([this] { work(); }) {}
  // Waits until all lines are written.
  ~LogWriter();

  // Thread-safe.
  void write(std::string line);
  std::uint64_t dropped() const;

 private:
  void work();

  static constexpr std::size_t kMostLines = 10'000;
  Sink sink_;
  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable filled_;
  std::deque<std::string> lines_;
  std::uint64_t dropped_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace heed::serve
