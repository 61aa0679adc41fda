// Reading parallel text: two files with as many lines, or one file of columns between tabs (the manythings.org form,
// whose third column says who wrote what). Plain or gzip, a path or "-" for standard input, one pair at a time: memory
// does not grow with the corpus but for the length of each line of two files, 8 bytes per pair.
//
//   PairReader reader({.source = "train.de", .target = "train.en"});
//   for (SentencePair pair; reader.next(pair);) …
//
// Objects are owned by one thread at a time. What is wrong with a file is an InputError that names it and the line.
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
// "1,2" or "2,1"; a UsageError that names `flag` for anything that is not two different numbers from 1 to 1000.
TsvColumns parse_columns(std::string_view text, std::string_view flag = "--tsv-columns");

struct CorpusFiles {
  std::string source = {}, target = {};  // two files,
  std::string tsv = {};                  // or one
  TsvColumns columns = {};
  bool strict = false;           // bad UTF-8 is an error; else it is replaced by U+FFFD and counted
  bool keep_short_rows = false;  // a TSV line with too few columns is a pair with the missing sides empty, not an error

  // Then the text can be read once only.
  bool reads_standard_input() const { return source == "-" || target == "-" || tsv == "-"; }
};

struct SentencePair {
  std::string source, target;  // valid UTF-8
  std::int64_t line = 0;       // in both files, counted from 1
  bool short_row = false;      // a TSV line that had too few columns
  bool bad_utf8 = false;       // there is a U+FFFD for what was none
};

enum class Side : std::uint8_t { source, target };

// Bad UTF-8 met so far: in how many lines of a side, and the first.
struct BadUtf8 {
  std::int64_t lines = 0, bytes = 0, first_line = 0;
};

class PairReader {
 public:
  // UsageError if the files do not make a corpus (neither or both kinds named, standard input named twice).
  explicit PairReader(CorpusFiles files);

  // The next pair; false at the end. InputError at the end of two files whose line counts differ, with both counts and
  // the place where they most likely slipped apart; for a corpus without a line; for a TSV line with too few columns.
  bool next(SentencePair& pair);

  std::int64_t pairs() const { return pairs_; }
  std::int64_t bytes() const { return bytes_; }  // of text, unpacked, line ends not counted
  const BadUtf8& bad_utf8(Side side) const { return side == Side::source ? bad_source_ : bad_target_; }
  // For messages: "train.de", "train.de:17".
  const std::string& name(Side side) const;
  std::string where(Side side, std::int64_t line) const;

 private:
  bool next_two(SentencePair& pair);
  bool next_row(SentencePair& pair);
  bool is_good_text(Side side, std::string& text, std::int64_t line);
  [[noreturn]] void report_slip(bool source_goes_on);

  CorpusFiles files_;
  std::unique_ptr<LineReader> first_, second_;  // first_ alone: TSV
  std::string row_;
  std::vector<std::uint32_t> source_lengths_, target_lengths_;
  BadUtf8 bad_source_, bad_target_;
  std::int64_t pairs_ = 0, bytes_ = 0;
};

// Where two sides that should have as many lines went apart, guessed from the lengths of their lines: the first line
// (counted from 1) of the shorter side behind which the longer one has lines that fit nothing. One past the end of the
// shorter side where its end is most likely what is missing. Takes time in proportion to the lines and, up to a
// hundred, to the difference.
std::int64_t find_slip(std::span<const std::uint32_t> source_lengths, std::span<const std::uint32_t> target_lengths);

// Which pairs are used. Words are what the tokenizer makes of a line; prefixes are looked for in normalized text.
struct PairSelection {
  std::int64_t max_words = 0;                                           // on each side; 0: any number
  std::vector<std::string> source_prefixes = {}, target_prefixes = {};  // begins with one of these; none: with anything
  std::int64_t pairs = 0;   // of those that pass the rest, the first ones; 0: all
  bool keep_empty = false;  // pairs of which a side has no word
};

enum class Verdict : std::uint8_t { kept, empty, too_long, other_prefix };

// What became of the pairs that were read.
struct SelectionTally {
  std::int64_t read = 0, kept = 0, empty = 0, too_long = 0, other_prefix = 0;
  void add(Verdict verdict);
};

Verdict judge_words(const PairSelection& selection, std::size_t source_words, std::size_t target_words);
// Of normalized text.
Verdict judge_prefixes(const PairSelection& selection, std::string_view source, std::string_view target);

}  // namespace heed::data
