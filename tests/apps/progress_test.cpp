#include "progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace heed::cli {
namespace {

struct Screen {
  std::string drawn;
  double now = 100;
  std::size_t width = 80;
  ProgressScreen screen() {
    return {.write = [this](std::string_view text) { drawn += text; },
            .seconds = [this] { return now; },
            .width = [this] { return width; }};
  }
  std::string text() const { return drawn; }
  // The line as last drawn.
  std::string last() const {
    const std::string all = text();
    const std::size_t start = all.rfind('\r') + 1;
    return all.substr(start, all.find("\x1b[K", start) - start);
  }
};

TEST(Progress, shows_percentage_speed_and_time_left) {
  Screen screen;
  screen.width = 100;
  Progress progress("epoch 1", 200, "tokens", screen.screen());
  progress.update(0, 0);
  screen.now += 10;
  progress.update(50, 20'000, "loss 2.31");
  EXPECT_EQ(screen.last(), "epoch 1 [========                      ]  25%  2,000 tokens/s  0:30 left  loss 2.31");
}

TEST(Progress, counts_from_where_a_resumed_job_began) {
  Screen screen;
  Progress progress("", 200, "tokens", screen.screen());
  progress.update(100, 1'000'000);
  EXPECT_EQ(screen.last().find("tokens/s"), std::string::npos) << "no speed is known yet";
  screen.now += 10;
  progress.update(150, 1'000'500);
  EXPECT_NE(screen.last().find(" 75%  50 tokens/s  0:10 left"), std::string::npos) << screen.last();
}

TEST(Progress, draws_at_most_ten_times_per_second) {
  Screen screen;
  Progress progress("x", 100'000, "lines", screen.screen());
  for (int i = 0; i < 10'000; ++i) {
    screen.now += 0.0001;
    progress.update(i, i);
  }
  const std::string text = screen.text();
  const auto drawn = std::count(text.begin(), text.end(), '\r');
  EXPECT_GE(drawn, 9);
  EXPECT_LE(drawn, 11);
}

TEST(Progress, fits_every_width) {
  for (std::size_t width = 0; width < 120; ++width) {
    Screen screen;
    screen.width = width;
    Progress progress("übung", 10, "tokens", screen.screen());
    progress.update(0, 0, "größe");
    screen.now += 1;
    progress.update(5, 5000, "größe größe größe");
    std::size_t columns = 0;
    for (const char c : screen.last()) columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    EXPECT_LE(columns, width > 0 ? width - 1 : 0) << screen.last();
  }
}

TEST(Progress, ends_with_a_line_or_clears_itself) {
  Screen finished;
  {
    Progress progress("x", 2, "lines", finished.screen());
    progress.update(1, 1);
    finished.now += 0.01;
    progress.update(2, 2);
    progress.finish();
    progress.update(2, 2);
    progress.finish();
  }
  EXPECT_TRUE(finished.text().ends_with("\x1b[K\n")) << finished.text();
  EXPECT_NE(finished.last().find("100%"), std::string::npos) << "the last state is shown";
  EXPECT_EQ(finished.text().find('\n'), finished.text().size() - 1) << "only one line end";

  Screen dropped;
  { Progress("x", 2, "lines", dropped.screen()).update(1, 1); }
  EXPECT_TRUE(dropped.text().ends_with("\r\x1b[K"));

  Screen unused;
  { Progress("x", 2, "lines", unused.screen()).finish(); }
  EXPECT_EQ(unused.text(), "");
}

TEST(Progress, unknown_total_has_no_percentage) {
  Screen screen;
  Progress progress("read", 0, "lines", screen.screen());
  progress.update(0, 0);
  screen.now += 65;
  progress.update(6'500'000, 6'500'000);
  EXPECT_EQ(screen.last(), "read   100,000 lines/s  1:05");
}

TEST(Progress, silent_without_a_screen) {
  Progress progress("x", 2, "lines", {.write = {}, .seconds = {}, .width = {}});
  progress.update(1, 1);
  progress.clear();
  progress.finish();
}

TEST(Progress, numbers_are_short) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(0.25), "0.2");
  EXPECT_EQ(short_number(9.96), "10.0");
  EXPECT_EQ(short_number(999), "999");
  EXPECT_EQ(short_number(1234.4), "1,234");
  EXPECT_EQ(short_number(999'999), "999,999");
  EXPECT_EQ(short_number(999'999.4), "999,999");
  EXPECT_EQ(short_number(999'999.7), "1.0M");
  EXPECT_EQ(short_number(12'345'678), "12.3M");
  EXPECT_EQ(short_number(999'940'000), "999.9M");
  EXPECT_EQ(short_number(999'960'000), "1G");
  EXPECT_EQ(short_number(1.0 / 0.0), "?");
  EXPECT_EQ(short_duration(7.4), "0:07");
  EXPECT_EQ(short_duration(151), "2:31");
  EXPECT_EQ(short_duration(3723), "1:02:03");
  EXPECT_EQ(short_duration(-1), "?");
  EXPECT_EQ(short_duration(1e300), "?");
}

}  // namespace
}  // namespace heed::cli
