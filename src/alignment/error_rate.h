// The error rate of word alignments (Och and Ney, 2003): against sure links S and possible ones P, of which the sure
// ones are a part, an alignment A has precision |A∩P| / |A|, recall |A∩S| / |S| and the error rate AER = 1 - (|A∩S| +
// |A∩P|) / (|A| + |S|), all counted over a whole corpus.
#pragma once

#include <cstdint>
#include <span>

#include "alignment/links.h"

namespace heed::alignment {

// Counts over sentences. A link given twice counts once; given both ways, it is sure.
class AlignmentScore {
 public:
  // The hypothesis's links count whether marked sure or possible.
  void add(std::span<const Link> hypothesis, std::span<const Link> gold);

  // In percent; 0 if there is nothing to divide by (aer: 0 if neither side has a link).
  double precision() const;
  double recall() const;
  double aer() const;

  std::int64_t links() const { return links_; }
  std::int64_t sure_links() const { return sure_; }
  std::int64_t possible_links() const { return possible_; }  // the sure ones included

 private:
  std::int64_t links_ = 0, sure_ = 0, possible_ = 0, matched_sure_ = 0, matched_possible_ = 0;
};

// Of a whole corpus. InputError with both counts if they differ, and if the gold has no link.
AlignmentScore score_alignments(std::span<const Alignment> hypothesis, std::span<const Alignment> gold);

}  // namespace heed::alignment
