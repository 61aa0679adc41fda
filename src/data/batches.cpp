#include "data/batches.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "data/corpus.h"

namespace heed::data {

namespace {

constexpr double kBucketBatches = 100;  // batches that are sorted by length together

// Fisher-Yates, with the random numbers that follow `position`, one per item.
template <class T>
void shuffle(std::vector<T>& items, const Random& random, std::uint64_t position) {
  for (std::size_t i = items.size(); i > 1; --i) {
    const std::uint32_t other = random.below(position + i, static_cast<std::uint32_t>(i));
    std::swap(items[i - 1], items[other]);
  }
}

}  // namespace

std::vector<ExampleLength> example_lengths(const ExampleStore& examples) {
  std::vector<ExampleLength> lengths(examples.size());
  for (std::size_t i = 0; i < examples.size(); ++i)
    lengths[i] = {static_cast<std::uint32_t>(examples.source(i).size()),
                  static_cast<std::uint32_t>(examples.target(i).size())};
  return lengths;
}

std::vector<std::string> enum_names(BatchUnit) {
  return {"sentences", "tokens"};
}

std::uint32_t draw_copies(double weight, const Random& random, std::int64_t index) {
  const double whole = std::floor(weight), rest = weight - whole;
  const bool more = rest > 0 && random.uniform(static_cast<std::uint64_t>(index)) < rest;
  return static_cast<std::uint32_t>(whole) + (more ? 1 : 0);
}

BatchSampler::BatchSampler(std::vector<ExampleLength> lengths, const BatchOptions& options, std::uint64_t seed,
                           std::vector<float> weights)
    : lengths_(std::move(lengths)), weights_(std::move(weights)), options_(options), seed_(seed) {
  check<UsageError>(options.batch_size > 0, "the batch size is {}; it must be at least 1", options.batch_size);
  check(weights_.empty() || weights_.size() == lengths_.size(), "{} weights for {} examples", weights_.size(),
        lengths_.size());
  double most = 0;  // upper bound on the examples in an epoch
  for (const float weight : weights_) {
    check<UsageError>(weight > 0 && weight <= kMaxWeight,
                      "the weight of a pair is {}; it must be above 0 and at most {}", weight, kMaxWeight);
    most += std::ceil(weight);
  }
  most = weights_.empty() ? static_cast<double>(lengths_.size()) : most;
  check<InputError>(most < std::numeric_limits<std::uint32_t>::max(),
                    "an epoch has {} sentence pairs, more than heed can handle (2^32)", most);
  check<InputError>(!lengths_.empty(), "there are no sentence pairs to train on");
  make_epoch(0);
}

std::span<const std::uint32_t> BatchSampler::next() {
  if (position_.epoch != epoch_) make_epoch(position_.epoch);
  const Cut& cut = cuts_[static_cast<std::size_t>(position_.batch)];
  if (++position_.batch == batches()) position_ = {position_.epoch + 1, 0};
  return std::span(order_).subspan(cut.from, cut.count);
}

void BatchSampler::seek(const BatchPosition& position) {
  constexpr std::int64_t kEpochs = std::numeric_limits<std::uint32_t>::max();
  check<InputError>(position.epoch >= 0 && position.epoch < kEpochs, "there is no epoch {}", position.epoch);
  if (position.epoch != epoch_) make_epoch(position.epoch);
  check<InputError>(
      position.batch >= 0 && position.batch < batches(),
      "there is no batch {} in epoch {}, which has {} batches; is this the corpus the run was started with?",
      position.batch, position.epoch, batches());
  position_ = position;
}

void BatchSampler::make_epoch(std::int64_t epoch) {
  const Random random(seed_, Stream::shuffle, static_cast<std::uint32_t>(epoch));
  draw_examples(epoch);
  shuffle(order_, random, 0);
  cuts_.clear();
  for (std::size_t from = 0; from < order_.size();) {
    const std::size_t to = bucket_end(from);
    sort_bucket(from, to);
    cut_bucket(from, to);
    from = to;
  }
  shuffle(cuts_, random, order_.size() + 1);
  epoch_ = epoch;
}

void BatchSampler::draw_examples(std::int64_t epoch) {
  order_.resize(lengths_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  if (weights_.empty()) return;
  const Random random(seed_, Stream::weight, static_cast<std::uint32_t>(epoch));
  order_.clear();
  for (std::uint32_t i = 0; i < weights_.size(); ++i)
    order_.insert(order_.end(), draw_copies(static_cast<double>(weights_[i]), random, i), i);
  // An epoch has at least one example, however small the weights are.
  if (order_.empty()) order_.push_back(static_cast<std::uint32_t>(epoch % std::ssize(weights_)));
}

// A bucket holds exactly kBucketBatches full batches, so that only the last batch of an epoch is short. If batches are
// measured in tokens, the last batch of every bucket may be short.
std::size_t BatchSampler::bucket_end(std::size_t from) const {
  const double size = static_cast<double>(options_.batch_size) * kBucketBatches;
  if (options_.unit == BatchUnit::sentences)
    return from + static_cast<std::size_t>(std::min(static_cast<double>(order_.size() - from), size));
  double source = 0, target = 0;
  std::size_t to = from;
  while (to < order_.size() && std::max(source, target) < size) {
    source += lengths_[order_[to]].source;
    target += lengths_[order_[to++]].target;
  }
  return to;
}

void BatchSampler::sort_bucket(std::size_t from, std::size_t to) {
  keyed_.clear();
  for (std::size_t i = from; i < to; ++i) {
    const ExampleLength& length = lengths_[order_[i]];
    keyed_.push_back(
        {static_cast<std::uint64_t>(length.target) << 32 | length.source, static_cast<std::uint32_t>(i), order_[i]});
  }
  // Equal lengths keep their shuffled order; otherwise a corpus of one bucket would give the same batches every epoch.
  std::ranges::sort(keyed_);
  for (std::size_t i = from; i < to; ++i) order_[i] = keyed_[i - from].example;
}

void BatchSampler::cut_bucket(std::size_t from, std::size_t to) {
  const auto limit = static_cast<std::uint64_t>(options_.batch_size);
  while (from < to) {
    std::size_t end = from;
    std::uint64_t source = 0, target = 0;
    for (; end < to; ++end) {
      const ExampleLength& length = lengths_[order_[end]];
      source += length.source;
      target += length.target;
      const bool full =
          options_.unit == BatchUnit::tokens ? std::max(source, target) > limit && end > from : end - from == limit;
      if (full) break;
    }
    cuts_.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(end - from)});
    from = end;
  }
}

void BatchShards::split(const BatchSampler& sampler, std::span<const std::uint32_t> batch, int workers) {
  check(workers >= 1, "a batch cannot be split over {} workers", workers);
  rows_.clear();
  for (std::uint32_t position = 0; position < batch.size(); ++position) {
    const ExampleLength& length = sampler.length(batch[position]);
    rows_.push_back({std::uint64_t{length.source} + length.target, position, 0});
  }
  // The longest first, each to the worker with the fewest tokens: loads differ by at most one sentence.
  std::ranges::sort(rows_, {}, [](const Row& row) { return std::pair(~row.tokens, row.position); });
  loads_.assign(static_cast<std::size_t>(workers), 0);
  begins_.assign(loads_.size() + 1, 0);
  for (Row& row : rows_) {
    row.worker = static_cast<std::uint32_t>(std::ranges::min_element(loads_) - loads_.begin());
    loads_[row.worker] += row.tokens;
    ++begins_[row.worker + 1];
  }
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  std::ranges::sort(rows_, {}, [](const Row& row) { return std::pair(row.worker, row.position); });
  positions_.clear();
  for (const Row& row : rows_) positions_.push_back(row.position);
}

std::span<const std::uint32_t> BatchShards::rows(int worker) const {
  check(worker >= 0 && worker < workers(), "there is no worker {} among {}", worker, workers());
  const auto w = static_cast<std::size_t>(worker);
  return std::span(positions_).subspan(begins_[w], begins_[w + 1] - begins_[w]);
}

}  // namespace heed::data
