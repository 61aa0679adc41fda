#include "serve/log_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <thread>

namespace heed::serve {
namespace {

TEST(LogWriter, WritesAllLinesInOrder) {
  std::string written;
  {
    LogWriter log([&](std::string_view lines) {
      EXPECT_TRUE(lines.ends_with('\n'));
      written += lines;
      return true;
    });
    for (int i = 0; i < 1000; ++i) log.write(std::to_string(i) + "\n");
    EXPECT_EQ(log.dropped(), 0U);
  }
  std::string expected;
  for (int i = 0; i < 1000; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(written, expected);
}

TEST(LogWriter, CountsLinesThatCannotBeWritten) {
  std::promise<void> failed;
  LogWriter log([&](std::string_view /*lines*/) {
    failed.set_value();
    return false;
  });
  log.write("one\n");
  failed.get_future().wait();
  while (log.dropped() == 0) std::this_thread::yield();
  EXPECT_EQ(log.dropped(), 1U);
}

TEST(LogWriter, ReaderThatHasStoppedHoldsUpNobody) {
  const auto gate = std::make_shared<std::promise<void>>();
  const std::shared_future<void> opened = gate->get_future().share();
  const std::string line(1 << 20, 'x');
  const auto start = std::chrono::steady_clock::now();
  {
    LogWriter log([opened](std::string_view /*lines*/) {
      opened.wait();
      return true;
    });
    for (int i = 0; i < 8; ++i) log.write(line + "\n");
    EXPECT_GE(log.dropped(), 2U);  // three wait, and one to three are in the sink
    EXPECT_LE(log.dropped(), 5U);
  }
  const auto waited = std::chrono::steady_clock::now() - start;
  EXPECT_GE(waited, LogWriter::kLastLines);
  EXPECT_LT(waited, 10 * LogWriter::kLastLines);
  gate->set_value();
}

}  // namespace
}  // namespace heed::serve
