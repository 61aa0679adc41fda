// Communication between the processes ("ranks") of one training run: messages, and sums whose order of addition does
// not depend on how the workers are distributed over processes. Every rank calls the same functions in the same order,
// from one thread. A rank that throws leaves the others waiting, so the launcher must end them all when one process
// fails.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace heed::train {

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int size() const = 0;
  virtual int rank() const = 0;  // 0 … size() - 1
  // The main rank uses the run directory, validates and reports.
  bool is_main() const { return rank() == 0; }

  // A message from one rank to another; both pass the same size.
  virtual void send(int to, std::span<const std::byte> bytes) = 0;
  virtual void receive(int from, std::span<std::byte> bytes) = 0;
  // Copies the bytes of rank `root` to all ranks.
  virtual void broadcast(int root, std::span<std::byte> bytes) = 0;
  // Returns once every rank has called it.
  virtual void barrier() = 0;
};

// The communicator of a run in one process: size 1, rank 0.
Communicator& single_process();

// Returns ((0 + terms of rank 0) + terms of rank 1) + … on every rank, with each rank's terms added from left to right:
// the same bits as if one rank had all the terms.
double sum_in_order(Communicator& communicator, std::span<const double> terms);

// Copies the text of rank 0 to all ranks.
void broadcast(Communicator& communicator, std::string& text);

}  // namespace heed::train
