#include "alignment/symmetrize.h"

#include <algorithm>
#include <set>

#include "base/nearest.h"

namespace heed::alignment {
namespace {

using Point = std::pair<std::int64_t, std::int64_t>;  // target word, source word

std::set<Point> points_of(const Alignment& links) {
  std::set<Point> points;
  for (const Link& link : links) points.emplace(link.target, link.source);
  return points;
}

// The chosen links and the words that have one.
struct Chosen {
  std::set<Point> points;
  std::set<std::int64_t> targets, sources;

  bool target_free(const Point& p) const { return !targets.contains(p.first); }
  bool source_free(const Point& p) const { return !sources.contains(p.second); }
  void add(const Point& p) {
    points.insert(p);
    targets.insert(p.first);
    sources.insert(p.second);
  }
};

// A link that is added at a position after the current one is visited in the same round.
void grow_diagonally(Chosen& chosen, const std::set<Point>& all) {
  constexpr Point kNeighbors[] = {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
  for (bool added = true; added;) {
    added = false;
    for (const Point& at : chosen.points) {
      for (const auto& [dt, ds] : kNeighbors) {
        const Point next{at.first + dt, at.second + ds};
        if (!all.contains(next) || !(chosen.target_free(next) || chosen.source_free(next))) continue;
        chosen.add(next);
        added = true;
      }
    }
  }
}

}  // namespace

std::vector<std::string> symmetrizations() {
  return {"intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and"};
}

Alignment symmetrize(std::string_view method, const Alignment& forward, const Alignment& backward) {
  if (const auto names = symmetrizations(); std::ranges::find(names, method) == names.end())
    throw_unknown_name("there is no symmetrization method", method, names);
  const std::set<Point> f = points_of(forward), b = points_of(backward);
  std::set<Point> both, all;
  std::ranges::set_intersection(f, b, std::inserter(both, both.end()));
  std::ranges::set_union(f, b, std::inserter(all, all.end()));
  Chosen chosen;
  for (const Point& point : method == "union" ? all : both) chosen.add(point);
  if (method.starts_with("grow-diag")) grow_diagonally(chosen, all);
  const bool final_and = method == "grow-diag-final-and";
  if (final_and || method == "grow-diag-final")
    for (const Point& point : all) {
      const bool target = chosen.target_free(point), source = chosen.source_free(point);
      if (final_and ? target && source : target || source) chosen.add(point);
    }
  Alignment links;
  for (const auto& [target, source] : chosen.points)
    links.push_back({static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(target)});
  return tidy(links);
}

Alignment flip(Alignment links) {
  for (Link& link : links) std::swap(link.source, link.target);
  return tidy(links);
}

}  // namespace heed::alignment
