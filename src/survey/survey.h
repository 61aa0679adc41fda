// Examines a corpus before training: statistics, and problems by line. The corpus is read once for the numbers (about
// 64 bytes per pair and the distinct words stay in memory), and a second time for the text of the examples and for a
// cleaned copy, if there are problems or a copy is requested.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpus.h"
#include "data/pair_writer.h"
#include "survey/shifts.h"
#include "text/scripts.h"
#include "text/tokenizer.h"

namespace heed::survey {

// Problems of a pair. A pair that is dropped for several problems is counted under the first.
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
  numbers,
  near_duplicate,
};
inline constexpr std::size_t kProblems = 15;

// A set of problems, bit p for problem p.
using ProblemSet = std::uint16_t;
constexpr ProblemSet bit(Problem problem) {
  return static_cast<ProblemSet>(1U << static_cast<unsigned>(problem));
}

struct ProblemKind {
  std::string_view key;   // for JSON
  std::string_view one;   // "pair with an empty side"
  std::string_view many;  // "pairs with an empty side"
  std::string_view none;  // "no empty sides"
  bool dropped;           // dropped from a cleaned copy, even if no filter says so
};
// In the order of Problem.
extern const std::span<const ProblemKind> kProblemKinds;
ProblemSet usually_dropped();

// Filters of `heed train` and `heed data`: each drops the pairs with some of the problems.
enum class Filter : std::uint8_t { length_ratio, identical, script, numbers, duplicates, near_duplicates };
std::vector<std::string> enum_names(Filter);
ProblemSet problems_of(std::span<const Filter> filters);

struct SurveyCase {
  std::int64_t number = 0;  // of the pair, counted from 1
  std::int64_t line = 0;    // in these files
  std::string source_file = {}, target_file = {};
  std::int64_t other_number = 0;  // of a pair of the training text; 0: none
  std::int64_t other_line = 0;    // of the original of a duplicate, or of the held-out sentence; 0: none
  std::string other_file = {};    // the file of other_line
  std::string source = {}, target = {};
  std::uint32_t source_odd_at = 0, target_odd_at = 0;  // LineTraits::odd_at; 0 if there is none
};

struct Finding {
  std::int64_t count = 0;
  std::vector<SurveyCase> cases = {};  // the first few
};

struct SideSurvey {
  std::string name = {};  // the file
  std::int64_t sentences = 0, words = 0, characters = 0;
  std::int64_t distinct = 0, once = 0;     // distinct words; those that occur once
  std::vector<std::int64_t> lengths = {};  // [n]: number of sentences with n words
  struct Growth {
    std::int64_t pairs, distinct;
  };
  std::vector<Growth> growth = {};  // distinct words in the first N pairs
  struct Coverage {
    double fraction;
    std::int64_t words;
  };
  std::vector<Coverage> coverage = {};    // how many of the most frequent words make up this fraction of the text
  text::Script script = text::kNoScript;  // that most of the letters belong to
  double script_fraction = 0;             // of these among all letters
  data::BadUtf8 bad_utf8 = {};

  double mean_length() const { return sentences > 0 ? static_cast<double>(words) / static_cast<double>(sentences) : 0; }
  // The smallest length in words that this fraction of the sentences does not exceed.
  std::int64_t length_quantile(double fraction) const;
};

// A validation or test set compared with the training text. Sentences match if their case-folded letters and numbers
// do.
struct HeldOutSurvey {
  std::string label = {};  // "validation", "testing"
  std::string source_name = {}, target_name = {};
  std::int64_t pairs = 0;
  std::int64_t source_seen = 0, target_seen = 0, pair_seen = 0;  // sentences that occur in training
  std::int64_t source_words = 0, target_words = 0, source_unknown = 0, target_unknown = 0;  // unknown: not in training
  std::vector<SurveyCase> cases = {};   // the first matches: line in this set, other_line in training
  std::vector<std::string> notes = {};  // PairReader::notes()
};

struct Survey {
  std::int64_t pairs = 0, bytes = 0;
  SideSurvey source = {}, target = {};
  std::array<Finding, kProblems> findings = {};
  std::vector<Shift> shifts = {};
  double usual_ratio = 1;  // target characters per source character
  double ratio_limit = 1;  // a ratio that differs from the usual one by more than this factor is a problem
  std::int64_t sources_with_several_targets = 0;
  std::vector<HeldOutSurvey> held_out = {};
  std::vector<ProblemSet> flags = {};      // the problems of each pair
  ProblemSet dropped = usually_dropped();  // a pair with one of these is not in a cleaned copy
  std::vector<std::string> notes = {};     // for the user: PairReader::notes() of all texts

  Finding& finding(Problem problem) { return findings[static_cast<std::size_t>(problem)]; }
  const Finding& finding(Problem problem) const { return findings[static_cast<std::size_t>(problem)]; }
  bool is_clean(std::size_t pair) const { return (flags[pair] & dropped) == 0; }
  std::int64_t clean_pairs() const;
};

struct HeldOutFiles {
  std::string label;
  data::CorpusFiles files;
};

struct SurveyOptions {
  const text::Tokenizer* source_tokenizer;
  const text::Tokenizer* target_tokenizer;
  std::int64_t max_words = 250;  // of a side; 0: no limit
  std::size_t cases = 3;         // examples per problem
  bool case_texts = true;        // with their text, which takes a second pass over the corpus
  std::vector<HeldOutFiles> held_out = {};
  data::PairFiles clean = {};              // files of the cleaned copy; empty: none
  ProblemSet dropped = usually_dropped();  // pairs with one of these are left out of it
  // "de"; empty: unknown. A line in a script of its language never has Problem::other_script.
  std::string source_language = {}, target_language = {};
  std::function<void(std::int64_t pairs, std::int64_t bytes)> on_progress = {};
};

// InputError as PairReader. UsageError for standard input, which cannot be read twice: see data/spool.h.
Survey survey_corpus(const data::CorpusFiles& files, const SurveyOptions& options);

// For each problem, the number of pairs dropped from a cleaned copy because of it; only a pair's first problem counts.
std::array<std::int64_t, kProblems> drop_tally(const Survey& survey);

}  // namespace heed::survey
