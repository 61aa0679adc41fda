// The formats of parallel text. A format is a file in this folder, with a class that reads pairs, and a row in the
// table of formats.cpp.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "data/corpus.h"

namespace heed::data {

// How to read a file.
struct FormatOptions {
  Columns columns = {};
  Languages languages = {};
  Encoding encoding = Encoding::detect;
  bool keep_short_rows = false;
};

// The pairs of one part of a corpus, in its order.
class PairSource {
 public:
  virtual ~PairSource() = default;
  // Sets source, target and line, and short_row if it is not 0; false at the end. A side is one line.
  virtual bool next(SentencePair& pair) = 0;
  // For the user, about what was read so far.
  virtual std::vector<std::string> notes() const = 0;
  // The languages that the file names, as far as it was read.
  virtual Languages languages() const { return {}; }
  // Whether the file says which side has which language; valid after the first pair.
  virtual bool names_languages() const { return true; }
};

// Pairs from a single file. Counts what is skipped.
class FileSource : public PairSource {
 public:
  std::vector<std::string> notes() const override;
  Languages languages() const override { return found_; }

 protected:
  explicit FileSource(FormatOptions options) : options_(std::move(options)) {}
  // Stores the languages that the file names, with a note unless both were requested.
  void choose_languages(Languages found, std::string_view why);

  // ByteSource::note(), so far.
  virtual std::string encoding_note() const { return {}; }

  std::int64_t one_sided_ = 0, fuzzy_ = 0;
  std::string name_;
  FormatOptions options_;
  Languages found_;

 private:
  std::string language_note_;
};

// The columns of a table, decided by its first row; numbers from 1.
struct TableColumns {
  int source = 1, target = 2;
  bool has_header = false;
  Languages found = {};
  bool odd_header = false;  // the first row looks like a header, but does not name the two sides
};

// Pairs from the rows of a table.
class TableSource : public FileSource {
 public:
  std::vector<std::string> notes() const override;
  bool names_languages() const override { return !columns_.found.source.empty(); }

 protected:
  using FileSource::FileSource;
  // Chooses the columns; returns whether the first row is a header, and not a pair.
  bool take_header(std::span<const std::string> first_row);
  // Sets pair.short_row; InputError unless FormatOptions::keep_short_rows.
  void take_short_row(SentencePair& pair, std::size_t columns, std::string_view separator) const;
  // Called for every pair, but looks only at the first rows: InputError if a column that the user did not choose has
  // only numbers or ids; a first row that is unlike the others may be a header.
  void check_row(const SentencePair& pair);
  // The same at the end of a file, for one with few rows; always returns false.
  bool check_columns();

  TableColumns columns_;

 private:
  std::vector<std::string> doubtful_row_;  // the first row, until both columns are known to have words
  int rows_ = 0;                           // at most a few are counted
  bool has_short_start_ = false;           // the first row has single words, and all others so far have sentences
  bool has_words_[2] = {};
};

struct CorpusFormat {
  std::string_view name;
  std::span<const std::string_view> endings;  // of file names, in lower case
  bool (*sniff)(std::string_view sample);     // whether text that starts like this has the format
  std::unique_ptr<PairSource> (*open)(std::unique_ptr<ByteSource> bytes, const FormatOptions& options);
};
std::span<const CorpusFormat> corpus_formats();
// By its name in the table; null if there is none.
const CorpusFormat* find_format(std::string_view name);
// The format of a file: by the ending of its name without .gz and the like; a regular file with no ending, or an
// ambiguous one (.txt, .json, .xml), is opened and sniffed. Null: plain text.
const CorpusFormat* detect_format(const std::string& path);
const CorpusFormat* sniff_format(std::string_view sample);

// The factories of the formats, each in the file of its name; two_files.cpp reads two plain files.
std::unique_ptr<PairSource> open_two_files(const CorpusPart& part, const FormatOptions& options);
std::unique_ptr<PairSource> open_tsv(std::unique_ptr<ByteSource> bytes, const FormatOptions& options);
std::unique_ptr<PairSource> open_csv(std::unique_ptr<ByteSource> bytes, const FormatOptions& options);
std::unique_ptr<PairSource> open_jsonl(std::unique_ptr<ByteSource> bytes, const FormatOptions& options);
std::unique_ptr<PairSource> open_po(std::unique_ptr<ByteSource> bytes, const FormatOptions& options);
std::unique_ptr<PairSource> open_tmx(std::unique_ptr<ByteSource> bytes, const FormatOptions& options);
std::unique_ptr<PairSource> open_xliff(std::unique_ptr<ByteSource> bytes, const FormatOptions& options);

// White space with a line end becomes one space, or nothing at the start and the end of the text.
void join_lines(std::string& text);
bool has_text(std::string_view text);  // anything but white space

// The positions of the two sides among the languages that a file names; of several variants of a language, exactly the
// wanted one, or else the first. A side without a wanted language is the only other language, if there is just one; if
// neither has one, the source is the first language.
struct TwoSides {
  std::size_t source, target;
  Languages languages = {};  // of find_columns(): empty if the names are words for source and target
};
std::optional<TwoSides> find_languages(std::span<const std::string> tags, const Languages& wanted);

// The same among the names of columns or keys: language codes or names in any language, or words for source and target;
// or else names with a language as one of their words.
std::optional<TwoSides> find_columns(std::span<const std::string> names, const Languages& wanted);
// The languages of two columns that the user chose, if their names are languages. InputError if the pairs should go the
// other way.
Languages chosen_languages(const std::string& source, const std::string& target, const FormatOptions& options,
                           const std::string& name);

TableColumns choose_columns(std::span<const std::string> first_row, const FormatOptions& options,
                            const std::string& name);

// "de, en and fr", for messages.
std::string listed(std::span<const std::string> names);
// "from German (de) to English (en)".
std::string describe(const Languages& languages);
// For messages.
inline constexpr std::string_view kSetLanguages = "set --source-language and --target-language";

// The languages of train.de and train.en.gz; empty unless both names end in one, and not in the same.
Languages ending_languages(const CorpusPart& part);
// Whether languages that a part names are the known ones in the other order; an empty one agrees with everything.
bool are_reversed(const Languages& named, const Languages& known);
// Swaps source and target; returns a note for the user.
std::string swap_sides(CorpusPart& part, const Languages& known);

}  // namespace heed::data
