#include "search/beam.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed::search {
namespace {

// The minimum of a source word's total attention, so that its logarithm is finite.
constexpr double kMinCoverage = 1e-6;

// Slots of a beam with constraints, in addition to its size, for hypotheses that have not met all of them.
constexpr std::size_t kExtraSlots = 3;

constexpr float kNever = -std::numeric_limits<float>::infinity();

// An upper bound of the score that a hypothesis of `words` words can reach with up to `limit` words. The
// log-probability can only decrease and weighs least at the greatest length; coverage can only lower the score.
double best_possible(const SearchOptions& options, double log_probability, Index words, Index limit) {
  const Index rewarded = options.word_reward > 0 ? limit : words + 1;
  return log_probability / length_factor(options, limit) + options.word_reward * static_cast<double>(rewarded);
}

// FNV-1a over the ids, as part of the random seed of a sentence.
std::uint32_t hash_of(Ids words) {
  std::uint32_t hash = 2166136261u;
  for (const Id word : words)
    for (int shift = 0; shift < 32; shift += 8)
      hash = (hash ^ ((static_cast<std::uint32_t>(word) >> shift) & 255u)) * 16777619u;
  return hash;
}

}  // namespace

float Beam::Row::log_probability(Id word) const {
  if (candidates.empty()) return log_probabilities[static_cast<std::size_t>(word)];
  const auto found = std::ranges::lower_bound(candidates, word);
  if (found == candidates.end() || *found != word) return kNever;
  return log_probabilities[static_cast<std::size_t>(found - candidates.begin())];
}

void Beam::begin(const SearchJob& job, const model::VocabularyConfig& vocabulary, Index width) {
  job_ = job;
  start_ = static_cast<Id>(vocabulary.sos);
  end_ = static_cast<Id>(vocabulary.eos);
  width_ = width;
  time_ = 0;
  rows_ = 0;
  const bool forced = !job.prefix.empty() && job.prefix.back() == end_;
  limit_ = forced ? static_cast<Index>(job.prefix.size()) : job.max_length;
  draws_ = Random(static_cast<std::uint64_t>(job.options.seed), Stream::sample, hash_of(job.source));
  nodes_.clear(), attention_.clear(), trace_.clear(), finished_.clear();
  running_.assign(1, {.row = 0, .word = start_, .node = -1, .log_probability = 0});
  constraints_.begin(job, start_);
  if (forced) constraints_ = {};
  slots_ = static_cast<std::size_t>(job.options.beam);
  progress_.clear();
  if (constraints_.empty()) return;
  progress_.push_back(constraints_.start());
  if (!job.options.sample) slots_ += kExtraSlots;
}

void Beam::advance(std::span<const Row> rows, std::span<TraceStep> traced) {
  candidates_.clear();
  trial_count_ = 0;
  if (time_ < static_cast<Index>(job_.prefix.size()))
    choose_forced(rows[0]);
  else if (options().sample)
    constraints_.empty() ? choose_sampled(rows[0]) : choose_sampled_constrained(rows[0]);
  else
    constraints_.empty() ? choose_best(rows) : choose_constrained(rows);
  ++time_;

  if (options().attention || options().coverage > 0)
    for (const Row& row : rows)
      if (row.attention != nullptr) attention_.insert(attention_.end(), row.attention, row.attention + width_);
  std::ranges::move(traced, std::back_inserter(trace_));
  running_.swap(last_);
  running_.clear();
  progress_.swap(last_progress_);
  progress_.clear();
  for (const Candidate& c : candidates_) {
    const int node = static_cast<int>(nodes_.size());
    nodes_.push_back({last_[c.row].node, c.word, c.log_probability, rows_ + c.row});
    const ConstraintProgress* progress = constraints_.empty() ? nullptr : &trials_[c.trial].progress;
    if (c.word == end_ || time_ == limit_) {
      finish(node, c.total, progress);
      continue;
    }
    running_.push_back({static_cast<Id>(c.row), c.word, node, c.total});
    if (progress != nullptr) progress_.push_back(*progress);
  }
  rows_ += rows.size();
  // If no word may follow any hypothesis, they all end here.
  if (candidates_.empty())
    for (std::size_t i = 0; i < last_.size(); ++i)
      finish(last_[i].node, last_[i].log_probability, constraints_.empty() ? nullptr : &last_progress_[i]);
  if (settled()) running_.clear();
}

// Rounding can make a log-probability slightly positive.
Beam::Candidate Beam::candidate(std::size_t row, Id word, float log_probability) const {
  const float p = std::min(log_probability, 0.0f);
  return {row, word, p, running_[row].log_probability + static_cast<double>(p)};
}

void Beam::choose_forced(const Row& row) {
  const Id word = job_.prefix[static_cast<std::size_t>(time_)];
  candidates_.push_back(candidate(0, word, row.log_probability(word)));
  if (!constraints_.empty()) set_trial(0, row, word, next_trial());
}

// The best continuations of all running hypotheses, one per free slot. Ties go to the first hypothesis and then to the
// first word.
void Beam::choose_best(std::span<const Row> rows) {
  const std::size_t slots = slots_ - finished_.size();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double before = running_[r].log_probability;
    const std::span<const float> p = rows[r].log_probabilities;
    find_repeats(running_[r].node);
    // The log-probability that a word needs, slightly lowered for rounding: most words fail this one comparison.
    const auto needed = [&] {
      if (candidates_.size() < slots) return kNever;
      return std::nextafter(static_cast<float>(candidates_.back().total - before), kNever);
    };
    float bar = needed();
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (!(p[i] > bar)) continue;
      const Id word = rows[r].word(i);
      if (repeats(word)) continue;
      const Candidate c = candidate(r, word, p[i]);
      if (candidates_.size() == slots) {
        if (!(c.total > candidates_.back().total)) continue;
        candidates_.pop_back();
      }
      candidates_.insert(std::ranges::upper_bound(candidates_, c.total, std::greater{}, &Candidate::total), c);
      bar = needed();
    }
  }
}

// The order of the words is fixed, so the sample depends only on the random number.
void Beam::choose_sampled(const Row& row) {
  find_repeats(running_[0].node);
  sampled_.clear();
  for (std::size_t i = 0; i < row.log_probabilities.size(); ++i)
    if (row.log_probabilities[i] > kNever && !repeats(row.word(i)))
      sampled_.emplace_back(-row.log_probabilities[i], row.word(i));
  if (sampled_.empty()) return;
  if (options().top_k > 0 || options().top_p < 1) std::ranges::sort(sampled_);
  if (options().top_k > 0 && static_cast<std::size_t>(options().top_k) < sampled_.size())
    sampled_.resize(static_cast<std::size_t>(options().top_k));
  const double best = static_cast<double>(std::ranges::min_element(sampled_)->first);
  const auto weight = [&](const auto& entry) {
    return std::exp((best - static_cast<double>(entry.first)) / options().temperature);
  };
  double total = 0, mass = 0;
  for (const auto& entry : sampled_) total += weight(entry);
  if (options().top_p < 1) {
    std::size_t kept = 0;
    while (kept < sampled_.size() && mass < options().top_p * total) mass += weight(sampled_[kept++]);
    sampled_.resize(kept);
    total = mass;
  }
  const double wanted = static_cast<double>(draws_.uniform(static_cast<std::uint64_t>(time_))) * total;
  std::size_t chosen = 0;
  for (double sum = weight(sampled_[0]); sum <= wanted && chosen + 1 < sampled_.size();)
    sum += weight(sampled_[++chosen]);
  candidates_.push_back(candidate(0, sampled_[chosen].second, -sampled_[chosen].first));
}

bool Beam::repeats(Id word) const {
  return !repeats_.empty() && word != end_ && std::ranges::find(repeats_, word) != repeats_.end();
}

// Finds the words that would complete an n-gram that the hypothesis already contains.
void Beam::find_repeats(int node) {
  repeats_.clear();
  if (options().no_repeat == 0) return;
  words_.clear();
  for (int i = node; i >= 0; i = at(i).parent) words_.push_back(at(i).word);
  const auto shared = static_cast<std::size_t>(options().no_repeat - 1);  // words of the n-gram before its last
  for (std::size_t i = 0; i + shared < words_.size(); ++i)
    if (std::equal(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(shared),
                   words_.begin() + static_cast<std::ptrdiff_t>(i + 1)))
      repeats_.push_back(words_[i]);
}

void Beam::finish(int node, double log_probability, const ConstraintProgress* progress) {
  Index words = 0;
  for (int i = node; i >= 0; i = at(i).parent) ++words;
  const double penalty = options().coverage > 0 ? coverage(node) : 0;
  const double score = hypothesis_score(options(), log_probability, words, penalty);
  const double rank = progress == nullptr
                          ? score
                          : hypothesis_score(options(), log_probability + adjustment(*progress), words, penalty);
  finished_.insert(std::ranges::upper_bound(finished_, rank, std::greater{}, &Finished::rank),
                   {node, rank, score, log_probability, progress == nullptr ? std::vector<Index>() : progress->starts});
}

// The sum over the source words of log(min(1, total attention weight)), Wu et al. 2016, eq. 14.
double Beam::coverage(int node) const {
  double sum = 0;
  const std::size_t words = std::min(job_.source.size(), static_cast<std::size_t>(width_));
  for (std::size_t s = 0; s < words; ++s) {
    double total = 0;
    for (int i = node; i >= 0; i = at(i).parent)
      total += static_cast<double>(attention_[at(i).row * static_cast<std::size_t>(width_) + s]);
    sum += std::log(std::clamp(total, kMinCoverage, 1.0));
  }
  return sum;
}

bool Beam::settled() const {
  const auto wanted = static_cast<std::size_t>(options().nbest);
  if (finished_.size() < wanted) return false;
  for (std::size_t i = 0; i < running_.size(); ++i) {
    double most = running_[i].log_probability;
    if (!constraints_.empty()) most += adjustment(progress_[i]) - progress_[i].bonus + constraints_.most_bonus();
    // With a bonus the sum may be positive; then it weighs most at the smallest length.
    const Index longest = most > 0 ? time_ + 1 : limit_;
    if (!(best_possible(options(), most, time_, longest) <= finished_[wanted - 1].rank)) return false;
  }
  return true;
}

// A node comes after its parent, so of two nodes the later one is never an ancestor of the other.
void Beam::agreed_words(std::vector<Id>& words) const {
  words.clear();
  if (running_.empty()) return;
  int common = running_.front().node;
  const auto meet = [&](int node) {
    while (common != node) (common > node ? common : node) = at(std::max(common, node)).parent;
  };
  for (const Running& running : running_) meet(running.node);
  for (const Finished& finished : finished_) meet(finished.node);
  for (int i = common; i >= 0; i = at(i).parent) words.push_back(at(i).word);
  std::ranges::reverse(words);
}

std::vector<Hypothesis> Beam::results() const {
  std::vector<Hypothesis> results;
  for (std::size_t k = 0; k < std::min(finished_.size(), static_cast<std::size_t>(options().nbest)); ++k) {
    Hypothesis h{.score = finished_[k].score,
                 .log_probability = finished_[k].log_probability,
                 .width = width_,
                 .constraints = finished_[k].constraints};
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
