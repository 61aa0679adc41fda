// What a survey counts while it reads: the words of a side, and what of held-out text turns up. Internal to the survey.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "survey/line_traits.h"
#include "survey/survey.h"
#include "text/vocabulary.h"

namespace heed::survey {

// One side of the training text.
class SideCounter {
 public:
  explicit SideCounter(const text::Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  // Returns the words of the line.
  std::size_t add(std::string_view line, const LineTraits& traits);
  LineTraits scan(std::string_view line) { return scanner_.scan(line); }
  bool knows(std::string_view word) const { return counts_.find(word) != counts_.end(); }
  SideSurvey finish();

 private:
  void note_growth();

  const text::Tokenizer& tokenizer_;
  LineScanner scanner_;
  text::WordMap<std::int64_t> counts_;
  SideSurvey survey_;
  std::int64_t lines_ = 0, next_growth_ = 1;
};

// The sentences of a held-out set, and where the training text has them first.
class HeldOutIndex {
 public:
  // Reads the whole set.
  HeldOutIndex(const HeldOutFiles& files, const SurveyOptions& options);

  // Whether the set has either sentence of a training pair; and if, a line of the set that does.
  std::int64_t meet(const LineTraits& source, const LineTraits& target, std::int64_t training_line);
  const std::string& source_name() const { return survey_.source_name; }
  HeldOutSurvey finish(const SideCounter& source, const SideCounter& target, std::size_t cases);

 private:
  struct Place {
    std::int64_t line = 0;      // here, the first
    std::int64_t training = 0;  // there, the first; 0: nowhere
  };
  using Places = std::unordered_map<std::uint64_t, Place>;
  struct Line {
    std::uint64_t source, target, pair;
  };
  static std::uint64_t pair_hash(const LineTraits& source, const LineTraits& target);
  static std::int64_t meet_one(Places& places, std::uint64_t hash, std::int64_t training_line);

  HeldOutSurvey survey_;
  Places sources_, targets_, pairs_;
  std::vector<Line> lines_;
  text::WordMap<std::int64_t> source_words_, target_words_;
};

}  // namespace heed::survey
