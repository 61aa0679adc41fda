// heed-mpi: the ranks of a job communicate through MPI. Only messages are MPI's; every sum is computed by heed, in an
// order of its own (train/data_parallel.h).
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/checksum.h"
#include "base/error.h"
#include "base/files.h"
#include "base/terminal.h"
#include "interrupt.h"
#include "job.h"

namespace heed::cli {
namespace {

// Rank 0 prints this if mpirun ends the job while it waits for another rank, which may have died.
constexpr std::string_view kJobEnds =
    "heed: mpirun is ending the job, perhaps because a process died; run the same command with --resume to continue "
    "from the last checkpoint\n";

// Bytes are sent in several messages, some of which are in flight at the same time: while one waits for the other side
// to be ready, another one uses the network.
constexpr std::size_t kMessageBytes = std::size_t{1} << 19;
constexpr std::size_t kMessagesInFlight = 4;

class MpiCommunicator final : public train::Communicator {
 public:
  MpiCommunicator() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    check<InputError>(provided == MPI_THREAD_MULTIPLE,
                      "this MPI library lacks MPI_THREAD_MULTIPLE; use one that has it, such as Open MPI 4.1 or later");
  }

  int size() const override { return size_; }
  int rank() const override { return rank_; }

  void send(int to, std::span<const std::byte> bytes) override {
    for_each_message(bytes, [&](std::span<const std::byte> part, MPI_Request& request) {
      return MPI_Isend(part.data(), static_cast<int>(part.size()), MPI_BYTE, to, 0, MPI_COMM_WORLD, &request);
    });
  }

  void receive(int from, std::span<std::byte> bytes) override {
    for_each_message(bytes, [&](std::span<std::byte> part, MPI_Request& request) {
      return MPI_Irecv(part.data(), static_cast<int>(part.size()), MPI_BYTE, from, 0, MPI_COMM_WORLD, &request);
    });
  }

  void broadcast(int root, std::span<std::byte> bytes) override {
    for_each_message(bytes, [&](std::span<std::byte> part, MPI_Request& request) {
      return MPI_Ibcast(part.data(), static_cast<int>(part.size()), MPI_BYTE, root, MPI_COMM_WORLD, &request);
    });
  }

  void barrier() override {
    MPI_Request request;
    check_result(MPI_Ibarrier(MPI_COMM_WORLD, &request));
    wait(request);
  }

  void cancel() noexcept override { canceled_ = true; }

 private:
  template <class Bytes, class Start>
  void for_each_message(Bytes bytes, Start start) {
    std::array<MPI_Request, kMessagesInFlight> requests;
    const std::size_t count = (bytes.size() + kMessageBytes - 1) / kMessageBytes;
    for (std::size_t i = 0; i < count + kMessagesInFlight; ++i) {
      MPI_Request& request = requests[i % kMessagesInFlight];
      if (i >= kMessagesInFlight && i - kMessagesInFlight < count) wait(request);
      if (i >= count) continue;
      const std::size_t from = i * kMessageBytes;
      check_result(start(bytes.subspan(from, std::min(kMessageBytes, bytes.size() - from)), request));
    }
  }

  // MPI's blocking calls busy-wait on a core, which the threads that compute need, so this polls with MPI_Test and
  // sleeps between polls, longer if the wait is long.
  void wait(MPI_Request& request) {
    constexpr int kSpins = 200, kShortSleeps = 100;
    for (int tries = 0;; ++tries) {
      int done = 0;
      check_result(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
      if (done != 0) return;
      check<InputError>(!canceled_, "the exchange with the other ranks was canceled");
      if (interrupted() == SIGTERM && !reported_end_.exchange(true) && rank_ == 0) say(kJobEnds);
      if (tries < kSpins)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(std::chrono::microseconds(tries < kSpins + kShortSleeps ? 50 : 200));
    }
  }

  void check_result(int code) const {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw InputError("rank {} lost the connection to another rank ({}); start the job again with --resume", rank_,
                     std::string_view(text, static_cast<std::size_t>(length)));
  }

  int size_ = 1, rank_ = 0;
  std::atomic<bool> canceled_ = false, reported_end_ = false;
};

std::optional<MpiCommunicator> communicator;

}  // namespace

void join_job(const std::vector<std::string>& arguments) {
  if (launch_from_environment().size == 1 || !trains(arguments)) return;
  communicator.emplace();
  const MappedFile program("/proc/self/exe");
  Xxh64 digest;
  digest.update(program.bytes());
  check_same(*communicator, "the program", hex_digest(digest.digest()), "install the same heed-mpi on all machines");
}

train::Communicator& job() {
  return communicator ? *communicator : train::single_process();
}

void leave_job() {
  if (!communicator) return;
  communicator->barrier();
  MPI_Finalize();
  communicator.reset();
}

void abort_job(int code) noexcept {
  if (communicator) MPI_Abort(MPI_COMM_WORLD, code);
}

}  // namespace heed::cli
