#include "train/data_parallel.h"

#include <algorithm>

namespace heed::train {

// The gradients as bytes, for sending them to another rank: per dense parameter its values, per embedding the number of
// touched rows, their indexes and their values.
class DataParallel::Message {
 public:
  explicit Message(const autograd::Parameters& parameters) : parameters_(static_cast<int>(parameters.size())) {}

  void pack(autograd::Gradients& gradients) {
    bytes_.clear();
    visit(gradients, [&](std::span<std::byte> part) { bytes_.insert(bytes_.end(), part.begin(), part.end()); });
  }

  void unpack(autograd::Gradients& gradients) {
    gradients.clear();
    auto from = bytes_.begin();
    visit(gradients, [&](std::span<std::byte> part) {
      std::copy_n(from, part.size(), part.begin());
      from += std::ssize(part);
    });
  }

  // Calls move(bytes) for the size and then for the bytes, on the sender and on the receiver.
  template <class Move>
  void transfer(Move&& move) {
    std::uint64_t size = bytes_.size();
    move(std::as_writable_bytes(std::span(&size, 1)));
    bytes_.resize(size);
    move(std::span(bytes_));
  }

 private:
  // Calls each(part) for every part of the message; `each` either reads the part or overwrites it.
  template <class Each>
  void visit(autograd::Gradients& gradients, Each&& each) {
    const auto values = [&](const Tensor& block) {
      each(block.type() == DType::f32 ? std::as_writable_bytes(block.span<float>())
                                      : std::as_writable_bytes(block.span<double>()));
    };
    for (int i = 0; i < parameters_; ++i) {
      autograd::TouchedRows* const touched = gradients.touched({i});
      if (touched == nullptr) {
        values(gradients[{i}]);
        continue;
      }
      rows_.assign(touched->rows().begin(), touched->rows().end());
      std::uint64_t size = rows_.size();
      each(std::as_writable_bytes(std::span(&size, 1)));
      rows_.resize(size);
      each(std::as_writable_bytes(std::span(rows_)));
      touched->add(rows_);
      for (const Id row : rows_) values(gradients[{i}].slice_rows(row, 1));
    }
  }

  int parameters_;  // their number
  std::vector<std::byte> bytes_;
  std::vector<Id> rows_;
};

DataParallel::DataParallel(const autograd::Parameters& parameters, int threads, Communicator& communicator)
    : pool_(threads), communicator_(communicator) {
  for (int i = 0; i < threads; ++i) replicas_.push_back(std::make_unique<Replica>(parameters));
  const auto own = static_cast<double>(threads);
  const double all = sum_in_order(communicator, {&own, 1});
  check<UsageError>(all == own * communicator.size(),
                    "rank {} has {} of {} threads; start every rank with the same --threads", communicator.rank(),
                    threads, all);
  if (communicator.size() > 1) message_ = std::make_unique<Message>(parameters);
  if (communicator.rank() > 0) received_ = std::make_unique<autograd::Gradients>(parameters);
}

DataParallel::~DataParallel() = default;

std::size_t DataParallel::bytes() const {
  std::size_t total = 0;
  const auto size = [](const Tensor& flat) { return static_cast<std::size_t>(flat.columns() * size_of(flat.type())); };
  for (const auto& replica : replicas_) total += replica->tape.arena().peak_used() + size(replica->gradients.flat());
  return total + (received_ ? size(received_->flat()) : 0);
}

// A chain from rank to rank computes ((worker 0 + worker 1) + worker 2) + …, however the workers are distributed.
void DataParallel::reduce() {
  if (!message_) return add_replicas();
  const int rank = communicator_.rank(), last = communicator_.size() - 1;
  if (rank > 0) {
    message_->transfer([&](std::span<std::byte> bytes) { communicator_.receive(rank - 1, bytes); });
    message_->unpack(*received_);
  }
  add_replicas();
  message_->pack(gradients());
  if (rank < last) message_->transfer([&](std::span<std::byte> bytes) { communicator_.send(rank + 1, bytes); });
  message_->transfer([&](std::span<std::byte> bytes) { communicator_.broadcast(last, bytes); });
  if (rank != last) message_->unpack(gradients());
}

// Adds the gradients of this rank's workers to the sum, which on rank 0 is that of worker 0.
void DataParallel::add_replicas() {
  const std::size_t first = received_ ? 0 : 1;
  if (first == replicas_.size()) return;
  pool_.run(threads(), [&](int part) {
    kernels::ProfileTimer timer;
    for (std::size_t i = first; i < replicas_.size(); ++i) gradients().add(replicas_[i]->gradients, part, threads());
    timer.lap(kernels::Profile::update);
  });
  for (std::size_t i = first; i < replicas_.size(); ++i) gradients().finish_add(replicas_[i]->gradients);
}

}  // namespace heed::train
