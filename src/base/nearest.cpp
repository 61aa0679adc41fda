#include "base/nearest.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "base/utf8.h"

namespace heed::inline base {

int edit_distance(std::string_view a, std::string_view b) {
  // The rows of the cost matrix for the first i - 2, i - 1 and i characters of `a`.
  std::vector<int> second_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(second_last, last);
    std::swap(last, row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int substitution = a[i - 1] != b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], second_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

namespace {

std::string normalized(std::string_view name) {
  std::string out(name);
  for (char& c : out) c = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

std::string_view without_dashes(std::string_view name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

// Whether `longer` begins with the words of `shorter`: "luong-dot" with those of "luong".
bool has_more_words(std::string_view longer, std::string_view shorter) {
  return !shorter.empty() && longer.size() > shorter.size() && longer.starts_with(shorter) &&
         longer[shorter.size()] == '-';
}

// "--batch-size" and "--batch", "luong" and "luong-dot", "hidden-size" and "encoder.hidden".
bool differ_in_words(std::string_view wanted, std::string_view other) {
  return has_more_words(other, wanted) || has_more_words(wanted, other) ||
         has_more_words(wanted, other.substr(other.rfind('.') + 1));
}

bool is_prefix(std::string_view wanted, std::string_view other) {
  return !wanted.empty() && other.starts_with(wanted);
}

// "bahdanua" and "bahdanau-lstm": the first word is misspelled, and others are missing.
bool misspells_first_word(std::string_view wanted, std::string_view other) {
  constexpr std::size_t kShortest = 4;
  const std::size_t dash = other.find('-');
  if (dash == other.npos || wanted.size() < kShortest || dash < kShortest) return false;
  return edit_distance(wanted, other.substr(0, dash)) <= static_cast<int>(std::max(wanted.size(), dash) / 3);
}

// Words that people use for names that are spelled quite differently.
constexpr std::pair<std::string_view, std::string_view> kOtherWords[] = {
    {"finetune", "from"},     {"fine-tune", "from"},   {"terms", "glossary"}, {"terminology", "glossary"},
    {"test", "source"},       {"test", "reference"},   {"test", "evaluate"},  {"show", "attend"},
    {"visualize", "attend"},  {"visualise", "attend"}, {"plot", "attend"},    {"heatmap", "attend"},
    {"bahdanau", "additive"}, {"luong", "general"},    {"luong", "dot"},      {"bleu", "score"},
};

std::vector<std::string> other_words(std::string_view wanted, std::span<const std::string> candidates) {
  std::vector<std::string> names;
  for (const auto& [word, name] : kOtherWords)
    for (const std::string& candidate : candidates)
      if (word == wanted && normalized(without_dashes(candidate)) == name) names.push_back(candidate);
  return names;
}

// A hostile file may contain many long names.
constexpr std::size_t kLongest = 100, kMostCandidates = 1000;

}  // namespace

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
  if (name.empty() || name.size() > kLongest) return "";
  const std::string wanted = normalized(name);
  std::string best;
  int best_distance = std::numeric_limits<int>::max();
  for (const std::string& candidate : candidates.first(std::min(candidates.size(), kMostCandidates))) {
    if (candidate.size() > kLongest) continue;
    const std::string other = normalized(candidate);
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
  constexpr std::size_t kMostNames = 4;
  const std::string wanted = normalized(without_dashes(name.substr(0, kLongest)));
  std::vector<std::string> names = other_words(wanted, candidates.first(std::min(candidates.size(), kMostCandidates)));
  if (std::string best = names.empty() ? nearest(name, candidates) : ""; !best.empty())
    names.push_back(std::move(best));
  for (const auto related : {differ_in_words, is_prefix, misspells_first_word}) {
    if (!names.empty()) break;
    for (const std::string& candidate : candidates.first(std::min(candidates.size(), kMostCandidates)))
      if (related(wanted, normalized(without_dashes(candidate)))) names.push_back(candidate);
  }
  if (names.empty() || names.size() > kMostNames) return "";
  for (std::string& suggestion : names) suggestion = fmt::format("'{}'", suggestion);
  return fmt::format("; did you mean {}?", alternatives(names));
}

std::string alternatives(std::span<const std::string> names) {
  if (names.size() < 2) return names.empty() ? "" : names.front();
  return fmt::format("{} or {}", fmt::join(names.first(names.size() - 1), ", "), names.back());
}

void throw_unknown_name(std::string_view problem, std::string_view name, std::span<const std::string> names) {
  throw UsageError("{} {}{} (expected {})", problem, in_quotes(name), did_you_mean(name, names),
                   fmt::join(names, ", "));
}

}  // namespace heed::base
