// An attention matrix with its words as a picture: SVG, and from that PNG and PDF; blocks in a terminal. Plain data in,
// text or bytes out. Words may be anything: they are cleaned, escaped and shortened here. Free of state.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "alignment/links.h"
#include "text/attention_matrix.h"

namespace heed::viz {

struct Heatmap {
  std::string title, subtitle;  // either may be empty
  text::AttentionMatrix attention;
  alignment::Alignment links;  // of a known alignment, to be outlined; links past the words are left out
};

struct HeatmapOptions {
  bool numbers = false;  // the weights written into the cells
};

constexpr std::size_t kMaxHeatmapWords = 400;
// What every function here begins with: ShapeError if weights and words do not fit together, UsageError if a side has
// more words than a picture takes.
void check_drawable(const text::AttentionMatrix& attention);

// A complete SVG document, the maps side by side: source words above, target words on the left, darker is more.
std::string heatmap_svg(std::span<const Heatmap> maps, const HeatmapOptions& options);

// What the reader of the text can show.
enum class TerminalColor {
  none,     // shades of block characters
  indexed,  // xterm's 256 colors
  full,     // 24 bits
};

struct TerminalOptions {
  TerminalColor color = TerminalColor::none;
  std::size_t width = 100;  // columns; a wider map is cut into parts
  bool numbers = false;     // percent in the cells
};

std::string heatmap_terminal(const Heatmap& map, const TerminalOptions& options);

// What NO_COLOR, COLORTERM and TERM of the environment ask for if the descriptor is a terminal; else none.
TerminalColor terminal_color(int descriptor);

}  // namespace heed::viz
