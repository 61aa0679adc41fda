// The pocket corpus: heed's own English-German sentences, correct by construction, with gold word alignments.
// Unlimited in size, and the same for the same seed on every machine; reads no files. Thread-safe: all state is
// constant.
#pragma once

#include <cstddef>
#include <cstdint>
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

// The words the alignment counts: split at spaces, with . ? , as words of their own.
std::vector<std::string_view> pocket_tokens(std::string_view text);

class PocketCorpus {
 public:
  // Both sides of a pair have from kMinWords to kMaxWords tokens.
  static constexpr std::size_t kMinWords = 3, kMaxWords = 20;

  explicit PocketCorpus(std::uint64_t seed = 1) : seed_(seed) {}

  // Depends only on the seed and the index. Two indexes may give the same pair.
  PocketPair draw(std::uint64_t index) const;

  // The split that a pair belongs to, whatever the seed. It depends only on the target, and the target only on the
  // source, so no two splits share a source or target sentence. 18 of 20 sentences go to train.
  static Split split_of(const PocketPair& pair);

  // The first `count` pairs of a split with different sources, in order. A shorter list is a prefix of a longer one.
  void visit(Split split, std::size_t count, const std::function<void(const PocketPair&)>& visitor) const;
  std::vector<PocketPair> pairs(Split split, std::size_t count) const;

 private:
  std::uint64_t seed_;
};

struct PocketSizes {
  std::size_t train = 20000, valid = 1000, test = 1000;
};

// "source TAB target TAB alignment", without a line end.
std::string to_tsv(const PocketPair& pair);

// PREFIX.train.en, PREFIX.train.de and PREFIX.train.align, and the same for valid and test.
std::vector<std::string> pocket_files(const std::string& prefix);
// Writes these files, each atomically, and creates their directory. InputError if a file cannot be written.
void write_pocket(const std::string& prefix, const PocketCorpus& corpus, const PocketSizes& sizes);

}  // namespace heed::pocket
