#include "table.h"

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"
#include "viz/label.h"

namespace heed::cli {
namespace {

constexpr std::size_t kGap = 2;

std::string padding(const std::string& cell, std::size_t width) {
  const std::size_t used = viz::terminal_columns(cell);
  return std::string(width > used ? width - used : 0, ' ');
}

}  // namespace

std::string Table::text(std::size_t width) const {
  std::vector<std::vector<std::string>> lines{head};
  lines.insert(lines.end(), rows.begin(), rows.end());
  const std::size_t count = head.size();
  const std::size_t first_most = width == 0 ? std::string::npos : std::max<std::size_t>(width / 3, 8);
  std::vector<std::size_t> widths(count, 1);
  for (auto& line : lines) {
    check<InternalError>(line.size() == count, "a row has {} cells for {} columns", line.size(), count);
    for (std::size_t c = 0; c < count; ++c) {
      const std::size_t rest = width > first_most + kGap ? width - first_most - kGap : 8;
      const std::size_t most = width == 0 ? std::string::npos : c == 0 ? first_most : std::max<std::size_t>(rest, 8);
      line[c] = viz::shorten_to_columns(printable(line[c], std::string::npos), most);
      widths[c] = std::max(widths[c], viz::terminal_columns(line[c]));
    }
  }
  std::string text;
  for (std::size_t from = 1, to; from < count || from == 1; from = to) {
    std::size_t used = widths[0];
    for (to = from; to < count; ++to) {
      if (width > 0 && to > from && used + kGap + widths[to] > width) break;
      used += kGap + widths[to];
    }
    if (!text.empty()) text += "\n";
    for (const auto& line : lines) {
      std::string row = line[0] + padding(line[0], widths[0]);
      for (std::size_t c = from; c < to; ++c) row += std::string(kGap, ' ') + padding(line[c], widths[c]) + line[c];
      row.erase(row.find_last_not_of(' ') + 1);
      text += row + "\n";
    }
    if (to == from) break;
  }
  return text;
}

}  // namespace heed::cli
