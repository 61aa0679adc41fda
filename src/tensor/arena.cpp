#include "tensor/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace heed::inline tensor {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSmallestBlock = std::size_t{1} << 20;

}  // namespace

void Arena::Free::operator()(std::byte* block) const {
  ::munmap(block, size);
}

// Mapped directly, so that freeing a block returns it to the system; malloc is configured to keep freed memory
// (kernels/matmul.cpp).
Arena::Block Arena::new_block(std::size_t size) {
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return {std::unique_ptr<std::byte, Free>(static_cast<std::byte*>(memory), Free{size}), size};
}

void* Arena::allocate(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(-1) / 4) throw std::bad_alloc();
  const std::size_t size = std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  while (current_ < blocks_.size() && blocks_[current_].size - offset_ < size) ++current_, offset_ = 0;
  if (current_ == blocks_.size()) {
    const std::size_t last = blocks_.empty() ? 0 : blocks_.back().size;
    blocks_.push_back(new_block(std::max({size, 2 * last, kSmallestBlock})));
  }
  void* result = blocks_[current_].memory.get() + offset_;
  offset_ += size;
  used_ += size;
  return result;
}

Tensor Arena::zeros(DType type, Index rows, Index columns) {
  const std::size_t blocks = blocks_.size();
  const Tensor result = tensor(type, rows, columns);
  if (blocks_.size() > blocks) return result;  // new pages are zero
  std::memset(result.address(), 0, static_cast<std::size_t>(result.elements() * size_of(type)));
  return result;
}

void Arena::reset() {
  peak_used_ = peak_used();
  if (blocks_.size() > 1) {
    const std::size_t total = capacity();
    blocks_.clear();
    blocks_.push_back(new_block(total));
  }
  current_ = offset_ = used_ = 0;
}

void Arena::rewind(const Mark& mark) {
  peak_used_ = peak_used();
  current_ = mark.block;
  offset_ = mark.offset;
  used_ = mark.used;
}

std::size_t Arena::capacity() const {
  std::size_t total = 0;
  for (const Block& block : blocks_) total += block.size;
  return total;
}

}  // namespace heed::tensor
