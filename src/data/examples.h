// Sentence pairs as token ids: one flat array of ids with an index. The ids are in memory or in a temporary file that
// is mapped; then a corpus of millions of pairs takes constant memory but for the index (12 bytes per pair).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "data/scratch_file.h"
#include "tensor/ids.h"
#include "text/vocabulary.h"

namespace heed::data {

static_assert(std::is_same_v<text::TokenId, Id>);

struct EncodedPair {
  Ids source, target;  // each ends with the end symbol
};

// Immutable: any number of threads may read. Moving one keeps its spans valid.
class ExampleStore {
 public:
  std::size_t size() const { return source_lengths_.size(); }
  bool empty() const { return size() == 0; }
  Ids source(std::size_t i) const { return ids_.subspan(begins_[i], source_lengths_[i]); }
  Ids target(std::size_t i) const {
    const std::uint64_t from = begins_[i] + source_lengths_[i];
    return ids_.subspan(from, begins_[i + 1] - from);
  }
  EncodedPair operator[](std::size_t i) const { return {source(i), target(i)}; }

  std::int64_t source_tokens() const { return source_tokens_; }
  std::int64_t target_tokens() const { return static_cast<std::int64_t>(ids_.size()) - source_tokens_; }
  // Gives the memory of the pairs before `i` back to the system, for one who reads them once and in order. They can
  // still be read. Nothing happens if the ids are not in a file.
  void release_before(std::size_t i) const;

 private:
  friend class ExampleWriter;

  std::vector<text::TokenId> in_memory_;  // what ids_ shows, or the file's
  std::unique_ptr<ScratchFile> file_;
  Ids ids_;                                  // of every pair, source then target
  std::vector<std::uint64_t> begins_ = {0};  // of each pair in ids_, and where the last ends
  std::vector<std::uint32_t> source_lengths_;
  std::int64_t source_tokens_ = 0;
};

// Takes pairs one by one.
class ExampleWriter {
 public:
  // With a directory, the ids go to a temporary file there.
  explicit ExampleWriter(const std::string& scratch_directory = "");

  // ShapeError for an empty side (the end symbol is always there) or a negative id.
  void add(Ids source, Ids target);
  std::size_t size() const { return store_.size(); }
  // The writer is used up.
  ExampleStore finish();

 private:
  ExampleStore store_;
};

}  // namespace heed::data
