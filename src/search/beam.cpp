#include "search/beam.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed::search {
namespace {

// A source word that got less attention than this counts as if it had got so much: the logarithm stays finite.
constexpr double kLeastCoverage = 1e-6;

constexpr float kNever = -std::numeric_limits<float>::infinity();

// The most that a hypothesis of `words` words can be worth at any length up to `limit`. The log-probability can only
// fall and counts least at the greatest length; coverage can only cost.
double best_possible(const SearchOptions& options, double log_probability, Index words, Index limit) {
  const Index rewarded = options.word_reward > 0 ? limit : words + 1;
  return log_probability / length_factor(options, limit) + options.word_reward * static_cast<double>(rewarded);
}

// FNV-1a over the ids: what a sentence's draws depend on.
std::uint32_t hash_of(Ids words) {
  std::uint32_t hash = 2166136261u;
  for (const Id word : words)
    for (int shift = 0; shift < 32; shift += 8)
      hash = (hash ^ ((static_cast<std::uint32_t>(word) >> shift) & 255u)) * 16777619u;
  return hash;
}

}  // namespace

void Beam::begin(const SearchJob& job, const model::VocabularyConfig& vocabulary, Index width) {
  job_ = job;
  start_ = static_cast<Id>(vocabulary.sos);
  end_ = static_cast<Id>(vocabulary.eos);
  width_ = width;
  time_ = 0;
  rows_ = 0;
  const bool given = !job.prefix.empty() && job.prefix.back() == end_;
  limit_ = given ? static_cast<Index>(job.prefix.size()) : job.max_length;
  draws_ = Random(static_cast<std::uint64_t>(job.options.seed), Stream::sample, hash_of(job.source));
  nodes_.clear(), attention_.clear(), trace_.clear(), finished_.clear();
  running_.assign(1, {.row = 0, .word = start_, .node = -1, .log_probability = 0});
}

void Beam::advance(std::span<const Row> rows, std::span<TraceStep> traced) {
  candidates_.clear();
  if (time_ < static_cast<Index>(job_.prefix.size()))
    choose_given(rows[0]);
  else if (options().sample)
    choose_by_chance(rows[0]);
  else
    choose_likeliest(rows);
  ++time_;

  if (options().attention || options().coverage > 0)
    for (const Row& row : rows)
      if (row.attention != nullptr) attention_.insert(attention_.end(), row.attention, row.attention + width_);
  std::ranges::move(traced, std::back_inserter(trace_));
  running_.swap(last_);
  running_.clear();
  for (const Candidate& c : candidates_) {
    const int node = static_cast<int>(nodes_.size());
    nodes_.push_back({last_[c.row].node, c.word, c.log_probability, rows_ + c.row});
    if (c.word == end_ || time_ == limit_)
      finish(node, c.total);
    else
      running_.push_back({static_cast<Id>(c.row), c.word, node, c.total});
  }
  rows_ += rows.size();
  // No word may follow anywhere: what was reached is all there is.
  if (candidates_.empty())
    for (const Running& r : last_) finish(r.node, r.log_probability);
  if (settled()) running_.clear();
}

void Beam::choose_given(const Row& row) {
  const Id word = job_.prefix[static_cast<std::size_t>(time_)];
  const float p = std::min(row.log_probabilities[static_cast<std::size_t>(word)], 0.0f);
  candidates_.push_back({0, word, p, running_[0].log_probability + static_cast<double>(p)});
}

// The likeliest continuations of all running hypotheses, as many as there are places left. Among equals the first
// hypothesis and the first word.
void Beam::choose_likeliest(std::span<const Row> rows) {
  const std::size_t places = static_cast<std::size_t>(options().beam) - finished_.size();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double before = running_[r].log_probability;
    const std::span<const float> p = rows[r].log_probabilities;
    find_repeats(running_[r].node);
    // What a word needs to come in, a little low for the rounding: most words fail this one comparison.
    const auto needed = [&] {
      if (candidates_.size() < places) return kNever;
      return std::nextafter(static_cast<float>(candidates_.back().total - before), kNever);
    };
    float bar = needed();
    for (std::size_t word = 0; word < p.size(); ++word) {
      if (!(p[word] > bar) || repeats(static_cast<Id>(word))) continue;
      const float bounded = std::min(p[word], 0.0f);
      const Candidate c{r, static_cast<Id>(word), bounded, before + static_cast<double>(bounded)};
      if (candidates_.size() == places) {
        if (!(c.total > candidates_.back().total)) continue;
        candidates_.pop_back();
      }
      const auto place = std::ranges::upper_bound(candidates_, c.total, std::greater{}, &Candidate::total);
      candidates_.insert(place, c);
      bar = needed();
    }
  }
}

// Draws a word. The order of the words is fixed, so the draw depends on the random number alone.
void Beam::choose_by_chance(const Row& row) {
  find_repeats(running_[0].node);
  likeliest_.clear();
  for (std::size_t word = 0; word < row.log_probabilities.size(); ++word)
    if (row.log_probabilities[word] > kNever && !repeats(static_cast<Id>(word)))
      likeliest_.emplace_back(-row.log_probabilities[word], static_cast<Id>(word));
  if (likeliest_.empty()) return;
  if (options().top_k > 0 || options().top_p < 1) std::ranges::sort(likeliest_);
  if (options().top_k > 0 && static_cast<std::size_t>(options().top_k) < likeliest_.size())
    likeliest_.resize(static_cast<std::size_t>(options().top_k));
  const double best = static_cast<double>(std::ranges::min_element(likeliest_)->first);
  const auto share = [&](const auto& entry) {
    return std::exp((best - static_cast<double>(entry.first)) / options().temperature);
  };
  double total = 0, mass = 0;
  for (const auto& entry : likeliest_) total += share(entry);
  if (options().top_p < 1) {
    std::size_t kept = 0;
    while (kept < likeliest_.size() && mass < options().top_p * total) mass += share(likeliest_[kept++]);
    likeliest_.resize(kept);
    total = mass;
  }
  const double wanted = static_cast<double>(draws_.uniform(static_cast<std::uint64_t>(time_))) * total;
  std::size_t chosen = 0;
  for (double sum = share(likeliest_[0]); sum <= wanted && chosen + 1 < likeliest_.size();)
    sum += share(likeliest_[++chosen]);
  const float p = std::min(-likeliest_[chosen].first, 0.0f);
  candidates_.push_back({0, likeliest_[chosen].second, p, running_[0].log_probability + static_cast<double>(p)});
}

bool Beam::repeats(Id word) const {
  return !repeats_.empty() && word != end_ && std::ranges::find(repeats_, word) != repeats_.end();
}

// The words that would complete an n-gram which the hypothesis already has.
void Beam::find_repeats(int node) {
  repeats_.clear();
  if (options().no_repeat == 0) return;
  words_.clear();
  for (int i = node; i >= 0; i = at(i).parent) words_.push_back(at(i).word);
  const auto shared = static_cast<std::size_t>(options().no_repeat - 1);  // words that must agree
  for (std::size_t i = 0; i + shared < words_.size(); ++i)
    if (std::equal(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(shared),
                   words_.begin() + static_cast<std::ptrdiff_t>(i + 1)))
      repeats_.push_back(words_[i]);
}

void Beam::finish(int node, double log_probability) {
  Index words = 0;
  for (int i = node; i >= 0; i = at(i).parent) ++words;
  const double attended = options().coverage > 0 ? coverage(node) : 0;
  const double score = hypothesis_score(options(), log_probability, words, attended);
  const auto place = std::ranges::upper_bound(finished_, score, std::greater{}, &Finished::score);
  finished_.insert(place, {node, score, log_probability});
}

// The sum over the source of log(min(1, attention got)), Wu et al. 2016, eq. 14.
double Beam::coverage(int node) const {
  double sum = 0;
  const std::size_t words = std::min(job_.source.size(), static_cast<std::size_t>(width_));
  for (std::size_t s = 0; s < words; ++s) {
    double got = 0;
    for (int i = node; i >= 0; i = at(i).parent)
      got += static_cast<double>(attention_[at(i).row * static_cast<std::size_t>(width_) + s]);
    sum += std::log(std::clamp(got, kLeastCoverage, 1.0));
  }
  return sum;
}

bool Beam::settled() const {
  const auto wanted = static_cast<std::size_t>(options().nbest);
  if (finished_.size() < wanted) return false;
  return std::ranges::all_of(running_, [&](const Running& r) {
    return best_possible(options(), r.log_probability, time_, limit_) <= finished_[wanted - 1].score;
  });
}

std::vector<Hypothesis> Beam::results() const {
  std::vector<Hypothesis> results;
  for (std::size_t k = 0; k < std::min(finished_.size(), static_cast<std::size_t>(options().nbest)); ++k) {
    Hypothesis h{.score = finished_[k].score, .log_probability = finished_[k].log_probability, .width = width_};
    std::vector<int> path;
    for (int i = finished_[k].node; i >= 0; i = at(i).parent) path.push_back(i);
    for (auto i = path.rbegin(); i != path.rend(); ++i) {
      const Node& node = at(*i);
      h.words.push_back(node.word);
      h.word_log_probabilities.push_back(node.log_probability);
      if (options().attention && !attention_.empty()) {
        const auto row = attention_.begin() + static_cast<std::ptrdiff_t>(node.row) * width_;
        h.attention.insert(h.attention.end(), row, row + width_);
      }
      if (trace_.empty()) continue;
      TraceStep& step = h.trace.emplace_back(trace_[node.row]);
      step.input = node.parent < 0 ? start_ : at(node.parent).word;
      step.written = {node.word, static_cast<double>(std::exp(node.log_probability))};
    }
    results.push_back(std::move(h));
  }
  return results;
}

}  // namespace heed::search
