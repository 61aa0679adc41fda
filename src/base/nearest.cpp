#include "base/nearest.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/utf8.h"

namespace heed::inline base {

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t columns = b.size() + 1;
  std::vector<int> cost((a.size() + 1) * columns);
  const auto at = [&](std::size_t i, std::size_t j) -> int& { return cost[i * columns + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = static_cast<int>(i + j);
        continue;
      }
      const int change = a[i - 1] != b[j - 1];
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(a.size(), b.size());
}

namespace {

std::string plain(std::string_view name) {
  std::string out(name);
  for (char& c : out) c = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

}  // namespace

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
  // No candidate is this long, and the cost is quadratic.
  if (name.empty() || name.size() > 100) return "";
  const std::string wanted = plain(name);
  std::string best;
  int best_distance = 1000;
  for (const std::string& candidate : candidates) {
    const std::string other = plain(candidate);
    int distance = edit_distance(wanted, other);
    if (other.ends_with("." + wanted)) distance = std::min(distance, 1);
    const int longest = static_cast<int>(std::max(wanted.size(), other.size()));
    if (distance > std::max(1, longest / 3) || distance >= longest || distance >= best_distance) continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const std::string best = nearest(name, candidates);
  return best.empty() ? "" : fmt::format("; did you mean '{}'?", best);
}

void throw_unknown_name(std::string_view problem, std::string_view name, std::span<const std::string> names) {
  throw UsageError("{} {}{} (expected {})", problem, in_quotes(name), did_you_mean(name, names),
                   fmt::join(names, ", "));
}

}  // namespace heed::base
