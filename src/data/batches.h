// Batches of examples: each example exactly once per epoch (or as often as its weight says), in an order that depends
// on the seed and the epoch alone, so that a position can be saved as two numbers and restored exactly.
//
//   BatchSampler sampler(example_lengths(store), {.batch_size = 64}, seed);
//   for (;;) { auto batch = sampler.next(); …; if (sampler.position().batch == 0) … the epoch is over … }
//
// To make an epoch: shuffle all examples, cut them into buckets of 100 batches, sort each bucket by length, cut it into
// batches, shuffle the batches. After the first epoch, memory is allocated only if an epoch has more batches than any
// before. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/examples.h"

namespace heed::data {

// In tokens, the end symbol included.
struct ExampleLength {
  std::uint32_t source = 0, target = 0;
};
std::vector<ExampleLength> example_lengths(const ExampleStore& examples);

enum class BatchUnit : std::uint8_t { sentences, tokens };
std::vector<std::string> enum_names(BatchUnit);

struct BatchOptions {
  // Sentences per batch (the last batch of an epoch may have fewer), or the maximum number of tokens on either side (a
  // longer sentence is a batch by itself).
  std::int64_t batch_size = 64;
  BatchUnit unit = BatchUnit::sentences;
};

// How often an example with this weight occurs in an epoch: 2.3 means twice, and a third time in three of ten epochs.
// `index` selects the random number that decides.
std::uint32_t draw_copies(double weight, const Random& random, std::int64_t index);

// The position of the batch that the next call of next() returns.
struct BatchPosition {
  std::int64_t epoch = 0;
  std::int64_t batch = 0;  // 0: the previous epoch has just ended
  bool operator==(const BatchPosition&) const = default;
};

class BatchSampler {
 public:
  // One weight per example, or none if all are 1. The copies of an example are drawn anew for each epoch, from the
  // seed, the epoch and its index. UsageError for a batch size below 1, InputError if there are no examples.
  BatchSampler(std::vector<ExampleLength> lengths, const BatchOptions& options, std::uint64_t seed,
               std::vector<float> weights = {});

  // Example indexes, shortest target first. Valid until the next call of next() or seek().
  std::span<const std::uint32_t> next();

  BatchPosition position() const { return position_; }
  // InputError if there is no such batch.
  void seek(const BatchPosition& position);

  // Batches in the epoch of the last call of next() or seek().
  std::int64_t batches() const { return static_cast<std::int64_t>(cuts_.size()); }
  const ExampleLength& length(std::uint32_t example) const { return lengths_[example]; }

 private:
  struct Cut {
    std::uint32_t from, count;
  };
  void make_epoch(std::int64_t epoch);
  void draw_examples(std::int64_t epoch);
  void sort_bucket(std::size_t from, std::size_t to);
  void cut_bucket(std::size_t from, std::size_t to);
  std::size_t bucket_end(std::size_t from) const;

  std::vector<ExampleLength> lengths_;
  std::vector<float> weights_;
  BatchOptions options_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> order_;  // the examples of this epoch in its order
  std::vector<Cut> cuts_;             // the batches of this epoch, ranges of order_
  struct Keyed {
    std::uint64_t lengths;
    std::uint32_t position, example;
    auto operator<=>(const Keyed&) const = default;
  };
  std::vector<Keyed> keyed_;  // the bucket that is being sorted
  std::int64_t epoch_ = -1;   // the epoch in order_ and cuts_
  BatchPosition position_;
};

// Splits a batch over workers so that each has about the same number of tokens, always in the same way for the same
// batch and number of workers. Between two calls of split(), rows() may be called from any thread. split() allocates
// only for a batch larger than any before.
class BatchShards {
 public:
  void split(const BatchSampler& sampler, std::span<const std::uint32_t> batch, int workers);
  int workers() const { return static_cast<int>(loads_.size()); }
  // The rows of a worker: positions in the batch, ascending. Empty if there are more workers than rows.
  std::span<const std::uint32_t> rows(int worker) const;

 private:
  struct Row {
    std::uint64_t tokens;
    std::uint32_t position, worker;
  };
  std::vector<Row> rows_;
  std::vector<std::uint64_t> loads_;
  std::vector<std::uint32_t> begins_;  // index of each worker's first row in positions_, and the end
  std::vector<std::uint32_t> positions_;
};

}  // namespace heed::data
