// Writes log lines on a thread of its own, so that a slow reader or a full disk blocks nobody else. Queued lines are
// written together. Lines are dropped and counted if too many are queued or if writing fails.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace heed::serve {

class LogWriter {
 public:
  // Writes one or more whole lines and returns whether that succeeded; must not throw.
  using Sink = std::function<bool(std::string_view lines)>;

  explicit LogWriter(Sink sink);
  // Waits until all lines are written, at most for kLastLines: the reader of a pipe may have stopped reading. After
  // that the sink may still be running.
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // Queues a line, which must end with '\n'. Thread-safe.
  void write(std::string_view line);
  // The number of lines dropped so far. Thread-safe.
  std::uint64_t dropped() const;

  static constexpr std::size_t kMostBytes = 4 << 20;  // in the queue
  static constexpr std::chrono::milliseconds kLastLines{2000};

 private:
  struct State;
  static void work(State& state);

  std::shared_ptr<State> state_;  // shared with the thread, which may outlive the writer
};

}  // namespace heed::serve
