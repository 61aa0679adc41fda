#include "train/communicator.h"

#include <cstdint>

#include "base/error.h"

namespace heed::train {
namespace {

class SingleProcess final : public Communicator {
 public:
  int size() const override { return 1; }
  int rank() const override { return 0; }
  void send(int to, std::span<const std::byte>) override { refuse(to); }
  void receive(int from, std::span<std::byte>) override { refuse(from); }
  void broadcast(int root, std::span<std::byte>) override {
    if (root != 0) refuse(root);
  }
  void barrier() override {}

 private:
  [[noreturn]] static void refuse(int rank) { throw InternalError("a single process has no rank {}", rank); }
};

template <class T>
std::span<std::byte> bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

}  // namespace

Communicator& single_process() {
  static SingleProcess instance;  // has no state
  return instance;
}

double sum_in_order(Communicator& c, std::span<const double> terms) {
  double sum = 0;
  if (c.rank() > 0) c.receive(c.rank() - 1, bytes_of(sum));
  for (const double term : terms) sum += term;
  const int last = c.size() - 1;
  if (c.rank() < last) c.send(c.rank() + 1, bytes_of(sum));
  c.broadcast(last, bytes_of(sum));
  return sum;
}

void broadcast(Communicator& c, std::string& text) {
  std::uint64_t size = text.size();
  c.broadcast(0, bytes_of(size));
  text.resize(size);
  c.broadcast(0, std::as_writable_bytes(std::span(text)));
}

}  // namespace heed::train
