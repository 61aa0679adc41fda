// Adds up the gradients of the workers of all ranks: ((worker 0 + worker 1) + worker 2) + …, number by number, where
// workers are numbered rank by rank. So the sum has the same bits however the workers are distributed.
//
// The gradients are divided into buckets, in the order in which the backward pass completes them. A bucket travels up
// the ranks, each of which adds its workers, and as a total down again. The buckets follow one another, so that all
// ranks are busy, and the first ones travel while the backward pass still computes the last ones. In all, a rank sends
// and receives the gradients at most twice, the first and the last rank once; a ring all-reduce moves 2 (N - 1) / N
// times the gradients for N ranks, but adds them in an order that depends on N.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "autograd/parameters.h"
#include "base/thread_pool.h"
#include "train/communicator.h"

namespace heed::train {

// How gradients are sent. bf16 halves the messages: numbers are rounded up or down at random, with probabilities that
// keep the expected value. The result then depends on the number of ranks.
enum class GradientFormat : std::uint8_t { f32, bf16 };
std::vector<std::string> enum_names(GradientFormat);
std::vector<std::string> enum_about(GradientFormat);

class Exchange {
 public:
  // `replicas`: the gradients of this rank's workers. Everything must outlive the exchange.
  Exchange(const autograd::Parameters& parameters, std::vector<autograd::Gradients*> replicas, ThreadPool& pool,
           Communicator& communicator, GradientFormat format = GradientFormat::f32);
  ~Exchange();

  // Calls compute(), which must fill the replicas and call on_complete() once per worker and parameter, and meanwhile
  // exchanges what is complete. `seed` is that of the rounding. Rethrows what compute() throws, and InputError if the
  // connection fails; then the exchange cannot be used any more.
  void run(const std::function<void()>& compute, std::uint64_t seed = 0);
  // Thread-safe.
  void on_complete(autograd::ParameterId id);

  // What this rank has sent so far.
  std::uint64_t sent_bytes() const;
  // After run(): the same on all ranks.
  autograd::Gradients& total() const { return *total_; }

 private:
  // A range of the flat gradients that belongs to the dense parameters `first` to `last`; or, if sparse, the touched
  // rows of one embedding.
  struct Bucket {
    Index from = 0, count = 0;
    int first = 0, last = 0;
    bool sparse = false;
  };
  class Link;

  void plan_buckets(const autograd::Parameters& parameters);
  void add_up();
  void pass_down();
  void wait_until_complete(const Bucket& bucket);
  void add_workers(const Bucket& bucket);
  void fail() noexcept;
  template <class Condition>
  void wait(Condition condition);

  std::vector<autograd::Gradients*> replicas_;
  std::unique_ptr<autograd::Gradients> received_;  // null on rank 0, whose first replica takes the total
  autograd::Gradients* total_;
  ThreadPool& pool_;
  Communicator& communicator_;
  std::vector<Bucket> buckets_;
  std::unique_ptr<Link> up_, down_;
  ThreadPool threads_{3};
  std::atomic<bool> computed_ = false;  // compute() has returned, so the pool is free

  std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  std::vector<int> incomplete_;  // per parameter: workers that still compute its gradient
  std::size_t summed_ = 0;       // buckets that were added and sent up
  bool failed_ = false;
};

}  // namespace heed::train
