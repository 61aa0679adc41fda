// Word alignments: which words of a sentence and of its translation correspond, in memory and in Pharaoh format.
// Functions without state.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/options.h"

namespace heed::alignment {

// Words are counted from 0.
struct Link {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  bool sure = true;
  std::pair<std::uint32_t, std::uint32_t> words() const { return {source, target}; }
  bool operator==(const Link&) const = default;
};
using Alignment = std::vector<Link>;  // of one sentence

// Parses a line of links separated by white space: `0-1` is a sure link of source word 0 and target word 1, `0p1` a
// possible one. In the text, words are counted from `base`, 0 or 1. A malformed link or a number below the base
// is an InputError that begins with `where`.
Alignment parse_alignment(std::string_view line, int base, std::string_view where);
// Reads one alignment per line; errors name file:line.
std::vector<Alignment> read_alignments(const std::string& path, int base);

// --gold-base
void declare_gold_base(Options& o, int& gold_base);

// Whether there are links, but none from or to a first word: a sign that words are counted from another base.
bool skips_first_words(std::span<const Alignment> alignments);

// The tidied links in Pharaoh format, with words counted from 0: "0-1 2p3".
std::string format_alignment(std::span<const Link> links);

// Sorted by source word, then target word, without duplicates; sure if any of the duplicates is.
Alignment tidy(std::span<const Link> links);

}  // namespace heed::alignment
