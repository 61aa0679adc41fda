// Splits a corpus into a training part and held-out parts, by content: which sentences are held out depends only on
// their hashes, not on their order or on chance, so that every run, and every version of a corpus that grows, holds out
// (nearly) the same ones. No source occurs in two parts. Sources are the same if their case-folded letters and numbers
// are.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "data/corpus.h"
#include "data/pair_writer.h"

namespace heed::data {

// The smaller of a number of pairs and a fraction of the corpus.
struct PartSize {
  std::int64_t pairs = 2000;
  double fraction = 0.05;
};
// From "2000", "0.1" or "10%". A UsageError that names the flag for anything else.
PartSize parse_part_size(std::string_view text, std::string_view flag);

struct SplitOptions {
  std::vector<PartSize> held_out = {PartSize{}};
  // Whether a pair may be held out; null: all may. Others stay in the training part.
  std::function<bool(const SentencePair& pair)> may_hold_out = {};
  std::int64_t pairs = 0;  // read only this many pairs that may be held out; 0: all
  PairParts parts = {};    // pairs that are in kNoPart stay there
};

struct Split {
  PairParts parts;                       // by pair: kTrainingPart, 1 and so on for the held-out parts, or kNoPart
  std::vector<std::int64_t> pairs = {};  // in each part
  std::int64_t eligible = 0;             // pairs that could be held out
  std::int64_t removed = 0;              // pairs removed from all parts, because their source is held out
  bool limited = false;                  // the corpus has more pairs than SplitOptions::pairs
};

// Reads the corpus once, with 24 bytes of memory per pair, and one afterwards. The sources with the smallest
// hashes are held out, each with one pair; its other pairs are removed, at most twice as many as are requested for the
// parts. A source that exceeds this limit is not held out, so parts may be smaller than requested. InputError as
// PairReader.
Split split_corpus(const CorpusFiles& files, const SplitOptions& options);

// Reads the corpus again and writes each part to its files, which appear when all are complete. InputError if one
// cannot be written.
void write_parts(const CorpusFiles& files, const PairParts& parts, std::span<const PairFiles> outputs);

}  // namespace heed::data
