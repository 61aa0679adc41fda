// Reads parallel text: a corpus is a list of parts, each of them two plain files with the same number of lines, or one
// file that holds both sides (TSV, CSV, TMX, XLIFF, PO, JSON Lines: data/formats). Every file may be compressed, and in
// another encoding (base/byte_source.h); "-" is standard input. Reads one pair at a time; for two plain files, the
// lengths of all lines are kept (8 bytes per pair).
//
//   PairReader reader({.parts = {{.source = "train.de", .target = "train.en"}, {.file = "more.tmx"}}});
//   for (SentencePair pair; reader.next(pair);) …
//
// Not thread-safe. A defect of a file is an InputError that names the file and the line.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace heed::data {

// A column of a table or a key of an object: by number, counted from 1, or by name.
struct Column {
  int number = 0;
  std::string name = {};
};
struct Columns {
  Column source = {}, target = {};
  bool given() const { return source.number > 0 || !source.name.empty(); }
};
// From "1,2" or "de,en"; neither is given if the text is empty. UsageError, which names `flag`, unless these are two
// different columns, with numbers from 1 to 1000.
Columns parse_columns(std::string_view text, std::string_view flag = "--columns");
// UsageError if there are columns, but all of the files, each FILE or FILE:WEIGHT, are plain text.
void refuse_columns_without_table(std::string_view columns, std::span<const std::string> files);
// Throws the InputError for a table without these columns; `columns` is the number it has.
[[noreturn]] void fail_without_columns(const Columns& wanted, std::string_view name, std::size_t columns);
inline constexpr std::string_view kColumnsHelp =
    "source and target column of tables, as numbers or names, such as 1,2 or de,en; default: those named in the "
    "header, or else the first two";

// The languages of the two sides, as tags or names; empty: not known.
struct Languages {
  std::string source = {}, target = {};
  // Taken from the endings of file names: they decide the order of the sides in a file that names both languages, but
  // do not select text.
  bool guessed = false;
  std::string why = {};  // for a note: the reason for them, if the user did not request them

  bool asked() const { return !guessed && (!source.empty() || !target.empty()); }
};

// The largest weight of a part of a corpus. The weight is how often its pairs are trained on per epoch, on average.
inline constexpr double kMaxWeight = 1000;

struct CorpusPart {
  std::string source = {}, target = {};  // either both of these
  std::string file = {};                 // or this
  std::string format = {};               // of `file`: a name of corpus_formats(); empty: detected
  double weight = 1;
  bool any_order = false;  // `source` and `target` are swapped if their endings name the languages in reverse
};

struct CorpusFiles {
  std::vector<CorpusPart> parts = {};
  std::vector<std::string> notes = {};  // for the user, from list_corpus()
  Columns columns = {};      // of tables and JSON Lines; not given: found by their names, or else the first two
  Languages languages = {};  // of the sides: in a file that names languages, they select the text and its direction
  Encoding encoding = Encoding::detect;
  bool strict = false;           // invalid UTF-8 is an error; otherwise it is replaced by U+FFFD and counted
  bool keep_short_rows = false;  // a table row with too few columns is a pair with empty sides, not an error

  // UsageError if this is not a corpus: no parts, a part with one side only, standard input twice.
  void check() const;
  // If so, the text can be read only once: see data/spool.h.
  bool reads_standard_input() const;
};

// The files of a corpus as the flags of a command give them. `flag` is for messages: "train" for --train and
// --train-source; empty if the files are arguments.
struct CorpusFlags {
  std::vector<std::string> files = {};  // FILE or FILE:WEIGHT of any format; plain files in pairs
  std::vector<std::string> sources = {}, targets = {}, tables = {};  // plain files, and files of TSV
  std::string flag = {};
  Languages languages = {};
  std::string columns = {};  // for parse_columns()
  Encoding encoding = Encoding::detect;
  bool lone_file_is_table = false;  // a single plain file is TSV

  bool empty() const;
};
// The parts are in this order: files, sources with targets, tables. Empty names are left out. A plain pair among
// `files` whose names end in the languages' codes in the other order is swapped, with a note; if no languages are
// given, the endings of the first source and its target are used. UsageError if nothing is left, if a plain file has no
// other side, for a weight that is not above 0 and at most kMaxWeight, and as parse_columns().
CorpusFiles list_corpus(const CorpusFlags& flags);
// PairReader::languages() of the whole corpus, but reads only the first pair of each part. InputError as PairReader.
Languages corpus_languages(CorpusFiles files);
// "a.tsv" for "a.tsv:3", unless a file has that full name.
std::string without_weight(const std::string& file);
// The same for Option::reads().
inline std::vector<std::string> weighted_file(const std::string& file) {
  return {without_weight(file)};
}

struct SentencePair {
  std::string source, target;  // valid UTF-8
  std::int64_t number = 0;     // in the corpus, counted from 1
  std::int64_t line = 0;       // in the part's files, counted from 1: where the pair starts
  std::size_t part = 0;        // in CorpusFiles::parts
  std::size_t short_row = 0;   // the number of columns of a table row that has too few; 0: it has enough
  bool bad_utf8 = false;       // invalid bytes were replaced by U+FFFD
  double weight = 1;           // how often the pair is trained on per epoch, on average
};

enum class Side : std::uint8_t { source, target };

// Invalid UTF-8 on one side so far: the number of lines and bytes, and the first line with its file.
struct BadUtf8 {
  std::int64_t lines = 0, bytes = 0, first_line = 0;
  std::string first_file = {};
};

class PairSource;      // data/formats/format.h
struct FormatOptions;  // the same

class PairReader {
 public:
  // Opens the first part. UsageError as CorpusFiles::check().
  explicit PairReader(CorpusFiles files);
  ~PairReader();

  // Reads the following pair; false at the end. InputError if two files have different numbers of lines (with both
  // numbers and, unless these are far apart, the line where they most likely went out of step), if a part is empty or
  // lacks one of the languages, for a table row with too few columns, and for malformed files.
  bool next(SentencePair& pair);

  std::int64_t pairs() const { return pairs_; }
  std::int64_t bytes() const { return bytes_; }  // of text on both sides
  const BadUtf8& bad_utf8(Side side) const { return side == Side::source ? bad_source_ : bad_target_; }
  // For messages: the file of a part, or of the whole corpus ("train.de", or "train.de and 2 more").
  std::string name(Side side, std::size_t part) const;
  std::string name(Side side) const;
  // The requested languages, or else those of the first part that names them, or else the endings of plain files. Parts
  // that name the same languages in the other order are swapped, with a note.
  Languages languages() const;
  // For the user, about what was read so far: encodings, languages, what was skipped.
  std::vector<std::string> notes() const;

 private:
  void open_part();
  FormatOptions options(const Languages& languages) const;
  void orient_plain(CorpusPart& part);
  bool first_of_part(SentencePair& pair);
  bool next_of_part(SentencePair& pair);
  void finish_part();
  bool repair_utf8(Side side, std::string& text, const SentencePair& pair);

  CorpusFiles files_;
  bool asked_;  // whether the user named languages
  std::size_t part_ = 0;
  std::unique_ptr<PairSource> source_;
  std::int64_t part_pairs_ = 0;
  BadUtf8 bad_source_, bad_target_;
  std::int64_t pairs_ = 0, bytes_ = 0;
  std::vector<std::string> notes_;
  // Parts: the first one that named the languages, and the first one whose languages are not known.
  std::optional<std::size_t> named_by_, unnamed_;
};

// Whether a file holds parallel text: by the ending of its name, or else by its first bytes.
bool looks_like_corpus(const std::string& path);

// Where two sides with different numbers of lines went out of step, guessed from the lengths of the lines: the first
// line (counted from 1) of the shorter side at which the longer side has additional lines; one past the end of the
// shorter side if most likely its end is missing. Takes time proportional to the number of lines, times the difference
// unless that is over 100.
std::int64_t find_slip(std::span<const std::uint32_t> source_lengths, std::span<const std::uint32_t> target_lengths);

// The logarithm of each length plus a constant, so that a few characters do not matter in short lines.
std::vector<float> log_lengths(std::span<const std::uint32_t> lengths);

// The part of a split (split.h) that each pair belongs to, by its index. Pairs beyond the end are in no part.
using PairParts = std::vector<std::uint8_t>;
inline constexpr std::uint8_t kTrainingPart = 0;  // the others are held out
inline constexpr std::uint8_t kNoPart = 255;      // filtered, or a duplicate of held-out text

// Which pairs are used. Words are the tokenizer's tokens; prefixes apply to normalized text.
struct PairSelection {
  std::int64_t max_words = 0;  // on each side; 0: no limit
  std::vector<std::string> source_prefixes = {},
                           target_prefixes = {};  // lines must begin with one of these; empty: any line
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
