// A made-up model with known probabilities, and all its translations.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "search/beam.h"

namespace heed::testing {

inline constexpr model::VocabularyConfig kVocabulary{.source = 9, .target = 5, .sos = 0, .eos = 1, .unk = 2};
inline constexpr Id kEnd = 1;
inline const std::vector<Id> kSource = {4, 5, 1};

// Log-probabilities and attention that depend on all words so far.
struct MadeUpModel {
  explicit MadeUpModel(std::uint64_t with_seed, double with_spread = 3) : seed(with_seed), spread(with_spread) {}

  struct Step {
    std::vector<float> words, attention;
  };
  const Step& after(const std::vector<Id>& words) {
    auto [entry, fresh] = known.try_emplace(words);
    if (!fresh) return entry->second;
    const Random random(seed, Stream::test, static_cast<std::uint32_t>(known.size()));
    entry->second = {normalized(random, 0, kVocabulary.target), normalized(random, 100, 3)};
    for (float& p : entry->second.words) p = std::log(p);
    return entry->second;
  }

 private:
  std::vector<float> normalized(const Random& random, std::uint64_t from, int count) const {
    std::vector<float> p;
    float sum = 0;
    for (int i = 0; i < count; ++i) {
      p.push_back(static_cast<float>(
          std::exp(spread * static_cast<double>(random.uniform(from + static_cast<std::uint64_t>(i))))));
      sum += p.back();
    }
    for (float& x : p) x /= sum;
    return p;
  }

  std::uint64_t seed;
  double spread;
  std::map<std::vector<Id>, Step> known;
};

struct Found {
  std::vector<search::Hypothesis> best;
  int steps = 0;
};

inline Found search(MadeUpModel& model, const search::SearchOptions& options, search::SearchJob job) {
  search::Beam beam;
  job.options = options;
  beam.begin(job, kVocabulary, 3);
  std::vector<std::vector<Id>> words(1);
  Found found;
  while (!beam.running().empty()) {
    std::vector<search::Beam::Row> rows;
    for (const auto& w : words) rows.push_back({model.after(w).words, model.after(w).attention.data()});
    beam.advance(rows);
    std::vector<std::vector<Id>> next;
    for (const search::Beam::Running& r : beam.running()) {
      next.push_back(words[static_cast<std::size_t>(r.row)]);
      next.back().push_back(r.word);
    }
    words = next;
    ++found.steps;
  }
  found.best = beam.results();
  return found;
}

// Every translation of at most `limit` words with its score, computed by the formula; best first.
struct Scored {
  double score;
  std::vector<Id> words;
};
inline void enumerate(MadeUpModel& model, const search::SearchOptions& o, std::size_t limit,
                      const std::vector<Id>& words, double p, std::vector<double> attended, std::vector<Scored>& all) {
  if (words.size() == limit || (!words.empty() && words.back() == kEnd)) {
    const double n = static_cast<double>(words.size());
    double score = p / std::pow(n, o.length_normalization) + o.word_reward * n;
    for (const double got : attended) score += o.coverage * std::log(std::min(1.0, got));
    all.push_back({score, words});
    return;
  }
  const MadeUpModel::Step step = model.after(words);
  for (std::size_t s = 0; s < 3; ++s) attended[s] += static_cast<double>(step.attention[s]);
  for (Id word = 0; word < kVocabulary.target; ++word) {
    std::vector<Id> longer = words;
    longer.push_back(word);
    enumerate(model, o, limit, longer, p + static_cast<double>(step.words[static_cast<std::size_t>(word)]), attended,
              all);
  }
}

inline std::vector<Scored> all_translations(MadeUpModel& model, const search::SearchOptions& options,
                                            std::size_t limit) {
  std::vector<Scored> all;
  enumerate(model, options, limit, {}, 0, {0, 0, 0}, all);
  std::ranges::stable_sort(all, std::greater{}, &Scored::score);
  return all;
}

}  // namespace heed::testing
