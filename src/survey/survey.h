// Looking a corpus over before any training: what is in it, and what is wrong with it, by line. The corpus is read once
// for the numbers (some 40 bytes per pair and the distinct words stay in memory), and once more, where something was
// found or a cleaned copy is wanted, for the words of the first cases.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpus.h"
#include "survey/shifts.h"
#include "text/scripts.h"
#include "text/tokenizer.h"

namespace heed::survey {

// What can be wrong with a pair, in the order in which a cleaned copy names the reason for leaving it out.
enum class Problem : std::uint8_t {
  short_row,
  empty,
  bad_utf8,
  wrong_encoding,
  shifted,
  length_ratio,
  too_long,
  identical,
  other_script,
  leaked,
  duplicate,
  mixed_word,
  control,
};
inline constexpr std::size_t kProblems = 13;

struct ProblemKind {
  std::string_view key;   // in JSON
  std::string_view one;   // "pair with an empty side"
  std::string_view many;  // "pairs with an empty side"
  std::string_view none;  // "no empty sides"
  bool dropped;           // left out of a cleaned copy
};
// The one table, in the order of Problem.
std::span<const ProblemKind> problem_kinds();

struct SurveyCase {
  std::int64_t line = 0;
  std::int64_t other_line = 0;  // of the pair that it repeats, or of the held-out sentence; 0: none
  std::string other_file = {};  // of that line
  std::string source = {}, target = {};
  std::uint32_t source_odd_at = 0, target_odd_at = 0;  // the character to look at; 0: the line as a whole
};

struct Finding {
  std::int64_t count = 0;
  std::vector<SurveyCase> cases = {};  // the first few
};

struct SideSurvey {
  std::string name = {};  // the file
  std::int64_t words = 0, characters = 0;
  std::int64_t distinct = 0, once = 0;     // different words; those that occur once
  std::vector<std::int64_t> lengths = {};  // how many sentences have n words
  struct Growth {
    std::int64_t pairs, distinct;
  };
  std::vector<Growth> growth = {};  // different words in the first N pairs
  struct Coverage {
    double share;
    std::int64_t words;
  };
  std::vector<Coverage> coverage = {};    // the most frequent words that make up this share of the text
  text::Script script = text::kNoScript;  // of most letters
  double script_share = 0;
  data::BadUtf8 bad_utf8 = {};

  double mean_length() const;
  // The length in words that a share of the sentences does not exceed.
  std::int64_t length_quantile(double share) const;
};

// A validation or test set against the training text. Sentences are the same if their letters and numbers are.
struct HeldOutSurvey {
  std::string label = {};  // "valid", "test"
  std::string source_name = {}, target_name = {};
  std::int64_t pairs = 0;
  std::int64_t source_seen = 0, target_seen = 0, pair_seen = 0;  // sentences that occur in training
  std::int64_t source_words = 0, target_words = 0, source_unknown = 0, target_unknown = 0;  // words not in training
  std::vector<SurveyCase> cases = {};  // first seen: line here, other_line in training
};

struct Survey {
  std::int64_t pairs = 0, bytes = 0;
  SideSurvey source = {}, target = {};
  std::array<Finding, kProblems> findings = {};
  std::vector<Shift> shifts = {};
  double usual_ratio = 1;  // target characters per source character
  double ratio_limit = 1;  // how many times longer or shorter than usual is too much
  std::int64_t sources_with_several_targets = 0;
  std::vector<HeldOutSurvey> held_out = {};
  std::vector<std::uint16_t> flags = {};  // of each pair: bit p for problem p

  const Finding& finding(Problem problem) const { return findings[static_cast<std::size_t>(problem)]; }
  std::int64_t clean_pairs() const;  // that a cleaned copy keeps
};

struct HeldOutFiles {
  std::string label;
  data::CorpusFiles files;
};

struct SurveyOptions {
  const text::Tokenizer* source_tokenizer;
  const text::Tokenizer* target_tokenizer;
  std::int64_t max_words = 250;  // a longer side is a problem; 0: no limit
  std::size_t cases = 3;         // shown of each problem
  std::vector<HeldOutFiles> held_out = {};
  std::string clean_source = {}, clean_target = {};  // where a cleaned copy goes; empty: nowhere
  std::function<void(std::int64_t pairs, std::int64_t bytes)> on_progress = {};
};

// InputError as PairReader has them. Standard input is kept in temporary files for the second reading.
Survey survey_corpus(const data::CorpusFiles& files, const SurveyOptions& options);

// Why pairs were left out of a cleaned copy: for each problem the pairs for which it is the first reason.
std::array<std::int64_t, kProblems> drop_tally(const Survey& survey);

}  // namespace heed::survey
