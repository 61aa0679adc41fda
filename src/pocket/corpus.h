// The pocket corpus: heed's own English-German sentences, correct by construction, with gold word alignments.
// Endless, and the same for the same seed everywhere; nothing is read from a disk. Thread-safe: all state is constant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "alignment/links.h"

namespace heed::pocket {

struct PocketPair {
  std::string source, target;      // natural text: "Does the old man see the dog?"
  alignment::Alignment alignment;  // of the words of pocket_tokens(), sorted; many to many

  bool operator==(const PocketPair&) const = default;
};

enum class Split { train, valid, test };
// "train", "valid", "test".
std::string_view split_name(Split split);

// The words the alignment counts: split at spaces, with . ? , as words of their own.
std::vector<std::string_view> pocket_tokens(std::string_view text);

class PocketCorpus {
 public:
  // Both sides of a pair have from kMinWords to kMaxWords tokens.
  static constexpr std::size_t kMinWords = 3, kMaxWords = 20;

  explicit PocketCorpus(std::uint64_t seed = 1) : seed_(seed) {}

  // The draw at an index: a function of the seed and the index alone. Two indexes may give the same pair.
  PocketPair draw(std::uint64_t index) const;

  // The split a pair belongs to, the same for every seed. It depends on the target alone, and the target on the
  // source: so no two splits share a source sentence or a target sentence. Of 20 sentences, 18 go to train.
  static Split split_of(const PocketPair& pair);

  // The first `count` pairs of a split whose sources differ, one after the other. A shorter list is a prefix of a
  // longer one.
  void visit(Split split, std::size_t count, const std::function<void(const PocketPair&)>& visitor) const;
  std::vector<PocketPair> pairs(Split split, std::size_t count) const;

 private:
  std::uint64_t seed_;
};

struct PocketSizes {
  std::size_t train = 20000, valid = 1000, test = 1000;
};

// "source TAB target TAB alignment": a line of a TSV file, without its end.
std::string to_tsv(const PocketPair& pair);

// PREFIX.train.en, PREFIX.train.de and PREFIX.train.align, and the same for valid and test; each file is written
// whole or not at all. Returns the paths. Throws InputError if a file cannot be written.
std::vector<std::filesystem::path> write_pocket(const std::filesystem::path& prefix, const PocketCorpus& corpus,
                                                const PocketSizes& sizes);

}  // namespace heed::pocket
