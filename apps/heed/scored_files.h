// What the commands that score share: files of sentences with what is odd about them, and scores as people and programs
// read them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "alignment/links.h"
#include "base/json.h"
#include "metrics/significance.h"

namespace heed::cli {

struct TextFile {
  std::string name;
  std::vector<std::string> lines;
  std::vector<std::string> notes;  // what is odd about it
  bool tokenized = false;          // looks so: full stops and commas stand alone
};
TextFile read_text(const std::string& path);

// InputError with all counts where the files do not have equally many lines, and where they have none.
struct LineCount {
  std::string name;
  std::size_t lines;
};
void check_lines(std::span<const LineCount> files);
void check_lines(std::span<const TextFile> files);
// InputError for a reference without words; notes one that has empty lines.
void check_reference(TextFile& file);
// The notes on standard error; of a file that looks tokenized, what that means.
void print_notes(std::span<const TextFile> files,
                 std::string_view if_tokenized = "scores on it cannot be compared with those on plain text");

// Links that are there already, a line for each of the file that they belong to. Two files that count words from
// different numbers agree on hardly anything, and nothing else would tell: noted where no link has a word 0.
void note_base(const std::string& path, const char* flag, int base, std::span<const alignment::Alignment> links);
std::vector<alignment::Alignment> read_gold(const std::string& path, int base, const LineCount& beside);

// A bar that appears with the first call and goes with the last.
std::function<void(std::size_t done, std::size_t all)> progress_bar(const std::string& label, const std::string& unit);

std::vector<double> sentence_scores(const metrics::CorpusScore& scored);
Json to_json(const metrics::CorpusScore& scored, bool sentence);
// The difference of two systems and its p-values, with the signatures of both tests.
Json significance_json(const metrics::SystemComparison& result, const metrics::CorpusScore& scored,
                       const metrics::ResamplingOptions& options);
// The scores, then the signatures.
void print_scores(const std::vector<metrics::CorpusScore>& all);

}  // namespace heed::cli
