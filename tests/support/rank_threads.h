// The ranks of a training run as threads of this process, which exchange messages in memory.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "train/communicator.h"

namespace heed::testing {

class RankThreads {
 public:
  // Calls function(communicator) once per rank, all at the same time. Rethrows the exception of the first rank to fail.
  template <class Function>
  static void run(int ranks, Function&& function) {
    Hub hub;
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&hub, &function, rank, ranks] {
        Rank communicator(hub, rank, ranks);
        try {
          function(communicator);
        } catch (...) {
          hub.fail(std::current_exception());
        }
      });
    for (std::thread& thread : threads) thread.join();
    if (hub.failure) std::rethrow_exception(hub.failure);
    if (!hub.mail.empty()) throw std::logic_error("a message was sent that no rank received");
  }

 private:
  using Bytes = std::vector<std::byte>;
  struct Hub {
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::pair<int, int>, std::deque<Bytes>> mail;  // by sender and receiver
    std::exception_ptr failure;

    void fail(std::exception_ptr error) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::move(error);
      changed.notify_all();
    }
  };

  class Rank final : public train::Communicator {
   public:
    Rank(Hub& hub, int rank, int size) : hub_(hub), rank_(rank), size_(size) {}
    int size() const override { return size_; }
    int rank() const override { return rank_; }

    void send(int to, std::span<const std::byte> bytes) override {
      const std::lock_guard lock(hub_.mutex);
      hub_.mail[{rank_, to}].emplace_back(bytes.begin(), bytes.end());
      hub_.changed.notify_all();
    }

    void receive(int from, std::span<std::byte> bytes) override {
      std::unique_lock lock(hub_.mutex);
      const std::pair key(from, rank_);
      hub_.changed.wait(lock, [&] { return hub_.failure || hub_.mail.contains(key); });
      if (hub_.failure) throw std::runtime_error("another rank has failed");
      auto& queue = hub_.mail[key];
      if (queue.front().size() != bytes.size()) throw std::logic_error("a message does not have the expected size");
      std::copy(queue.front().begin(), queue.front().end(), bytes.begin());
      queue.pop_front();
      if (queue.empty()) hub_.mail.erase(key);
    }

    void broadcast(int root, std::span<std::byte> bytes) override {
      if (rank_ != root) return receive(root, bytes);
      for (int to = 0; to < size_; ++to)
        if (to != root) send(to, bytes);
    }

    void barrier() override {
      std::byte token{};
      const std::span<std::byte> bytes(&token, 1);
      if (rank_ > 0) send(0, bytes);
      for (int from = 1; rank_ == 0 && from < size_; ++from) receive(from, bytes);
      broadcast(0, bytes);
    }

    void cancel() noexcept override {
      hub_.fail(std::make_exception_ptr(std::runtime_error("another thread of this rank has failed")));
    }

   private:
    Hub& hub_;
    int rank_, size_;
  };
};

}  // namespace heed::testing
