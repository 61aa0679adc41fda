// The alignment error rate (Och and Ney, 2003) of an alignment A, given the sure links S and the possible links P ⊇ S:
//   precision = |A∩P| / |A|,   recall = |A∩S| / |S|,   AER = 1 - (|A∩S| + |A∩P|) / (|A| + |S|),
// with all counts over the whole corpus.
#pragma once

#include <cstdint>
#include <span>

#include "alignment/links.h"

namespace heed::alignment {

// Sums over sentences. A duplicate link counts once, as sure if any of the duplicates is.
class AlignmentScore {
 public:
  // All links of the hypothesis count, whether marked sure or possible.
  void add(std::span<const Link> hypothesis, std::span<const Link> gold);

  // In percent; 0 if the denominator is 0.
  double precision() const;
  double recall() const;
  double aer() const;

  std::int64_t links() const { return links_; }
  std::int64_t sure_links() const { return sure_; }
  std::int64_t possible_links() const { return possible_; }  // including the sure ones

 private:
  std::int64_t links_ = 0, sure_ = 0, possible_ = 0, matched_sure_ = 0, matched_possible_ = 0;
};

// The score of a corpus. InputError if the numbers of sentences differ or the gold has no links.
AlignmentScore score_alignments(std::span<const Alignment> hypothesis, std::span<const Alignment> gold);

}  // namespace heed::alignment
