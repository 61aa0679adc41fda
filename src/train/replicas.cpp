#include "train/replicas.h"

namespace heed {

Replicas::Replicas(const Parameters& parameters, int workers) : pool_(workers) {
  for (int i = 0; i < workers; ++i) replicas_.push_back(std::make_unique<Replica>(parameters));
}

std::size_t Replicas::bytes() const {
  std::size_t total = 0;
  for (const auto& replica : replicas_)
    total += replica->tape.arena().most_used() +
             static_cast<std::size_t>(replica->gradients.flat().columns() * size_of(replica->gradients.flat().type()));
  return total;
}

void Replicas::reduce() {
  if (size() == 1) return;
  pool_.run(size(), [&](int part) {
    kernels::ProfileTimer timer;
    for (std::size_t i = 1; i < replicas_.size(); ++i) gradients().add(replicas_[i]->gradients, part, size());
    timer.lap(kernels::Profile::update);
  });
  for (std::size_t i = 1; i < replicas_.size(); ++i) gradients().finish_add(replicas_[i]->gradients);
}

}  // namespace heed
