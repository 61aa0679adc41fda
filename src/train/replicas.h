// Parallel training without barriers: every worker computes its share of a batch on its own tape, arena and gradients;
// then the gradients are added in the order of the workers, each number by one thread. The same number of workers gives
// the same bits; another number differs by rounding only.
#pragma once

#include <memory>
#include <vector>

#include "autograd/tape.h"
#include "base/thread_pool.h"
#include "kernels/profile.h"

namespace heed {

class Replicas {
 public:
  Replicas(const Parameters& parameters, int workers);

  int size() const { return pool_.size(); }

  // On every worker at once: calls compute(worker, tape), which returns whether there is more, and goes backwards,
  // until there is no more; then adds the gradients up. The loss must be normalised by the whole batch's size, not by a
  // worker's share. What a worker throws is thrown here.
  template <class Compute>
  void run(Compute&& compute) {
    pool_.run(size(), [&](int worker) {
      Replica& replica = *replicas_[static_cast<std::size_t>(worker)];
      replica.gradients.clear();
      for (bool more = true; more;) {
        replica.tape.clear(Tape::Mode::record);
        more = compute(worker, replica.tape);
        kernels::ProfileTimer timer;
        replica.tape.backward();
        timer.lap(kernels::Profile::backward);
      }
    });
    reduce();
  }

  // The sum over all workers, after run().
  Gradients& gradients() { return replicas_.front()->gradients; }
  ThreadPool& pool() { return pool_; }
  // Memory held for gradients and tapes.
  std::size_t bytes() const;

 private:
  struct Replica {
    explicit Replica(const Parameters& parameters) : gradients(parameters), tape(parameters, &gradients) {}
    Gradients gradients;
    Tape tape;
  };
  void reduce();

  std::vector<std::unique_ptr<Replica>> replicas_;
  ThreadPool pool_;
};

}  // namespace heed
