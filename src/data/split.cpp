#include "data/split.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "base/error.h"
#include "base/numbers.h"
#include "data/line_traits.h"

namespace heed::data {
namespace {

// A pair that may be held out.
struct HashedPair {
  std::uint64_t source;  // hash of the folded source
  std::uint64_t text;    // hash of both sides
  std::uint32_t index;
  auto operator<=>(const HashedPair&) const = default;
};

// How many pairs each part should have.
std::vector<std::int64_t> wanted_pairs(const std::vector<PartSize>& sizes, std::size_t pairs) {
  std::vector<std::int64_t> wanted;
  for (const PartSize& size : sizes)
    wanted.push_back(
        std::min(size.pairs, static_cast<std::int64_t>(std::floor(size.fraction * static_cast<double>(pairs)))));
  return wanted;
}

// Holds out one pair of each of the first sources, in the order of their hashes, and removes their other pairs.
void hold_out(std::vector<HashedPair>& pairs, const std::vector<std::int64_t>& wanted, Split& split) {
  std::ranges::sort(pairs);
  std::int64_t may_remove = 0;
  for (const std::int64_t size : wanted) may_remove += 2 * size;
  std::size_t part = 0;
  for (auto first = pairs.begin(); first != pairs.end();) {
    while (part < wanted.size() && split.pairs[part + 1] >= wanted[part]) ++part;
    if (part == wanted.size()) return;
    const auto last = std::find_if(first, pairs.end(), [&](const auto& pair) { return pair.source != first->source; });
    const std::int64_t others = last - first - 1;
    if (split.removed + others <= may_remove) {
      split.parts[first->index] = static_cast<std::uint8_t>(part + 1);
      for (auto pair = first + 1; pair != last; ++pair) split.parts[pair->index] = kNoPart;
      ++split.pairs[part + 1];
      split.removed += others;
    }
    first = last;
  }
}

}  // namespace

PartSize parse_part_size(std::string_view text, std::string_view flag) {
  double value = 0;
  const bool percent = text.ends_with('%');
  const std::errc error = parse_number(percent ? text.substr(0, text.size() - 1) : text, value);
  const bool fraction = percent || (value > 0 && value < 1);
  if (percent) value /= 100;
  const bool good =
      error == std::errc() && value > 0 && (fraction ? value < 1 : value == std::floor(value) && value < 1e12);
  check<UsageError>(good,
                    "{}: {} is not a size; give a number of pairs, such as 2000, or a fraction, such as 0.1 or 10%",
                    flag, in_quotes(text));
  constexpr PartSize kAll{std::numeric_limits<std::int64_t>::max(), 1};
  return fraction ? PartSize{kAll.pairs, value} : PartSize{static_cast<std::int64_t>(value), kAll.fraction};
}

Split split_corpus(const CorpusFiles& files, const SplitOptions& options) {
  Split split;
  std::vector<HashedPair> pairs;
  PairReader reader(files);
  LineScanner scanner;
  for (SentencePair pair; reader.next(pair);) {
    split.limited = options.pairs > 0 && std::ssize(pairs) == options.pairs;
    if (split.limited) break;
    const std::size_t index = split.parts.size();
    const bool left_out = index < options.parts.size() && options.parts[index] == kNoPart;
    split.parts.push_back(left_out ? kNoPart : kTrainingPart);
    if (left_out || (options.may_hold_out && !options.may_hold_out(pair))) continue;
    const LineTraits source = scanner.scan(pair.source), target = scanner.scan(pair.target);
    // A side without letters or numbers says nothing about a translation.
    if (source.folded_hash == 0 || target.folded_hash == 0) continue;
    check<InputError>(index < std::numeric_limits<std::uint32_t>::max(),
                      "'{}' has more pairs than heed can handle (2^32)", reader.name(Side::source));
    pairs.push_back({source.folded_hash, 31 * source.hash + target.hash, static_cast<std::uint32_t>(index)});
  }
  split.eligible = std::ssize(pairs);
  split.pairs.resize(options.held_out.size() + 1);
  hold_out(pairs, wanted_pairs(options.held_out, pairs.size()), split);
  split.pairs[0] = std::ranges::count(split.parts, kTrainingPart);
  return split;
}

void write_parts(const CorpusFiles& files, const PairParts& parts, std::span<const PairFiles> outputs) {
  std::deque<PairWriter> writers;  // PairWriter cannot be moved
  for (const PairFiles& output : outputs) writers.emplace_back(output);
  PairReader reader(files);
  for (SentencePair pair; reader.next(pair);) {
    check<InputError>(reader.pairs() <= std::ssize(parts), "'{}' grew while it was being read",
                      reader.name(Side::source));
    const std::uint8_t part = parts[static_cast<std::size_t>(reader.pairs() - 1)];
    if (part < writers.size()) writers[part].write(pair, reader.languages());
  }
  for (PairWriter& writer : writers) writer.commit();
}

}  // namespace heed::data
