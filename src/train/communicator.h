// What the processes ("ranks") of one training run need of each other: messages, and sums whose order of addition does
// not depend on how the workers are spread over processes. Every rank calls the same functions in the same order; a
// rank that throws leaves the others waiting, so whoever starts the processes must then end them all. One thread per
// rank.
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
  // Whether this is the rank that reads and writes files, validates and reports.
  bool is_main() const { return rank() == 0; }

  // A message from one rank to another; both know its size.
  virtual void send(int to, std::span<const std::byte> bytes) = 0;
  virtual void receive(int from, std::span<std::byte> bytes) = 0;
  // Copies the bytes of rank `root` to all ranks.
  virtual void broadcast(int root, std::span<std::byte> bytes) = 0;
  // Returns once every rank has called it.
  virtual void barrier() = 0;
};

// The communicator of a run in one process: size 1, rank 0, nothing to exchange.
Communicator& single_process();

// On every rank: ((0 + terms of rank 0) + terms of rank 1) + …, each rank's terms from left to right. The same bits as
// if one rank had all the terms.
double sum_in_order(Communicator& communicator, std::span<const double> terms);

// Gives all ranks the text of rank 0.
void broadcast(Communicator& communicator, std::string& text);

}  // namespace heed::train
