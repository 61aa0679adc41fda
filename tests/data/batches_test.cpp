#include "data/batches.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "support/allocations.h"

namespace heed {
namespace {

using Batch = std::vector<std::uint32_t>;

std::vector<data::ExampleLength> sample_lengths(std::uint32_t count) {
  const Random random(3, Stream::test);
  std::vector<data::ExampleLength> lengths;
  for (std::uint32_t i = 0; i < count; ++i)
    lengths.push_back({2 + random.below(2 * i, 40), 2 + random.below(2 * i + 1, 40)});
  return lengths;
}

std::vector<Batch> epoch(data::BatchSampler& sampler) {
  std::vector<Batch> batches;
  do {
    const auto batch = sampler.next();
    batches.emplace_back(batch.begin(), batch.end());
  } while (sampler.position().batch != 0);
  return batches;
}

Batch sorted_examples(const std::vector<Batch>& batches) {
  Batch all;
  for (const Batch& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
  std::sort(all.begin(), all.end());
  return all;
}

const std::vector<data::BatchOptions>& option_cases() {
  static const std::vector<data::BatchOptions> cases = {
      {.batch_size = 64},
      {.batch_size = 1},
      {.batch_size = 7},
      {.batch_size = 5000},
      {.batch_size = 300, .unit = data::BatchUnit::tokens},
      {.batch_size = 30, .unit = data::BatchUnit::tokens},
      {.batch_size = 1, .unit = data::BatchUnit::tokens},
  };
  return cases;
}

TEST(Batches, EveryExampleOncePerEpoch) {
  Batch everything(1003);
  std::iota(everything.begin(), everything.end(), 0u);
  for (const data::BatchOptions& options : option_cases()) {
    data::BatchSampler sampler(sample_lengths(1003), options, 1);
    for (int k = 0; k < 3; ++k) {
      const auto batches = epoch(sampler);
      EXPECT_EQ(sorted_examples(batches), everything);
      EXPECT_EQ(static_cast<std::int64_t>(batches.size()), sampler.batches());
    }
    EXPECT_EQ(sampler.position(), (data::BatchPosition{3, 0}));
  }
}

TEST(Batches, OnlyOneBatchOfSentencesIsNotFull) {
  for (const std::int64_t size : {3, 10}) {  // several buckets, and one
    const std::int64_t full = 1003 / size;
    data::BatchSampler sampler(sample_lengths(1003), {.batch_size = size}, 1);
    const auto batches = epoch(sampler);
    EXPECT_EQ(std::ssize(batches), full + 1);
    EXPECT_EQ(std::count_if(batches.begin(), batches.end(), [&](const Batch& b) { return std::ssize(b) == size; }),
              full);
  }
}

TEST(Batches, TokensStayBelowTheSize) {
  const auto lengths = sample_lengths(1003);
  data::BatchSampler sampler(lengths, {.batch_size = 120, .unit = data::BatchUnit::tokens}, 1);
  std::size_t tokens = 0, batches = 0;
  for (const Batch& batch : epoch(sampler)) {
    std::size_t source = 0, target = 0;
    for (const std::uint32_t i : batch) source += lengths[i].source, target += lengths[i].target;
    EXPECT_LE(std::max(source, target), 120u);
    tokens += std::max(source, target);
    ++batches;
  }
  EXPECT_GT(tokens / batches, 90u) << "batches are much smaller than possible";
  data::BatchSampler tiny({{50, 60}, {2, 2}, {3, 1}}, {.batch_size = 10, .unit = data::BatchUnit::tokens}, 1);
  EXPECT_EQ(epoch(tiny).size(), 2u) << "the long sentence alone, the short ones together";
}

TEST(Batches, BucketsGroupSimilarLengths) {
  const auto lengths = sample_lengths(5000);
  const auto padding = [&](const std::vector<Batch>& batches) {
    std::uint64_t cells = 0, tokens = 0;
    for (const Batch& batch : batches) {
      std::uint32_t longest = 0;
      for (const std::uint32_t i : batch) longest = std::max(longest, lengths[i].target), tokens += lengths[i].target;
      cells += longest * batch.size();
    }
    return static_cast<double>(cells - tokens) / static_cast<double>(cells);
  };
  std::vector<Batch> as_they_come(100);
  for (std::uint32_t i = 0; i < 5000; ++i) as_they_come[i / 50].push_back(i);
  data::BatchSampler one_bucket(lengths, {.batch_size = 50}, 1), several(lengths, {.batch_size = 10}, 1);
  EXPECT_GT(padding(as_they_come), 0.3);
  EXPECT_LT(padding(epoch(several)), 0.06);
  EXPECT_LT(padding(epoch(one_bucket)), 0.02);
}

TEST(Batches, SeedAndEpochDecideTheOrder) {
  for (const data::BatchOptions& options : option_cases()) {
    if (options.batch_size == 5000) continue;
    data::BatchSampler a(sample_lengths(1003), options, 1), b(sample_lengths(1003), options, 1),
        other(sample_lengths(1003), options, 2);
    const auto first = epoch(a), second = epoch(a);
    EXPECT_EQ(epoch(b), first);
    EXPECT_EQ(epoch(b), second);
    EXPECT_NE(second, first);
    EXPECT_NE(epoch(other), first);
  }
}

// Examples of equal length must be batched differently in every epoch, even if there is only one bucket.
TEST(Batches, EqualLengthsAreShuffledInsideABucket) {
  data::BatchSampler sampler(std::vector<data::ExampleLength>(100, {5, 5}), {.batch_size = 10}, 1);
  auto sorted = [](std::vector<Batch> batches) {
    for (Batch& batch : batches) std::sort(batch.begin(), batch.end());
    std::sort(batches.begin(), batches.end());
    return batches;
  };
  EXPECT_NE(sorted(epoch(sampler)), sorted(epoch(sampler)));
}

TEST(Batches, EveryOrderIsEquallyLikely) {
  data::BatchSampler sampler(std::vector<data::ExampleLength>(3, {5, 5}), {.batch_size = 1}, 9);
  std::map<std::vector<Batch>, int> orders;
  for (int k = 0; k < 1200; ++k) ++orders[epoch(sampler)];
  EXPECT_EQ(orders.size(), 6u);
  for (const auto& [order, count] : orders) EXPECT_NEAR(count, 200, 60);
}

TEST(Batches, ShortAndLongBatchesAlternate) {
  const auto lengths = sample_lengths(1000);
  data::BatchSampler sampler(lengths, {.batch_size = 10}, 1);
  int falling = 0;
  const auto batches = epoch(sampler);
  for (std::size_t k = 1; k < batches.size(); ++k)
    falling += lengths[batches[k][0]].target < lengths[batches[k - 1][0]].target;
  EXPECT_NEAR(falling, 50, 20) << "sorted batches never fall";
}

TEST(Batches, APositionIsRestoredExactly) {
  for (const data::BatchOptions& options : option_cases()) {
    data::BatchSampler whole(sample_lengths(1003), options, 5);
    std::vector<Batch> run;
    std::vector<data::BatchPosition> positions;
    for (int k = 0; k < 60; ++k) {
      positions.push_back(whole.position());
      const auto batch = whole.next();
      run.emplace_back(batch.begin(), batch.end());
    }
    for (const std::size_t from : {0, 1, 17, 59}) {
      data::BatchSampler again(sample_lengths(1003), options, 5);
      again.seek(positions[from]);
      EXPECT_EQ(again.position(), positions[from]);
      for (std::size_t k = from; k < run.size(); ++k) {
        const auto batch = again.next();
        EXPECT_EQ(Batch(batch.begin(), batch.end()), run[k]);
      }
    }
  }
}

TEST(Batches, SeekRefusesPositionsThatDoNotExist) {
  data::BatchSampler sampler(sample_lengths(100), {.batch_size = 10}, 1);
  EXPECT_THROW(sampler.seek({0, 10}), InputError);
  EXPECT_THROW(sampler.seek({0, -1}), InputError);
  EXPECT_THROW(sampler.seek({-1, 0}), InputError);
  EXPECT_THROW(sampler.seek({std::int64_t{1} << 40, 0}), InputError);
  EXPECT_NO_THROW(sampler.seek({4, 9}));
}

// If batches are measured in tokens, epochs have different numbers of batches.
TEST(Batches, PositionsAreCheckedInTheirOwnEpoch) {
  const data::BatchOptions options{.batch_size = 60, .unit = data::BatchUnit::tokens};
  data::BatchSampler whole(sample_lengths(2000), options, 1);
  std::set<std::int64_t> counts;
  for (std::int64_t k = 0; k < 10; ++k) {
    const auto count = static_cast<std::int64_t>(epoch(whole).size());
    counts.insert(count);
    data::BatchSampler sampler(sample_lengths(2000), options, 1);
    EXPECT_NO_THROW(sampler.seek({k, count - 1}));
    data::BatchSampler another(sample_lengths(2000), options, 1);
    EXPECT_THROW(another.seek({k, count}), InputError);
  }
  EXPECT_GT(counts.size(), 1u);
}

TEST(Batches, RefusesOptionsOutOfRange) {
  EXPECT_THROW(data::BatchSampler({}, {}, 1), InputError);
  EXPECT_THROW(data::BatchSampler({{5, 5}}, {.batch_size = 0}, 1), UsageError);
  for (const data::BatchUnit unit : {data::BatchUnit::sentences, data::BatchUnit::tokens}) {
    data::BatchSampler huge({{5, 5}}, {.batch_size = std::int64_t{1} << 62, .unit = unit}, 1);
    EXPECT_EQ(huge.next().size(), 1u);
  }
}

TEST(Batches, ShardsHaveSimilarNumbersOfTokens) {
  const auto lengths = sample_lengths(640);
  data::BatchSampler sampler(lengths, {.batch_size = 64}, 1);
  data::BatchShards shards;
  for (int k = 0; k < 10; ++k) {
    const auto batch = sampler.next();
    for (const int workers : {1, 2, 3, 8}) {
      shards.split(sampler, batch, workers);
      ASSERT_EQ(shards.workers(), workers);
      Batch all;
      std::uint64_t least = ~std::uint64_t{0}, most = 0, longest = 0;
      for (int w = 0; w < workers; ++w) {
        const auto rows = shards.rows(w);
        EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
        all.insert(all.end(), rows.begin(), rows.end());
        std::uint64_t tokens = 0;
        for (const std::uint32_t row : rows) tokens += lengths[batch[row]].source + lengths[batch[row]].target;
        least = std::min(least, tokens), most = std::max(most, tokens);
      }
      for (const std::uint32_t i : batch)
        longest = std::max<std::uint64_t>(longest, lengths[i].source + lengths[i].target);
      EXPECT_LE(most - least, longest);
      EXPECT_TRUE(workers != 2 || most - least <= longest / 5)
          << "the longest are assigned first, so the loads are similar";
      std::sort(all.begin(), all.end());
      Batch rows(batch.size());
      std::iota(rows.begin(), rows.end(), 0u);
      EXPECT_EQ(all, rows);
    }
  }
}

TEST(Batches, AWeightIsTheNumberOfCopiesPerEpoch) {
  std::vector<float> weights(1003, 1);
  weights[0] = 3, weights[1] = 2.25F, weights[2] = 0.25F;
  for (const data::BatchOptions& options : option_cases()) {
    data::BatchSampler sampler(sample_lengths(1003), options, 1, weights);
    std::vector<std::set<std::ptrdiff_t>> seen(3);
    std::ptrdiff_t second = 0;
    constexpr int kEpochs = 200;
    for (int i = 0; i < kEpochs; ++i) {
      const Batch examples = sorted_examples(epoch(sampler));
      for (std::uint32_t example = 0; example < 3; ++example)
        seen[example].insert(std::ranges::count(examples, example));
      second += std::ranges::count(examples, 1u);
      EXPECT_EQ(std::ranges::count(examples, 500u), 1);
      if (options.batch_size < 7) break;
    }
    EXPECT_EQ(seen[0], (std::set<std::ptrdiff_t>{3}));
    if (options.batch_size < 7) continue;
    EXPECT_EQ(seen[1], (std::set<std::ptrdiff_t>{2, 3}));
    EXPECT_EQ(seen[2], (std::set<std::ptrdiff_t>{0, 1}));
    EXPECT_NEAR(static_cast<double>(second) / kEpochs, 2.25, 0.1);
  }
}

TEST(Batches, WeightedEpochsDependOnSeedAndEpochAlone) {
  const std::vector<float> weights(1003, 1.5F);
  data::BatchSampler whole(sample_lengths(1003), {.batch_size = 10}, 7, weights);
  epoch(whole);
  epoch(whole);
  data::BatchSampler again(sample_lengths(1003), {.batch_size = 10}, 7, weights);
  again.seek({2, 0});
  const auto third = epoch(whole);
  EXPECT_EQ(epoch(again), third);
  again.seek({2, 40});
  EXPECT_EQ(epoch(again).front(), third[40]);
  EXPECT_NE(sorted_examples(epoch(whole)), sorted_examples(third)) << "each epoch draws its own copies";
  data::BatchSampler plain(sample_lengths(1003), {.batch_size = 10}, 7),
      ones(sample_lengths(1003), {.batch_size = 10}, 7, std::vector<float>(1003, 1));
  EXPECT_EQ(epoch(ones), epoch(plain)) << "weights of 1 change nothing";
}

TEST(Batches, SmallWeightsLeaveAtLeastOneExample) {
  data::BatchSampler sampler(sample_lengths(3), {.batch_size = 2}, 1, {1e-6F, 1e-6F, 1e-6F});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(sorted_examples(epoch(sampler)).size(), 1u);
  for (const float bad : {0.0F, -1.0F, 1001.0F, std::nanf("")})
    EXPECT_THROW(data::BatchSampler({{5, 5}}, {}, 1, {bad}), UsageError) << bad;
}

#ifdef HEED_COUNTS_ALLOCATIONS
TEST(Batches, NothingIsAllocatedAfterTheFirstEpoch) {
  for (const data::BatchOptions& options : option_cases()) {
    if (options.unit == data::BatchUnit::tokens) continue;
    data::BatchSampler sampler(sample_lengths(1003), options, 1);
    data::BatchShards shards;
    const auto run_epoch = [&] {
      do shards.split(sampler, sampler.next(), 3);
      while (sampler.position().batch != 0);
    };
    run_epoch();
    const long before = allocations;
    run_epoch();
    run_epoch();
    EXPECT_EQ(allocations, before);
  }
  const long before = allocations;
  ::operator delete(::operator new(1));
  EXPECT_GT(allocations, before) << "the counter does not count";
}
#endif

TEST(Batches, MoreWorkersThanRows) {
  data::BatchSampler sampler({{5, 5}, {6, 6}}, {.batch_size = 2}, 1);
  data::BatchShards shards;
  shards.split(sampler, sampler.next(), 4);
  EXPECT_EQ(shards.rows(0).size() + shards.rows(1).size(), 2u);
  EXPECT_TRUE(shards.rows(3).empty());
  EXPECT_THROW(shards.rows(4), ShapeError);
  EXPECT_THROW(shards.split(sampler, {}, 0), ShapeError);
}

}  // namespace
}  // namespace heed
