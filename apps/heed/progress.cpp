#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "base/terminal.h"
#include "base/utf8.h"

namespace heed::cli {

namespace {

constexpr double kDrawInterval = 0.1;
constexpr std::size_t kWidestBar = 30, kNarrowestBar = 6;

std::string_view first_columns(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  for (; end < text.size() && columns > 0; --columns)
    end += std::max<std::size_t>(utf8_sequence_length(text.substr(end)), 1);
  return text.substr(0, end);
}

std::string bar(double fraction, std::size_t width) {
  const auto filled = static_cast<std::size_t>(std::lround(fraction * static_cast<double>(width)));
  return fmt::format("[{}{}] ", std::string(filled, '='), std::string(width - filled, ' '));
}

}  // namespace

std::string short_number(double value) {
  if (!std::isfinite(value)) return "?";
  // A number that would round up to the next unit is shown in that unit.
  if (value >= 999.95e6) return fmt::format("{:.3g}G", value / 1e9);
  if (value >= 999'999.5) return fmt::format("{:.1f}M", value / 1e6);
  const auto whole = std::llround(value);
  if (whole >= 1000) return fmt::format("{},{:03}", whole / 1000, whole % 1000);
  return value >= 10 || value == std::floor(value) ? fmt::format("{}", whole) : fmt::format("{:.1f}", value);
}

std::string short_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0 || seconds > 1e8) return "?";
  const auto whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

ProgressScreen ProgressScreen::standard_error() {
  const char* kind = std::getenv("TERM");
  const bool can_draw = is_terminal(STDERR_FILENO) && kind && std::string_view(kind) != "dumb";
  const auto write = [](std::string_view text) { say(text); };
  return {.write = can_draw ? write : std::function<void(std::string_view)>(),
          .seconds =
              [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); },
          .width = [] { return terminal_width(STDERR_FILENO, 80); }};
}

Progress::Progress(std::string label, std::int64_t total, std::string unit, ProgressScreen screen)
    : label_(std::move(label)), unit_(std::move(unit)), total_(total), screen_(std::move(screen)) {
  if (screen_.write) started_ = screen_.seconds();
}

void Progress::update(std::int64_t done, std::int64_t amount, std::string_view tail) {
  if (!screen_.write || finished_) return;
  if (!begun_) {
    first_done_ = done;
    first_amount_ = amount;
  }
  done_ = done;
  amount_ = amount;
  tail_ = tail;
  const double now = screen_.seconds();
  if (begun_ && now - drawn_ < kDrawInterval) return;
  begun_ = true;
  draw(now);
}

std::string Progress::line(double now, std::size_t width) const {
  const double elapsed = now - started_;
  const double fraction =
      total_ > 0 ? std::clamp(static_cast<double>(done_) / static_cast<double>(total_), 0.0, 1.0) : 0;
  std::string facts;
  if (total_ > 0) facts += fmt::format("{:3.0f}%", std::floor(fraction * 100));
  if (elapsed > 0 && amount_ > first_amount_)
    facts += fmt::format("  {} {}/s", short_number(static_cast<double>(amount_ - first_amount_) / elapsed), unit_);
  if (total_ > 0 && done_ > first_done_ && done_ < total_)
    facts += fmt::format("  {} left", short_duration(elapsed * static_cast<double>(total_ - done_) /
                                                     static_cast<double>(done_ - first_done_)));
  if (total_ <= 0 || done_ >= total_) facts += fmt::format("  {}", short_duration(elapsed));
  if (!tail_.empty()) facts += "  " + tail_;

  const std::string head = label_.empty() ? "" : label_ + " ";
  // The last column stays free: some terminals wrap when it is written to.
  const std::size_t room = width > 0 ? width - 1 : 0, used = utf8_length(head) + utf8_length(facts) + 3;
  const std::size_t bar_width = room > used ? std::min(room - used, kWidestBar) : 0;
  const std::string full = head + (total_ > 0 && bar_width >= kNarrowestBar ? bar(fraction, bar_width) : "") + facts;
  return std::string(first_columns(full, room));
}

void Progress::draw(double now) {
  drawn_ = now;
  screen_.write("\r" + line(now, screen_.width()) + "\x1b[K");
  visible_ = true;
}

void Progress::finish() {
  if (!screen_.write || finished_ || !begun_) return;
  draw(screen_.seconds());
  screen_.write("\n");
  visible_ = false;
  finished_ = true;
}

void Progress::clear() {
  if (!visible_) return;
  screen_.write("\r\x1b[K");
  visible_ = false;
}

}  // namespace heed::cli
