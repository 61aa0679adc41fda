#include "alignment/symmetrize.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/error.h"

namespace heed::alignment {
namespace {

using Point = std::pair<std::int64_t, std::int64_t>;  // target word, source word
using Points = std::set<Point>;

Points points_of(const Alignment& links) {
  Points points;
  for (const Link& link : links) points.emplace(link.target, link.source);
  return points;
}

// Links with what is needed to know whether a word has one.
class Grown {
 public:
  explicit Grown(const Points& start) {
    for (const Point& point : start) add(point);
  }
  bool target_free(const Point& p) const { return !targets_.contains(p.first); }
  bool source_free(const Point& p) const { return !sources_.contains(p.second); }
  void add(const Point& p) {
    points_.insert(p);
    targets_.insert(p.first);
    sources_.insert(p.second);
  }
  const Points& points() const { return points_; }

 private:
  Points points_;
  std::set<std::int64_t> targets_, sources_;
};

// Links that are added behind the present one are looked at in the same round, as they come.
void grow_diagonally(Grown& grown, const Points& all) {
  constexpr Point kNeighbors[] = {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
  for (bool added = true; added;) {
    added = false;
    for (const Point& at : grown.points()) {
      for (const auto& [dt, ds] : kNeighbors) {
        const Point next{at.first + dt, at.second + ds};
        if (!all.contains(next) || !(grown.target_free(next) || grown.source_free(next))) continue;
        grown.add(next);
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
  const auto names = symmetrizations();
  check<UsageError>(std::ranges::find(names, method) != names.end(), "no symmetrization is called {}; there are {}",
                    method, fmt::join(names, ", "));
  const Points f = points_of(forward), b = points_of(backward);
  Points both, all;
  std::ranges::set_intersection(f, b, std::inserter(both, both.end()));
  std::ranges::set_union(f, b, std::inserter(all, all.end()));
  Grown grown(method == "union" ? all : both);
  if (method.starts_with("grow-diag")) grow_diagonally(grown, all);
  const bool final_and = method == "grow-diag-final-and";
  if (final_and || method == "grow-diag-final")
    for (const Point& point : all) {
      const bool target = grown.target_free(point), source = grown.source_free(point);
      if (final_and ? target && source : target || source) grown.add(point);
    }
  Alignment links;
  for (const auto& [target, source] : grown.points())
    links.push_back({static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(target)});
  return tidy(links);
}

Alignment flip(Alignment links) {
  for (Link& link : links) std::swap(link.source, link.target);
  return tidy(links);
}

}  // namespace heed::alignment
