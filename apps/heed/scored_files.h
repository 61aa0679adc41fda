// Shared by the commands that score: reading files of sentences, with notes about suspicious ones, and printing scores
// as tables and JSON.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "alignment/links.h"
#include "base/json.h"
#include "base/options.h"
#include "data/corpus.h"
#include "metrics/significance.h"
#include "translate/translator.h"

namespace heed::cli {

struct TextFile {
  std::string name;
  std::vector<std::string> lines;
  std::vector<std::string> notes;  // what is suspicious about it
  bool tokenized = false;          // looks tokenized: periods and commas are separate words
};
TextFile read_text(const std::string& path, Encoding encoding = Encoding::detect);

// --pairs, for commands that otherwise read two plain files.
struct PairFlags {
  std::vector<std::string> files;
  std::string columns;
  Encoding encoding = Encoding::detect;
};
// `instead`: the flags that --pairs replaces.
void declare(Options& options, PairFlags& flags, std::string_view instead);
// The languages of a model's configuration, or else of its training files; empty: not known.
data::Languages model_languages(const std::string& path);
data::Languages model_languages(const translate::Translator& translator);
// Prints a note if the endings of the files name the model's languages in the other order.
void note_reversed(const std::string& source, const std::string& target, const std::string& model);
// UsageError if the model `reverse`, with the languages `backward`, is known not to translate in the direction opposite
// to `forward`.
void check_reverse(const data::Languages& forward, const data::Languages& backward, const std::string& reverse);
// Source and target of all files.
std::vector<TextFile> read_pairs(const PairFlags& flags, const data::Languages& languages);

// Files given as arguments, instead of by the two `flags` or --pairs: none, two plain files, or one with both sides.
// UsageError for one plain file, and for both arguments and flags.
void take_files(std::span<const std::string> files, std::string& first, std::string& second, PairFlags& pairs,
                std::string_view flags);

// InputError with all counts if the files differ in their number of lines, or if they are empty.
struct LineCount {
  std::string name;
  std::size_t lines;
};
void check_lines(std::span<const LineCount> files);
void check_lines(std::span<const TextFile> files);
// InputError for a reference without words; adds a note about empty lines.
void check_reference(TextFile& file);
// Prints the notes to standard error; `if_tokenized` says what it means that a file looks tokenized.
void print_notes(std::span<const TextFile> files,
                 std::string_view if_tokenized = "its scores are not comparable with scores on plain text");

// Prints a note if no link uses word 0: the file then probably counts words from 1, and almost no link would match.
void note_base(const std::string& path, const char* flag, int base, std::span<const alignment::Alignment> links);
// Reads gold links and checks that there is one line per line of `beside`.
std::vector<alignment::Alignment> read_gold(const std::string& path, int base, const LineCount& beside);

// A progress bar that appears with the first call and disappears with the last.
std::function<void(std::size_t done, std::size_t all)> progress_bar(const std::string& label, const std::string& unit);

std::vector<double> sentence_scores(const metrics::CorpusScore& scored);
Json to_json(const metrics::CorpusScore& scored, bool sentence);
Json to_json(const metrics::Interval& interval);
// The difference of two systems, its interval and its p-values, with the signatures of both tests.
Json significance_json(const metrics::SystemComparison& result, const metrics::CorpusScore& scored,
                       const metrics::ResamplingOptions& options);
// Prints the scores, then the signatures.
void print_scores(const std::vector<metrics::CorpusScore>& all);

}  // namespace heed::cli
