// Word alignments: which word of a sentence belongs to which of its translation, as files have them (Pharaoh format).
// Functions without state.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"

namespace heed::alignment {

// Words are counted from 0.
struct Link {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  bool sure = true;
  bool operator==(const Link&) const = default;
};
using Alignment = std::vector<Link>;  // of one sentence

// A line of Pharaoh format, links between white space: `0-1` a sure link of source word 0 and target word 1, `0p1` a
// possible one. In the text words are counted from `base`, 0 or 1. A malformed link, or one that counts from less than
// the base, is an InputError that begins with `where`.
Alignment parse_alignment(std::string_view line, int base, std::string_view where);
// One per line; errors name file:line.
std::vector<Alignment> read_alignments(const std::string& path, int base);

// --gold-base
void declare_gold_base(Options& o, int& gold_base);

// Whether no link of a corpus uses the first word of either side: it probably counts from another base.
bool skips_first_words(std::span<const Alignment> alignments);

// Pharaoh format again, words counted from 0, by source word: "0-1 2p3".
std::string format_alignment(std::span<const Link> links);

// In order of the source, each link once, the sure one of two.
Alignment tidy(std::span<const Link> links);

}  // namespace heed::alignment
