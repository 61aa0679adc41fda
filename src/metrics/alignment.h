// Word alignments as files have them, and their error rate (Och and Ney, 2003): against sure links S and possible ones
// P, of which the sure ones are a part, an alignment A has precision |A∩P| / |A|, recall |A∩S| / |S| and the error rate
// AER = 1 - (|A∩S| + |A∩P|) / (|A| + |S|), all counted over a whole corpus.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

// Words are counted from 0.
struct Link {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  bool sure = true;
  bool operator==(const Link&) const = default;
};
using Alignment = std::vector<Link>;  // of one sentence

// A line of Pharaoh format, links between white space: `0-1` a sure link of source word 0 and target word 1, `0p1` a
// possible one. In the text words are counted from `base`, 0 or 1. A link that is none, or that counts from less than
// the base, is an InputError that begins with `where`.
Alignment parse_alignment(std::string_view line, int base, std::string_view where);
// A line each; errors name file:line.
std::vector<Alignment> read_alignments(const std::string& path, int base);

// Whether no link of a corpus uses the first word of either side: it probably counts from another base.
bool skips_first_words(std::span<const Alignment> alignments);

// Counts over sentences. A link given twice counts once; given both ways, it is sure.
class AlignmentScore {
 public:
  // The hypothesis's links count whether marked sure or possible.
  void add(std::span<const Link> hypothesis, std::span<const Link> gold);

  // In percent; 0 where there is nothing to divide by (aer: 0 where neither side has a link).
  double precision() const;
  double recall() const;
  double aer() const;

  std::int64_t links() const { return links_; }
  std::int64_t sure_links() const { return sure_; }
  std::int64_t possible_links() const { return possible_; }  // the sure ones included

 private:
  std::int64_t links_ = 0, sure_ = 0, possible_ = 0, matched_sure_ = 0, matched_possible_ = 0;
};

}  // namespace heed
