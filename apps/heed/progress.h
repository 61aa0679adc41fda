// A progress bar on standard error: percentage, speed, time left and a free text. Draws nothing if standard error is
// not a terminal, and at most ten times per second, so update() may be called often. Not thread-safe.
//
//   Progress progress("epoch 1", total_sentences, "tokens");
//   while (…) progress.update(sentences, tokens, fmt::format("loss {:.2f}", loss));
//   progress.finish();
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace heed::cli {

// Where a bar is drawn; tests supply their own.
struct ProgressScreen {
  std::function<void(std::string_view)> write;  // empty: nothing is drawn
  std::function<double()> seconds;              // a steady clock
  std::function<std::size_t()> width;           // columns, read before each drawing

  static ProgressScreen standard_error();
};

class Progress {
 public:
  // `total` 0: unknown, so no percentage and no time left. `unit` names what the speed counts.
  Progress(std::string label, std::int64_t total, std::string unit,
           ProgressScreen screen = ProgressScreen::standard_error());
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  // `done` of the total, and `amount` of the unit, both counted from the start of the job (not since the last call).
  // The first call sets the starting point, so that the speed of a resumed job counts only its own work.
  void update(std::int64_t done, std::int64_t amount, std::string_view tail = "");
  // Draws the last state and ends the line, so that it stays on the screen.
  void finish();
  // Removes the bar from the screen, for example before a message; the next update() draws it again.
  void clear();

 private:
  std::string line(double now, std::size_t width) const;
  void draw(double now);

  std::string label_, unit_, tail_;
  std::int64_t total_;
  ProgressScreen screen_;
  double started_ = 0, drawn_ = 0;
  std::int64_t done_ = 0, amount_ = 0, first_done_ = 0, first_amount_ = 0;
  bool begun_ = false, visible_ = false, finished_ = false;
};

// A speed or count in few characters: 999, 1,234 or 12.3M.
std::string short_number(double value);
// Seconds as 0:07, 2:31 or 1:02:03.
std::string short_duration(double seconds);

}  // namespace heed::cli
