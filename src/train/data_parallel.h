// Data-parallel training: every worker computes its part of a batch with its own tape and gradients; then the gradients
// are added in the order of the workers. Workers are the threads of all ranks, numbered rank by rank. The same number
// of workers gives the same bits, however they are distributed over ranks (train/exchange.h); with another number, the
// results differ only by rounding.
#pragma once

#include <memory>
#include <vector>

#include "autograd/tape.h"
#include "base/stopwatch.h"
#include "base/thread_pool.h"
#include "kernels/profile.h"
#include "train/exchange.h"

namespace heed::train {

class DataParallel {
 public:
  // UsageError unless every rank has the same number of threads. The parameters and the communicator must outlive it.
  DataParallel(const autograd::Parameters& parameters, int threads, Communicator& communicator = single_process(),
               GradientFormat format = GradientFormat::f32);

  int threads() const { return pool_.size(); }  // workers of this rank
  int workers() const { return threads() * communicator_.size(); }
  int first_worker() const { return threads() * communicator_.rank(); }  // of this rank
  Communicator& communicator() const { return communicator_; }

  // On every thread, calls compute(thread, tape) and the backward pass for one micro-batch after the other, until
  // compute() returns false for the last one; then adds up the gradients of all workers. The loss must be normalized by
  // the size of the whole batch, not of a worker's part. `seed` is for the rounding of GradientFormat::bf16. Rethrows
  // the exception of a thread.
  template <class Compute>
  void run(Compute&& compute, std::uint64_t seed = 0) {
    const auto compute_all = [&] {
      const Stopwatch watch;
      pool_.run(threads(), [&](int thread) { replicas_[static_cast<std::size_t>(thread)]->run(compute, thread); });
      compute_seconds_ = watch.seconds();
    };
    if (exchange_) return exchange_->run(compute_all, seed);
    compute_all();
    add_replicas();
  }

  // After run(): the sum over all workers, which is the same on every rank.
  autograd::Gradients& gradients() { return exchange_ ? exchange_->total() : replicas_.front()->gradients; }
  // How long this rank's workers computed in the last run(), without the exchange with other ranks.
  double compute_seconds() const { return compute_seconds_; }
  // Bytes that this rank has sent to others so far.
  std::uint64_t sent_bytes() const { return exchange_ ? exchange_->sent_bytes() : 0; }
  ThreadPool& pool() { return pool_; }
  // Memory of this rank's gradients and tapes, in bytes.
  std::size_t bytes() const;

 private:
  // The state of one worker. With several ranks, it tells the exchange which gradients of the last micro-batch are
  // complete, so that they can be sent while the backward pass continues.
  struct Replica final : autograd::GradientListener {
    explicit Replica(const autograd::Parameters& parameters) : gradients(parameters), tape(parameters, &gradients) {}

    template <class Compute>
    void run(Compute&& compute, int thread) {
      gradients.clear();
      incomplete.assign(incomplete.size(), true);
      last = false;
      while (!last) {
        tape.clear(autograd::Tape::Mode::record);
        last = !compute(thread, tape);
        kernels::ProfileTimer timer;
        tape.backward();
        timer.lap(kernels::Profile::backward);
      }
      // Parameters that no operation used are complete too.
      for (int i = 0; i < static_cast<int>(incomplete.size()); ++i) on_complete({i});
    }
    void report_to(Exchange& to, std::size_t parameters) {
      exchange = &to;
      incomplete.resize(parameters);
      tape.set_listener(*this);
    }
    void on_complete(autograd::ParameterId id) override {
      const auto i = static_cast<std::size_t>(id.index);
      if (!last || !incomplete[i]) return;
      incomplete[i] = false;
      exchange->on_complete(id);
    }

    autograd::Gradients gradients;
    autograd::Tape tape;
    Exchange* exchange = nullptr;  // null with a single rank
    std::vector<bool> incomplete;  // per parameter: not yet reported to the exchange; empty with a single rank
    bool last = false;             // the micro-batch being computed is the last one
  };
  void add_replicas();

  std::vector<std::unique_ptr<Replica>> replicas_;
  ThreadPool pool_;
  Communicator& communicator_;
  std::unique_ptr<Exchange> exchange_;  // null with a single rank
  double compute_seconds_ = 0;
};

}  // namespace heed::train
