#include "train/data_parallel.h"

#include "base/error.h"

namespace heed::train {

DataParallel::DataParallel(const autograd::Parameters& parameters, int threads, Communicator& communicator,
                           GradientFormat format)
    : pool_(threads), communicator_(communicator) {
  for (int i = 0; i < threads; ++i) replicas_.push_back(std::make_unique<Replica>(parameters));
  if (communicator.size() == 1) return;
  const auto own = static_cast<double>(threads);
  const double all = sum_in_order(communicator, {&own, 1});
  check<UsageError>(all == own * communicator.size(),
                    "rank {} has {} of all {} threads; start every rank with the same --threads", communicator.rank(),
                    threads, all);
  std::vector<autograd::Gradients*> gradients;
  for (const auto& replica : replicas_) gradients.push_back(&replica->gradients);
  exchange_ = std::make_unique<Exchange>(parameters, std::move(gradients), pool_, communicator, format);
  for (const auto& replica : replicas_) replica->report_to(*exchange_, parameters.size());
}

std::size_t DataParallel::bytes() const {
  std::size_t total = 0;
  const auto size = [](const Tensor& flat) { return static_cast<std::size_t>(flat.columns() * size_of(flat.type())); };
  for (const auto& replica : replicas_) total += replica->tape.arena().peak_used() + size(replica->gradients.flat());
  return total + (communicator_.rank() > 0 ? size(exchange_->total().flat()) : 0);
}

// Adds the gradients of the other workers to those of worker 0.
void DataParallel::add_replicas() {
  if (replicas_.size() == 1) return;
  pool_.run(threads(), [&](int part) {
    kernels::ProfileTimer timer;
    for (std::size_t i = 1; i < replicas_.size(); ++i) gradients().add(replicas_[i]->gradients, part, threads());
    timer.lap(kernels::Profile::update);
  });
  for (std::size_t i = 1; i < replicas_.size(); ++i) gradients().finish_add(replicas_[i]->gradients);
}

}  // namespace heed::train
