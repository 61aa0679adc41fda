#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "base/terminal.h"
#include "viz/colors.h"
#include "viz/heatmap.h"
#include "viz/label.h"

namespace heed::viz {
namespace {

constexpr std::size_t kLongestTarget = 24;  // columns; longer words are cut
constexpr const char* kReset = "\x1b[0m";

std::string spaces(std::size_t count) {
  return std::string(count, ' ');
}

// The nearest color of xterm's cube: 16 + 36 r + 6 g + b, each from 0 to 5 with the levels 0, 95, 135, … 255.
int cube_index(const Color& color) {
  const auto level = [](int byte) { return byte < 48 ? 0 : byte < 115 ? 1 : (byte - 35) / 40; };
  return 16 + 36 * level(color.red) + 6 * level(color.green) + level(color.blue);
}

std::string painted(const Color& back, bool dark_ink, TerminalColor color, const std::string& text) {
  const char* const ink = dark_ink ? "30" : "97";
  if (color == TerminalColor::full)
    return fmt::format("\x1b[48;2;{};{};{};{}m{}", back.red, back.green, back.blue, ink, text);
  return fmt::format("\x1b[48;5;{};{}m{}", cube_index(back), ink, text);
}

// A dot for weights below 0.04, otherwise one of four shades, as wide as the cell.
std::string shade(double weight, std::size_t width) {
  constexpr const char* kShades[] = {" ", "░", "▒", "▓", "█"};
  const double clamped = weight > 0 ? std::min(weight, 1.0) : 0;
  const char* const block = weight >= 0.04 ? kShades[1 + std::min(3, static_cast<int>(clamped * 4))] : "·";
  std::string text;
  for (std::size_t i = 0; i < width; ++i) text += weight >= 0.04 || i == width / 2 ? block : " ";
  return text;
}

// A percentage in `width` columns; blank if it rounds to 0.
std::string percent(double weight, std::size_t width) {
  const long number = std::lround(100 * weight);
  return number > 0 ? fmt::format("{:>{}}", number, width) : spaces(width);
}

struct Part {
  std::size_t from, to;  // source words [from, to)
};

class Drawing {
 public:
  Drawing(const text::AttentionMatrix& attention, const TerminalOptions& options)
      : attention_(attention), options_(options), source_(clean_labels(attention.source)) {
    for (const std::string& word : clean_labels(attention.target))
      target_.push_back(
          shorten_to_columns(word, std::min(kLongestTarget, std::max<std::size_t>(options.width / 3, 4))));
    for (const std::string& word : target_) margin_ = std::max(margin_, terminal_columns(word));
    const std::size_t room = options.width > margin_ + 6 ? options.width - margin_ - 1 : 5;
    cell_ = options.numbers ? 3 : room >= 3 * source_.size() ? 3 : 2;
    // Leave space for the last word, which extends to the right of its cell.
    columns_ = std::max<std::size_t>(1, room / cell_ - std::min<std::size_t>(room / cell_ - 1, 2));
  }

  std::string draw() const {
    std::string text;
    for (std::size_t from = 0; from < source_.size(); from += columns_) {
      if (from > 0) text += "\n";
      const Part part{from, std::min(from + columns_, source_.size())};
      put_header(text, part);
      for (std::size_t t = 0; t < target_.size(); ++t) put_row(text, part, t);
    }
    return text;
  }

 private:
  // A staircase: each word on its own line above its column, with a vertical line down to the cells.
  void put_header(std::string& text, Part part) const {
    for (std::size_t s = part.from; s < part.to; ++s) {
      text += spaces(margin_ + 1);
      for (std::size_t k = part.from; k < s; ++k) text += "│" + spaces(cell_ - 1);
      const std::size_t used = margin_ + 1 + (s - part.from) * cell_;
      const std::size_t room = options_.width > used + 4 ? options_.width - used : 4;
      text += shorten_to_columns(source_[s], room) + "\n";
    }
  }

  void put_row(std::string& text, Part part, std::size_t t) const {
    text += spaces(margin_ - terminal_columns(target_[t])) + target_[t] + " ";
    for (std::size_t s = part.from; s < part.to; ++s) {
      const double weight = attention_.at(t, s);
      if (options_.color == TerminalColor::none) {
        text += options_.numbers ? percent(weight, cell_) : shade(weight, cell_);
        continue;
      }
      const Color back = color_of(weight, Ramp::night);
      text += painted(back, luminance(back) > 0.3, options_.color,
                      options_.numbers ? percent(weight, cell_) : spaces(cell_));
    }
    text += options_.color == TerminalColor::none ? "\n" : fmt::format("{}\n", kReset);
  }

  const text::AttentionMatrix& attention_;
  const TerminalOptions& options_;
  std::vector<std::string> source_, target_;
  std::size_t margin_ = 0, cell_ = 3, columns_ = 1;
};

}  // namespace

std::string heatmap_terminal(const Heatmap& map, const TerminalOptions& options) {
  check_drawable(map.attention);
  std::string text;
  if (!map.title.empty()) text += clean_label(map.title) + (map.subtitle.empty() ? "\n" : ": ");
  if (!map.subtitle.empty()) text += clean_label(map.subtitle) + "\n";
  if (!map.attention.has_weights()) return text + "this model has no attention\n";
  return text + Drawing(map.attention, options).draw();
}

TerminalColor terminal_color(int descriptor) {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const std::string depth = variable("COLORTERM"), terminal = variable("TERM");
  if (!may_style(descriptor)) return TerminalColor::none;
  if (depth == "truecolor" || depth == "24bit") return TerminalColor::full;
  return terminal.find("256") != std::string::npos ? TerminalColor::indexed : TerminalColor::none;
}

}  // namespace heed::viz
