// Sentence pairs as token ids: one flat array of ids with an index. The ids are in memory or in a mapped temporary
// file, which leaves only the index in memory (12 bytes per pair).
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

// Immutable: any number of threads may read. Moving one keeps its spans valid.
class ExampleStore {
 public:
  std::size_t size() const { return source_lengths_.size(); }
  bool empty() const { return size() == 0; }
  // Both end with the end symbol.
  Ids source(std::size_t i) const { return ids_.subspan(begins_[i], source_lengths_[i]); }
  Ids target(std::size_t i) const {
    const std::uint64_t from = begins_[i] + source_lengths_[i];
    return ids_.subspan(from, begins_[i + 1] - from);
  }

  std::int64_t source_tokens() const { return source_tokens_; }
  std::int64_t target_tokens() const { return static_cast<std::int64_t>(ids_.size()) - source_tokens_; }
  // Returns the memory of the pairs before `i` to the system, for a caller that reads the pairs once and in order. They
  // can still be read. Does nothing if the ids are not in a file.
  void release_before(std::size_t i) const;

 private:
  friend class ExampleWriter;

  std::vector<text::TokenId> in_memory_;  // ids_ refers to this or to the file
  std::unique_ptr<ScratchFile> file_;
  Ids ids_;                                  // of every pair, source then target
  std::vector<std::uint64_t> begins_ = {0};  // index of each pair's first id in ids_, and the end
  std::vector<std::uint32_t> source_lengths_;
  std::int64_t source_tokens_ = 0;
};

// Builds a store pair by pair.
class ExampleWriter {
 public:
  // If a directory is given, the ids go to a temporary file in it.
  explicit ExampleWriter(const std::string& scratch_directory = "");

  // ShapeError for a side without ids (there is always an end symbol) or a negative id.
  void add(Ids source, Ids target);
  std::size_t size() const { return store_.size(); }
  // The writer must not be used afterwards.
  ExampleStore finish();

 private:
  ExampleStore store_;
};

}  // namespace heed::data
