// Data-parallel training: every worker computes its part of a batch on its own tape, arena and gradients; then the
// gradients are added in the order of the workers, each number by one thread. Workers are the threads of all ranks,
// numbered rank by rank. The same number of workers gives the same bits, however they are spread over ranks; another
// number differs by rounding only.
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
  // Every rank must have the same number of threads: else a UsageError. The parameters and the communicator must
  // outlive it.
  DataParallel(const autograd::Parameters& parameters, int threads, Communicator& communicator = single_process());
  ~DataParallel();

  int threads() const { return pool_.size(); }  // workers of this rank
  int workers() const { return threads() * communicator_.size(); }
  int first_worker() const { return threads() * communicator_.rank(); }  // of this rank
  Communicator& communicator() const { return communicator_; }

  // On every thread at once: calls compute(thread, tape), which returns whether there is more, and runs the backward
  // pass, until there is no more; then adds up the gradients of all ranks. The loss must be normalized by the whole
  // batch's size, not by a worker's part. What a thread throws is thrown here.
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
  // Memory that this rank holds for gradients and tapes.
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
  std::unique_ptr<Message> message_;               // if there are other ranks
  std::unique_ptr<autograd::Gradients> received_;  // the sum of the ranks before this one, if there are any
};

}  // namespace heed::train
