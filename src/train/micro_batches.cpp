#include "train/micro_batches.h"

#include <algorithm>

namespace heed::train {
namespace {

// Target words per micro-batch: enough rows for the matrix products to reach full speed.
constexpr std::int64_t kMicroBatchWords = 250;

}  // namespace

void MicroBatchPlan::draw(data::BatchSampler& sampler, int batches) {
  sentences_ = target_tokens_ = 0;
  for (auto& [examples, sentence_ids, ends] : workers_) examples.clear(), sentence_ids.clear(), ends.clear();
  do add_batch(sampler, sampler.next());
  while (--batches > 0 && sampler.position().batch != 0);
}

void MicroBatchPlan::add_batch(const data::BatchSampler& sampler, std::span<const std::uint32_t> batch) {
  const int workers = static_cast<int>(workers_.size());
  shards_.split(sampler, batch, workers);
  for (int w = 0; w < workers; ++w) add_shard(sampler, batch, shards_.rows(w), workers_[static_cast<std::size_t>(w)]);
  sentences_ += static_cast<std::int64_t>(batch.size());
  for (const std::uint32_t example : batch) target_tokens_ += sampler.length(example).target;
}

// Splits a worker's sentences of one batch into micro-batches of about the same number of words.
void MicroBatchPlan::add_shard(const data::BatchSampler& sampler, std::span<const std::uint32_t> batch,
                               std::span<const std::uint32_t> positions, WorkerBatch& worker) const {
  std::int64_t words = 0, before = 0, current = 0;
  for (const std::uint32_t position : positions) words += sampler.length(batch[position]).target;
  const std::int64_t count = std::max<std::int64_t>(1, words / kMicroBatchWords);
  for (const std::uint32_t position : positions) {
    // A sentence belongs to micro-batch i if its first word lies in the i-th of `count` equal parts of the words.
    const std::int64_t next = before * count / words;
    if (next != current) worker.ends.push_back(worker.examples.size());
    current = next;
    worker.examples.push_back(batch[position]);
    worker.sentence_ids.push_back(static_cast<std::uint32_t>(sentences_) + position);
    before += sampler.length(batch[position]).target;
  }
  if (!positions.empty()) worker.ends.push_back(worker.examples.size());
}

}  // namespace heed::train
