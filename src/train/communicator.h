// Communication between the processes ("ranks") of one training run: messages, and sums that do not depend on how the
// workers are distributed over ranks. All ranks must call the same functions in the same order. Two threads of a rank
// may communicate at the same time if they exchange messages with different ranks or in different directions. If a rank
// throws, the others wait for it forever, so the launcher must end all processes when one fails.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed::train {

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int size() const = 0;
  virtual int rank() const = 0;  // 0 … size() - 1
  // The main rank uses the run directory and reports.
  bool is_main() const { return rank() == 0; }

  // A message from one rank to another. Both sides must pass the same number of bytes.
  virtual void send(int to, std::span<const std::byte> bytes) = 0;
  virtual void receive(int from, std::span<std::byte> bytes) = 0;
  // Copies the bytes of rank `root` to all ranks.
  virtual void broadcast(int root, std::span<std::byte> bytes) = 0;
  // Returns once every rank has called it.
  virtual void barrier() = 0;
  // Call if this rank has failed: makes waiting calls of its other threads, and all later calls, throw.
  virtual void cancel() noexcept = 0;
};

// The communicator of a run in one process: size 1, rank 0.
Communicator& single_process();

// Returns ((0 + terms of rank 0) + terms of rank 1) + … on every rank, with each rank's terms added from left to right:
// the same bits as if one rank had all the terms.
double sum_in_order(Communicator& communicator, std::span<const double> terms);

// Copies the text of rank `root` to all ranks.
void broadcast(Communicator& communicator, std::string& text, int root = 0);
// Returns the texts of all ranks on rank 0, and nothing on the others.
std::vector<std::string> gather(Communicator& communicator, const std::string& text);
// InputError on all ranks if the text of a rank differs from that of rank 0. The message names `what` differs, the
// first such rank, the first line that differs, and the advice.
void check_same(Communicator& communicator, std::string_view what, const std::string& text, std::string_view advice);

}  // namespace heed::train
