#include "tensor/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace heed {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSmallestBlock = std::size_t{1} << 20;
constexpr std::size_t kPage = 4096;

// Asks for all of the memory now: a fault for every page, when a model's parameters are first written, takes longer
// than the rest of loading it. A system that cannot do so does it page by page as ever.
void populate(std::byte* memory, std::size_t size) {
#ifdef MADV_POPULATE_WRITE
  auto* const first =
      reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(memory) + kPage - 1) / kPage * kPage);
  ::madvise(first, static_cast<std::size_t>(memory + size - first) / kPage * kPage, MADV_POPULATE_WRITE);
#endif
}

}  // namespace

void Arena::Free::operator()(std::byte* block) const {
  std::free(block);
}

Arena::Block Arena::new_block(std::size_t size) {
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(kAlignment, size));
  if (memory == nullptr) throw std::bad_alloc();
  return {std::unique_ptr<std::byte, Free>(memory), size};
}

void* Arena::allocate(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(-1) / 4) throw std::bad_alloc();
  const std::size_t size = std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (blocks_.empty() || blocks_.back().size - offset_ < size) {
    const std::size_t last = blocks_.empty() ? 0 : blocks_.back().size;
    blocks_.push_back(new_block(std::max({size, 2 * last, kSmallestBlock})));
    offset_ = 0;
    // Filled by this one allocation.
    if (blocks_.back().size == size && size > kSmallestBlock) populate(blocks_.back().memory.get(), size);
  }
  void* result = blocks_.back().memory.get() + offset_;
  offset_ += size;
  used_ += size;
  return result;
}

Tensor Arena::zeros(DType type, Index rows, Index columns) {
  const Tensor result = tensor(type, rows, columns);
  std::memset(const_cast<void*>(result.address()), 0, static_cast<std::size_t>(result.elements() * size_of(type)));
  return result;
}

void Arena::reset() {
  if (blocks_.size() > 1) {
    const std::size_t total = capacity();
    blocks_.clear();
    blocks_.push_back(new_block(total));
  }
  offset_ = 0;
  used_ = 0;
}

std::size_t Arena::capacity() const {
  std::size_t total = 0;
  for (const Block& block : blocks_) total += block.size;
  return total;
}

}  // namespace heed
