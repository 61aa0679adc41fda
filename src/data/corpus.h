// Reads parallel text: two files with the same number of lines, or one file of tab-separated columns (as from
// manythings.org, whose third column is the attribution). Plain or gzip, a path or "-" for standard input. Reads one
// pair at a time; for two files, the lengths of all lines are kept (8 bytes per pair).
//
//   PairReader reader({.source = "train.de", .target = "train.en"});
//   for (SentencePair pair; reader.next(pair);) …
//
// Not thread-safe. A defect of a file is an InputError that names the file and the line.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace heed::data {

// Columns of a TSV file, counted from 1.
struct TsvColumns {
  int source = 1, target = 2;
};
// From "1,2". A UsageError that names `flag` unless these are two different numbers from 1 to 1000.
TsvColumns parse_columns(std::string_view text, std::string_view flag = "--tsv-columns");

struct CorpusFiles {
  std::string source = {}, target = {};  // either both of these
  std::string tsv = {};                  // or this
  TsvColumns columns = {};
  bool strict = false;           // invalid UTF-8 is an error; otherwise it is replaced by U+FFFD and counted
  bool keep_short_rows = false;  // a TSV line with too few columns is a pair with empty sides, not an error
  double weight = 1;             // SentencePair::weight of every pair
  std::string flag_prefix = {};  // for messages: "train" if the files are given by --train-source and so on

  // If so, the text can be read only once.
  bool reads_standard_input() const { return source == "-" || target == "-" || tsv == "-"; }
};

struct SentencePair {
  std::string source, target;  // valid UTF-8
  std::int64_t line = 0;       // in both files, counted from 1
  bool short_row = false;      // a TSV line that had too few columns
  bool bad_utf8 = false;       // invalid bytes were replaced by U+FFFD
  double weight = 1;           // how often the pair is trained on per epoch, on average
};

enum class Side : std::uint8_t { source, target };

// Invalid UTF-8 on one side so far: the number of lines and bytes, and the first line.
struct BadUtf8 {
  std::int64_t lines = 0, bytes = 0, first_line = 0;
};

class PairReader {
 public:
  // UsageError if the files are not a corpus (no files, both kinds of files, standard input twice).
  explicit PairReader(CorpusFiles files);

  // Reads the following pair; false at the end. InputError if two files have different numbers of lines (with both
  // numbers and, unless these are far apart, the line where they most likely went out of step), if the corpus is empty,
  // and for a TSV line with too few columns.
  bool next(SentencePair& pair);

  std::int64_t pairs() const { return pairs_; }
  std::int64_t bytes() const { return bytes_; }  // of uncompressed text without line ends
  const BadUtf8& bad_utf8(Side side) const { return side == Side::source ? bad_source_ : bad_target_; }
  const std::string& name(Side side) const;  // of the file, for messages

 private:
  bool next_two(SentencePair& pair);
  bool next_row(SentencePair& pair);
  bool repair_utf8(Side side, std::string& text, std::int64_t line);
  [[noreturn]] void report_slip(bool source_longer);

  CorpusFiles files_;
  std::unique_ptr<LineReader> first_, second_;  // first_ only: TSV
  std::string row_;
  std::vector<std::uint32_t> source_lengths_, target_lengths_;
  BadUtf8 bad_source_, bad_target_;
  std::int64_t pairs_ = 0, bytes_ = 0;
};

// Where two sides with different numbers of lines went out of step, guessed from the lengths of the lines: the first
// line (counted from 1) of the shorter side at which the longer side has additional lines; one past the end of the
// shorter side if most likely its end is missing. Takes time proportional to the number of lines and to the difference
// up to 100.
std::int64_t find_slip(std::span<const std::uint32_t> source_lengths, std::span<const std::uint32_t> target_lengths);

// The logarithm of each length, softened so that a few characters do not matter in short lines.
std::vector<float> log_lengths(std::span<const std::uint32_t> lengths);

// The part of a corpus that each pair belongs to, by its index; split.h decides. Pairs after the end are in no part.
using PairParts = std::vector<std::uint8_t>;
inline constexpr std::uint8_t kTrainingPart = 0;  // the others are held out
inline constexpr std::uint8_t kNoPart = 255;      // filtered, or a duplicate of held-out text

// Which pairs are used. Words are the tokenizer's tokens; prefixes apply to normalized text.
struct PairSelection {
  std::int64_t max_words = 0;  // on each side; 0: no limit
  std::vector<std::string> source_prefixes = {},
                           target_prefixes = {};  // a line begins with one of these; empty: any line
  std::int64_t pairs = 0;                         // stop after this number of selected pairs; 0: no limit
  bool keep_empty = false;                        // keep pairs that have a side without words
  const PairParts* parts = nullptr;               // null: all pairs are in the training part
  std::uint8_t part = kTrainingPart;

  // Whether the pair with this index, counted from 0, is in the part. Only such pairs are judged and counted.
  bool has(std::int64_t index) const {
    return parts == nullptr || (index < std::ssize(*parts) && (*parts)[static_cast<std::size_t>(index)] == part);
  }
};

enum class Verdict : std::uint8_t { kept, empty, too_long, other_prefix };

// How many pairs were read, and how many got each verdict.
struct SelectionTally {
  std::int64_t read = 0, kept = 0, empty = 0, too_long = 0, other_prefix = 0;
  void add(Verdict verdict);
};

Verdict judge_words(const PairSelection& selection, std::size_t source_words, std::size_t target_words);
// Takes normalized text.
Verdict judge_prefixes(const PairSelection& selection, std::string_view source, std::string_view target);

}  // namespace heed::data
