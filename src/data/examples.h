// Sentence pairs as token ids: one flat array of ids with an index, in memory or in a token cache, a file that is
// mapped. A corpus of millions of pairs is prepared in constant memory but for the index (12 bytes a pair).
//
// The file: the ids of every pair, source then target (int32); where each pair begins and the last ends (uint64); the
// length of each source (uint32); the trailer. All numbers little-endian, as on every machine heed runs on.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/checksum.h"
#include "base/files.h"
#include "tensor/ids.h"
#include "text/vocabulary.h"

namespace heed {

static_assert(std::is_same_v<TokenId, Id>);

struct EncodedPair {
  Ids source, target;  // each ends with the end symbol
};

// Immutable: any number of threads may read. Moving one keeps its spans valid.
class ExampleStore {
 public:
  ExampleStore() = default;

  // Maps a token cache and checks every byte of it: InputError for a file that is damaged or is none.
  static ExampleStore open(const std::string& path);

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
  // What the writer was given, so that one can tell whether a cache was made from the same text and settings.
  std::uint64_t fingerprint() const { return fingerprint_; }
  // Gives the memory of the pairs before `i` back to the system, for one who reads them once and in order. They can
  // still be read. Nothing happens where the ids are not in a file.
  void release_before(std::size_t i) const;
  // InputError where an id does not fit the vocabularies.
  void check_ids(std::int64_t source_words, std::int64_t target_words) const;

 private:
  friend class ExampleWriter;
  struct Arrays {
    std::vector<TokenId> ids;
    std::vector<std::uint64_t> begins = {0};
    std::vector<std::uint32_t> source_lengths;
  };
  void check_index(const std::string& path) const;

  std::unique_ptr<Arrays> arrays_;  // what the spans show, one of the two
  std::unique_ptr<MappedFile> file_;
  std::span<const TokenId> ids_;
  std::span<const std::uint64_t> begins_;  // size() + 1
  std::span<const std::uint32_t> source_lengths_;
  std::int64_t source_tokens_ = 0;
  std::uint64_t fingerprint_ = 0;
};

// Takes pairs one by one. With a path they go to a token cache, which appears under its name, complete, in finish().
class ExampleWriter {
 public:
  explicit ExampleWriter(const std::string& path = "", std::uint64_t fingerprint = 0);

  // ShapeError for an empty side (the end symbol is always there) or a negative id.
  void add(Ids source, Ids target);
  std::size_t size() const { return arrays_->source_lengths.size(); }
  // The writer is used up.
  ExampleStore finish();

 private:
  void write(std::span<const std::byte> bytes);

  std::string path_;
  std::unique_ptr<AtomicFile> file_;  // none: in memory
  Xxh64 checksum_;
  std::unique_ptr<ExampleStore::Arrays> arrays_;
  std::int64_t source_tokens_ = 0;
  std::uint64_t fingerprint_ = 0;
};

}  // namespace heed
