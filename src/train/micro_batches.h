// Distributes the sentences of an update over workers. A batch is sharded so that all workers get about the same number
// of tokens; a worker computes its shard in micro-batches, so that memory does not grow with the batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/batches.h"

namespace heed::train {

// Sentences that a worker computes in one forward and backward pass.
struct MicroBatch {
  std::span<const std::uint32_t> examples;      // indices in the example store
  std::span<const std::uint32_t> sentence_ids;  // indices within the update, which key the random numbers
};

// The micro-batches of one worker in an update.
struct WorkerBatch {
  std::vector<std::uint32_t> examples, sentence_ids;
  std::vector<std::size_t> ends;  // of the micro-batches

  std::size_t size() const { return ends.size(); }  // micro-batches
  MicroBatch operator[](std::size_t i) const {
    const std::size_t from = i == 0 ? 0 : ends[i - 1], count = ends[i] - from;
    return {std::span(examples).subspan(from, count), std::span(sentence_ids).subspan(from, count)};
  }
};

// The plan of an update depends only on the sampler's state and the number of workers. Reuse it from update to update:
// then no memory is allocated once the largest update has been planned.
class MicroBatchPlan {
 public:
  explicit MicroBatchPlan(int workers) : workers_(static_cast<std::size_t>(workers)) {}

  // Plans the next update: draws `batches` batches, or fewer at the end of the epoch.
  void draw(data::BatchSampler& sampler, int batches);

  const WorkerBatch& worker(int i) const { return workers_[static_cast<std::size_t>(i)]; }
  std::int64_t sentences() const { return sentences_; }  // total of all workers
  std::int64_t target_tokens() const { return target_tokens_; }

 private:
  void add_batch(const data::BatchSampler& sampler, std::span<const std::uint32_t> batch);
  void add_shard(const data::BatchSampler& sampler, std::span<const std::uint32_t> batch,
                 std::span<const std::uint32_t> positions, WorkerBatch& worker) const;

  std::vector<WorkerBatch> workers_;
  data::BatchShards shards_;
  std::int64_t sentences_ = 0, target_tokens_ = 0;
};

}  // namespace heed::train
