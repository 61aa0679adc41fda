// Draws attention matrices as SVG (which raster.h converts to PNG and PDF) and as text for terminals. Words may contain
// anything: they are cleaned, escaped and shortened here. Thread-safe.
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
  alignment::Alignment links;  // a known alignment, outlined in the picture; links outside the matrix are ignored
};

constexpr std::size_t kMaxHeatmapWords = 400;
// Called by all functions here: ShapeError if weights and words do not match, UsageError if a side has more than
// kMaxHeatmapWords words.
void check_drawable(const text::AttentionMatrix& attention);

// An SVG document with the maps side by side: source words above, target words on the left, darker cells for more
// attention. `numbers`: write the weights into the cells.
std::string heatmap_svg(std::span<const Heatmap> maps, bool numbers = false);

// What the terminal can show.
enum class TerminalColor {
  none,     // shades of block characters
  indexed,  // xterm's 256 colors
  full,     // 24 bits
};

struct TerminalOptions {
  TerminalColor color = TerminalColor::none;
  std::size_t width = 100;  // columns; a wider map is split into several
  bool numbers = false;     // show percentages in the cells
};

std::string heatmap_terminal(const Heatmap& map, const TerminalOptions& options);

// Decided by the environment variables NO_COLOR, COLORTERM and TERM; none if the descriptor is not a terminal.
TerminalColor terminal_color(int descriptor);

}  // namespace heed::viz
