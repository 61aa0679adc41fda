// Word alignment: links between the words of sentences and of their translations.
//
//   const std::vector<heed::Alignment> links = heed::learn_alignments(sources, targets).links;
//
// Translator::align() in heed/translator.h finds links with the attention of a model. All functions are thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/settings.h"

namespace heed {

// Words are counted from 0.
struct Link {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  bool sure = true;  // false: a possible link, in gold alignments
};
using Alignment = std::vector<Link>;  // of one sentence pair

struct AlignOptions {
  bool pretokenized = false;  // words are separated by spaces; otherwise heed splits the text into words
  int threads = 0;            // 0: one per core
  // For links learned from the texts alone: two-letter codes, for the rules that split text into words.
  std::string source_language = {}, target_language = {};
  // For links from attention:
  double threshold = 0;  // minimum attention weight of a link
  bool shift = false;    // use the step after each word; only for models trained with training.guided_shift
  // Called from any thread, never from two at once. If it returns false, the rest of the pairs have no links.
  OnProgress on_progress = {};
};

struct Alignments {
  std::vector<Alignment> links;  // one per pair
  std::int64_t too_long = 0;     // pairs without links because a side has too many words
};

// Learns links from the two texts alone; a few thousand pairs are enough. Cannot be stopped by on_progress.
HEED_API Alignments learn_alignments(const std::vector<std::string>& sources, const std::vector<std::string>& targets,
                                     const AlignOptions& options = {});

// Combines the links of two directions, both with source words first: intersection, union, grow-diag, grow-diag-final
// or grow-diag-final-and.
HEED_API Alignment symmetrize_links(const Alignment& forward, const Alignment& backward,
                                    const std::string& method = "grow-diag-final");

// Links as text, "0-0 1p2", where p marks possible links. `base` is the number of the first word, 0 or 1.
HEED_API std::string format_links(const Alignment& links);
HEED_API Alignment parse_links(const std::string& line, int base = 0);

// In percent, over the whole corpus: the alignment error rate of Och and Ney (2003).
struct AlignmentScore {
  double precision = 0, recall = 0, error_rate = 0;
  std::int64_t links = 0, sure_links = 0, possible_links = 0;  // possible_links includes the sure ones
};
HEED_API AlignmentScore score_links(const std::vector<Alignment>& links, const std::vector<Alignment>& gold);

}  // namespace heed
