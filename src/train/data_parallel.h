// Data-parallel training: every worker computes its part of a batch on its own tape, arena and gradients; then the
// gradients are added in the order of the workers, each element by one thread. Workers are the threads of all ranks,
// numbered rank by rank. The same number of workers gives the same bits, however they are distributed over ranks; with
// another number the results differ by rounding only.
#pragma once

#include <memory>
#include <vector>

#include "autograd/tape.h"
#include "base/thread_pool.h"
#include "kernels/profile.h"
#include "train/communicator.h"

namespace heed::train {

class DataParallel {
 public:
  // UsageError unless every rank has the same number of threads. The parameters and the communicator must outlive it.
  DataParallel(const autograd::Parameters& parameters, int threads, Communicator& communicator = single_process());
  ~DataParallel();

  int threads() const { return pool_.size(); }  // workers of this rank
  int workers() const { return threads() * communicator_.size(); }
  int first_worker() const { return threads() * communicator_.rank(); }  // of this rank
  Communicator& communicator() const { return communicator_; }

  // On every thread: calls compute(thread, tape) and the backward pass until compute() returns false (no more
  // micro-batches); then adds up the gradients of all ranks. The loss must be normalized by the size of the whole
  // batch, not of a worker's part. Rethrows the exception of a thread.
  template <class Compute>
  void run(Compute&& compute) {
    pool_.run(threads(), [&](int thread) {
      Replica& replica = *replicas_[static_cast<std::size_t>(thread)];
      replica.gradients.clear();
      for (bool more = true; more;) {
        replica.tape.clear(autograd::Tape::Mode::record);
        more = compute(thread, replica.tape);
        kernels::ProfileTimer timer;
        replica.tape.backward();
        timer.lap(kernels::Profile::backward);
      }
    });
    reduce();
  }

  // The sum over all workers, after run(): the same on every rank.
  autograd::Gradients& gradients() { return received_ ? *received_ : replicas_.front()->gradients; }
  ThreadPool& pool() { return pool_; }
  // Memory of this rank's gradients and tapes.
  std::size_t bytes() const;

 private:
  struct Replica {
    explicit Replica(const autograd::Parameters& parameters) : gradients(parameters), tape(parameters, &gradients) {}
    autograd::Gradients gradients;
    autograd::Tape tape;
  };
  class Message;
  void reduce();
  void add_replicas();

  std::vector<std::unique_ptr<Replica>> replicas_;
  ThreadPool pool_;
  Communicator& communicator_;
  std::unique_ptr<Message> message_;               // null with a single rank
  std::unique_ptr<autograd::Gradients> received_;  // the sum over the previous ranks; null on rank 0
};

}  // namespace heed::train
