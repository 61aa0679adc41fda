// The sentences of an update, distributed over workers and micro-batches.
#include "train/micro_batches.h"

#include <gtest/gtest.h>

#include <set>

namespace heed {
namespace {

TEST(MicroBatchPlan, HoldsEverySentenceOnceWithItsOwnId) {
  std::vector<data::ExampleLength> lengths;
  for (std::uint32_t i = 0; i < 60; ++i) lengths.push_back({5 + i % 9, 10 + i * 7 % 40});
  data::BatchSampler sampler(lengths, {.batch_size = 30}, 1);
  train::MicroBatchPlan plan(2);
  plan.draw(sampler, 2);
  std::set<std::uint32_t> examples, ids;
  std::int64_t tokens[2] = {};
  for (const int w : {0, 1}) {
    const train::WorkerBatch& worker = plan.worker(w);
    EXPECT_GT(worker.size(), 2u) << "every shard has more words than a micro-batch";
    for (std::size_t i = 0; i < worker.size(); ++i) {
      EXPECT_EQ(worker[i].examples.size(), worker[i].sentence_ids.size());
      EXPECT_FALSE(worker[i].examples.empty());
      examples.insert(worker[i].examples.begin(), worker[i].examples.end());
      ids.insert(worker[i].sentence_ids.begin(), worker[i].sentence_ids.end());
      for (const std::uint32_t example : worker[i].examples) tokens[w] += lengths[example].target;
    }
  }
  EXPECT_EQ(plan.sentences(), 60);
  EXPECT_EQ(plan.target_tokens(), tokens[0] + tokens[1]);
  EXPECT_EQ(examples.size(), 60u);
  ASSERT_EQ(ids.size(), 60u);
  EXPECT_EQ(*ids.rbegin(), 59u);
}

}  // namespace
}  // namespace heed
