#include "train/communicator.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/error.h"
#include "base/utf8.h"

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
  void cancel() noexcept override {}

 private:
  [[noreturn]] static void refuse(int rank) { throw InternalError("a single process has no rank {}", rank); }
};

template <class T>
std::span<std::byte> bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

// The first lines that differ, one from each text.
std::pair<std::string_view, std::string_view> first_difference(std::string_view a, std::string_view b) {
  while (true) {
    const std::size_t end_a = std::min(a.find('\n'), a.size()), end_b = std::min(b.find('\n'), b.size());
    const std::pair lines(a.substr(0, end_a), b.substr(0, end_b));
    if (lines.first != lines.second || end_a == a.size() || end_b == b.size()) return lines;
    a.remove_prefix(end_a + 1), b.remove_prefix(end_b + 1);
  }
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

void broadcast(Communicator& c, std::string& text, int root) {
  std::uint64_t size = text.size();
  c.broadcast(root, bytes_of(size));
  text.resize(size);
  c.broadcast(root, std::as_writable_bytes(std::span(text)));
}

std::vector<std::string> gather(Communicator& c, const std::string& text) {
  std::uint64_t size = text.size();
  if (!c.is_main()) {
    c.send(0, bytes_of(size));
    c.send(0, std::as_bytes(std::span(text)));
    return {};
  }
  std::vector<std::string> texts = {text};
  for (int rank = 1; rank < c.size(); ++rank) {
    c.receive(rank, bytes_of(size));
    c.receive(rank, std::as_writable_bytes(std::span(texts.emplace_back(size, '\0'))));
  }
  return texts;
}

void check_same(Communicator& c, std::string_view what, const std::string& text, std::string_view advice) {
  if (c.size() == 1) return;
  std::string main = text;
  broadcast(c, main);
  int different = 0;  // the first rank whose text differs; 0: none
  if (c.rank() > 0) c.receive(c.rank() - 1, bytes_of(different));
  if (different == 0 && text != main) different = c.rank();
  if (c.rank() < c.size() - 1) c.send(c.rank() + 1, bytes_of(different));
  c.broadcast(c.size() - 1, bytes_of(different));
  if (different == 0) return;
  std::string other = text;
  broadcast(c, other, different);
  const auto [line, other_line] = first_difference(main, other);
  throw InputError("{} of rank {} differs from that of rank 0 ({}, not {}); {}", what, different, in_quotes(other_line),
                   in_quotes(line), advice);
}

}  // namespace heed::train
