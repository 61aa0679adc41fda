// The counters of a survey: the words of a side, and the occurrences of held-out text. Internal to the survey.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/line_traits.h"
#include "survey/survey.h"
#include "text/vocabulary.h"

namespace heed::survey {

// The file and line of a pair.
struct LinePosition {
  std::int64_t line = 0;
  std::size_t part = 0;
};
// One hash for both sides; 0 if one of them is 0.
inline std::uint64_t combine(std::uint64_t source, std::uint64_t target) {
  return source == 0 || target == 0 ? 0 : source * 0x9E3779B97F4A7C15ULL + target;
}

// One side of the training text.
class SideCounter {
 public:
  explicit SideCounter(const text::Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  // Returns the number of words of the line.
  std::size_t add(std::string_view line, const data::LineTraits& traits) {
    const std::vector<text::Token> tokens = tokenizer_.tokenize(line);
    for (const text::Token& token : tokens) ++counts_[token.text];
    survey_.words += static_cast<std::int64_t>(tokens.size());
    survey_.characters += traits.characters;
    const std::size_t length = std::min(tokens.size(), kMaxLength);
    if (survey_.lengths.size() <= length) survey_.lengths.resize(length + 1);
    ++survey_.lengths[length];
    if (++survey_.sentences == next_growth_) {
      survey_.growth.push_back({survey_.sentences, static_cast<std::int64_t>(counts_.size())});
      // 1, 2, 5, 10, 20, 50, …
      next_growth_ =
          std::to_string(survey_.sentences).front() == '2' ? survey_.sentences / 2 * 5 : survey_.sentences * 2;
    }
    return tokens.size();
  }
  data::LineTraits scan(std::string_view line) { return scanner_.scan(line); }
  bool knows(std::string_view word) const { return counts_.find(word) != counts_.end(); }
  SideSurvey finish() {
    if (survey_.growth.empty() || survey_.growth.back().pairs != survey_.sentences)
      survey_.growth.push_back({survey_.sentences, static_cast<std::int64_t>(counts_.size())});
    std::vector<std::int64_t> counts;
    counts.reserve(counts_.size());
    for (const auto& [word, count] : counts_) counts.push_back(count);
    std::ranges::sort(counts, std::greater<>());
    survey_.distinct = static_cast<std::int64_t>(counts.size());
    survey_.once = std::ranges::count(counts, 1);
    std::int64_t covered = 0, used = 0;
    for (const double fraction : {0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0}) {
      while (used < survey_.distinct && static_cast<double>(covered) < fraction * static_cast<double>(survey_.words))
        covered += counts[static_cast<std::size_t>(used++)];
      survey_.coverage.push_back({fraction, used});
    }
    const auto& letters = scanner_.script_letters();
    const std::int64_t all = std::accumulate(letters.begin(), letters.end(), std::int64_t{0});
    const auto most = std::ranges::max_element(letters);
    if (all > 0) {
      survey_.script = static_cast<text::Script>(most - letters.begin());
      survey_.script_fraction = static_cast<double>(*most) / static_cast<double>(all);
    }
    return survey_;
  }

 private:
  static constexpr std::size_t kMaxLength = 100'000;  // longer lines count as lines of this length

  const text::Tokenizer& tokenizer_;
  data::LineScanner scanner_;
  text::WordMap<std::int64_t> counts_;
  SideSurvey survey_;
  std::int64_t next_growth_ = 1;
};

// The sentences of a held-out set, and where they first occur in the training text.
class HeldOutIndex {
 public:
  // Reads the whole set.
  HeldOutIndex(const HeldOutFiles& files, const SurveyOptions& options) {
    data::PairReader reader(files.files);
    survey_.label = files.label;
    survey_.source_name = reader.name(data::Side::source);
    survey_.target_name = reader.name(data::Side::target);
    data::LineScanner scanner;
    const auto count = [](const text::Tokenizer& tokenizer, std::string_view line, text::WordMap<std::int64_t>& words) {
      const std::vector<text::Token> tokens = tokenizer.tokenize(line);
      for (const text::Token& token : tokens) ++words[token.text];
      return static_cast<std::int64_t>(tokens.size());
    };
    for (data::SentencePair pair; reader.next(pair);) {
      const data::LineTraits source = scanner.scan(pair.source), target = scanner.scan(pair.target);
      const LinePosition position{pair.line, pair.part};
      const Hashes& line = lines_.emplace_back(Line{hashes(source, target), position}).hashes;
      for (std::size_t k = 0; k < line.size(); ++k) occurrences_[k].try_emplace(line[k], Occurrence{position, 0});
      survey_.source_words += count(*options.source_tokenizer, pair.source, source_words_);
      survey_.target_words += count(*options.target_tokenizer, pair.target, target_words_);
    }
    // A line without letters or numbers is not a sign of leakage.
    for (Occurrences& occurrences : occurrences_) occurrences.erase(0);
    survey_.pairs = reader.pairs();
    survey_.notes = reader.notes();
    for (std::size_t part = 0; part < files.files.parts.size(); ++part)
      names_.push_back(reader.name(data::Side::source, part));
  }

  // The set's pair that shares a sentence with a training pair; null if there is none. Remembers the match.
  const LinePosition* match(const data::LineTraits& source, const data::LineTraits& target,
                            std::int64_t training_number) {
    const Hashes line = hashes(source, target);
    std::array<const LinePosition*, 3> matches{};
    for (std::size_t k = 0; k < line.size(); ++k) {
      const auto found = occurrences_[k].find(line[k]);
      if (found == occurrences_[k].end()) continue;
      if (found->second.training == 0) found->second.training = training_number;
      matches[k] = &found->second.position;
    }
    return matches[0] != nullptr ? matches[0] : matches[1];
  }
  const std::string& source_name(std::size_t part) const { return names_[part]; }
  // The cases have only the numbers of training pairs; the caller adds their lines.
  HeldOutSurvey finish(const SideCounter& source, const SideCounter& target, std::size_t cases) {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      std::array<std::int64_t, 3> training{};
      for (std::size_t k = 0; k < training.size(); ++k) {
        const auto found = occurrences_[k].find(lines_[i].hashes[k]);
        if (found != occurrences_[k].end()) training[k] = found->second.training;
      }
      const auto [s, t, p] = training;
      survey_.source_seen += s > 0;
      survey_.target_seen += t > 0;
      survey_.pair_seen += p > 0;
      if ((s > 0 || t > 0) && survey_.cases.size() < cases)
        survey_.cases.push_back({.number = static_cast<std::int64_t>(i) + 1,
                                 .line = lines_[i].position.line,
                                 .source_file = names_[lines_[i].position.part],
                                 .other_number = s > 0 ? s : t});
    }
    for (const auto& [word, count] : source_words_) survey_.source_unknown += source.knows(word) ? 0 : count;
    for (const auto& [word, count] : target_words_) survey_.target_unknown += target.knows(word) ? 0 : count;
    return survey_;
  }

 private:
  struct Occurrence {
    LinePosition position;      // the first in the set
    std::int64_t training = 0;  // number of the first pair in the training text; 0: none
  };
  using Occurrences = std::unordered_map<std::uint64_t, Occurrence>;
  // By kind: source, target, pair. 0: the line has no letters or numbers.
  using Hashes = std::array<std::uint64_t, 3>;
  static Hashes hashes(const data::LineTraits& source, const data::LineTraits& target) {
    const std::uint64_t s = source.folded_hash, t = target.folded_hash;
    return {s, t, combine(s, t)};
  }

  struct Line {
    Hashes hashes;
    LinePosition position;
  };

  HeldOutSurvey survey_;
  std::vector<std::string> names_;  // of the parts
  std::array<Occurrences, 3> occurrences_;
  std::vector<Line> lines_;
  text::WordMap<std::int64_t> source_words_, target_words_;
};

}  // namespace heed::survey
