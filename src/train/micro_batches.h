// How the sentences of an update are spread over workers. A batch is sharded so that every worker has about as many
// tokens, and a worker computes its part in micro-batches, forward and backward, so that memory does not grow with the
// batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/batches.h"

namespace heed::train {

// Sentences that a worker computes at a time.
struct MicroBatch {
  std::span<const std::uint32_t> examples;      // indexes in the example store
  std::span<const std::uint32_t> sentence_ids;  // within the update: what random numbers are keyed by
};

// A worker's sentences of an update, micro-batch after micro-batch.
class WorkerBatch {
 public:
  std::size_t size() const { return ends_.size(); }  // micro-batches
  MicroBatch operator[](std::size_t i) const {
    const std::size_t from = i == 0 ? 0 : ends_[i - 1], count = ends_[i] - from;
    return {std::span(examples_).subspan(from, count), std::span(sentence_ids_).subspan(from, count)};
  }

 private:
  friend class MicroBatchPlan;
  void clear() { examples_.clear(), sentence_ids_.clear(), ends_.clear(); }

  std::vector<std::uint32_t> examples_, sentence_ids_;
  std::vector<std::size_t> ends_;
};

// A function of the sampler's state and the number of workers alone. Reused from update to update, so that nothing is
// allocated once the largest was met.
class MicroBatchPlan {
 public:
  explicit MicroBatchPlan(int workers) : workers_(static_cast<std::size_t>(workers)) {}

  // Plans the next update: draws `batches` batches, or what is left of the epoch.
  void draw(data::BatchSampler& sampler, int batches);

  const WorkerBatch& worker(int i) const { return workers_[static_cast<std::size_t>(i)]; }
  std::int64_t sentences() const { return sentences_; }  // of all workers
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
