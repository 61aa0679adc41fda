#include "train/data_parallel.h"

#include <cstring>

namespace heed::train {

// Gradients on their way between ranks: how many rows of each embedding were touched, which, and the numbers.
class DataParallel::Message {
 public:
  explicit Message(const autograd::Parameters& parameters) : parameters_(parameters) {
    for (std::size_t i = 0; i < parameters.size(); ++i) ids_.push_back({static_cast<int>(i)});
  }

  void pack(autograd::Gradients& gradients) {
    counts_.clear(), rows_.clear(), numbers_.clear();
    for (const autograd::ParameterId id : ids_) {
      const autograd::TouchedRows* touched = gradients.touched(id);
      if (touched == nullptr) continue;
      counts_.push_back(static_cast<std::int64_t>(touched->rows().size()));
      rows_.insert(rows_.end(), touched->rows().begin(), touched->rows().end());
    }
    for_each_block(gradients,
                   [&](std::span<std::byte> block) { numbers_.insert(numbers_.end(), block.begin(), block.end()); });
  }

  void unpack(autograd::Gradients& gradients) const {
    gradients.clear();
    auto count = counts_.begin();
    Ids rows = rows_;
    for (const autograd::ParameterId id : ids_) {
      if (gradients.touched(id) == nullptr) continue;
      const auto own = static_cast<std::size_t>(*count++);
      gradients.touched(id)->add(rows.first(own));
      rows = rows.subspan(own);
    }
    const std::byte* from = numbers_.data();
    for_each_block(gradients, [&](std::span<std::byte> block) {
      std::memcpy(block.data(), from, block.size());
      from += block.size();
    });
  }

  // Calls move(bytes) for each part of the message, in an order and of sizes that the receiver knows by then.
  template <class Move>
  void transfer(Move&& move) {
    std::size_t embeddings = 0, rows = 0;
    Index numbers = 0;
    for (const autograd::ParameterId id : ids_) embeddings += parameters_[id].sparse ? 1 : 0;
    counts_.resize(embeddings);
    move(std::as_writable_bytes(std::span(counts_)));
    auto count = counts_.begin();
    for (const autograd::ParameterId id : ids_) {
      const autograd::Parameter& p = parameters_[id];
      numbers += (p.sparse ? *count : p.rows()) * p.columns();
      if (p.sparse) rows += static_cast<std::size_t>(*count++);
    }
    rows_.resize(rows);
    numbers_.resize(static_cast<std::size_t>(numbers * size_of(parameters_.type())));
    move(std::as_writable_bytes(std::span(rows_)));
    move(std::span(numbers_));
  }

 private:
  // The numbers that may differ from zero, in the order of the parameters.
  template <class Each>
  void for_each_block(autograd::Gradients& gradients, Each&& each) const {
    const auto visit = [&](const Tensor& block) {
      const bool f32 = block.type() == DType::f32;
      auto* const first =
          f32 ? reinterpret_cast<std::byte*>(block.data<float>()) : reinterpret_cast<std::byte*>(block.data<double>());
      each(std::span(first, static_cast<std::size_t>(block.elements() * size_of(block.type()))));
    };
    for (const autograd::ParameterId id : ids_) {
      const autograd::TouchedRows* touched = gradients.touched(id);
      if (touched == nullptr) {
        visit(gradients[id]);
        continue;
      }
      for (const Id row : touched->rows()) visit(gradients[id].slice_rows(row, 1));
    }
  }

  const autograd::Parameters& parameters_;
  std::vector<autograd::ParameterId> ids_;
  std::vector<std::int64_t> counts_;  // of touched rows, per embedding
  std::vector<Id> rows_;
  std::vector<std::byte> numbers_;
};

DataParallel::DataParallel(const autograd::Parameters& parameters, int threads, Communicator& communicator)
    : pool_(threads), communicator_(communicator) {
  for (int i = 0; i < threads; ++i) replicas_.push_back(std::make_unique<Replica>(parameters));
  const auto own = static_cast<double>(threads);
  const double all = sum_in_order(communicator, {&own, 1});
  check<UsageError>(all == own * communicator.size(),
                    "rank {} has {} of {} threads; give every rank the same --threads", communicator.rank(), threads,
                    all);
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

// A chain from rank to rank: ((worker 0 + worker 1) + worker 2) + …, wherever the workers are.
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

// Adds the gradients of this rank's workers to the sum, which on rank 0 starts as worker 0's.
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
