// A progress bar on standard error: share done, speed, time left and a free text. Silent where standard error is no
// terminal. Draws at most ten times a second, so update() may be called as often as work is done. Used by one thread.
//
//   Progress progress("epoch 1", total_sentences, "tokens");
//   while (…) progress.update(sentences, tokens, fmt::format("loss {:.2f}", loss));
//   progress.finish();
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace heed::cli {

// Where a bar is drawn; tests put their own in.
struct ProgressScreen {
  std::ostream* stream;                // nullptr: nothing is drawn
  std::function<double()> seconds;     // a steady clock
  std::function<std::size_t()> width;  // columns, asked at each drawing

  static ProgressScreen standard_error();
};

class Progress {
 public:
  // `total` 0: not known, then no share and no time left. `unit` names what the speed counts.
  Progress(std::string label, std::int64_t total, std::string unit,
           ProgressScreen screen = ProgressScreen::standard_error());
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  // `done` of the total, and `amount` of the unit, both counted from the start of the job (not since the last call).
  // The first call sets where they stood, so that a resumed job does not show a speed that it never had.
  void update(std::int64_t done, std::int64_t amount, std::string_view tail = "");
  // Draws the last state once more and leaves it on the screen, with a line end.
  void finish();
  // Takes the bar off the screen, for example before a message; the next update() draws it again.
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

// 999, 1,234 or 12.3M: a speed or count in few letters.
std::string short_number(double value);
// 0:07, 2:31 or 1:02:03.
std::string short_duration(double seconds);

}  // namespace heed::cli
