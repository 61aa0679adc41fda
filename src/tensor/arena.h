// Memory for everything that lives as long as one step: tensors, tape entries, small arrays. An allocation only moves a
// pointer. reset() frees everything at once but keeps the memory, merged into one block, so steps after the first need
// no memory from the system. Not thread-safe: one arena per thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace heed::inline tensor {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Aligned to 64 bytes, not cleared. Throws std::bad_alloc if the system is out of memory.
  void* allocate(std::size_t bytes);

  template <class T>
  std::span<T> array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    check(count <= static_cast<std::size_t>(-1) / 2 / sizeof(T), "an array of {} elements cannot fit in memory", count);
    return {static_cast<T*>(allocate(count * sizeof(T))), count};
  }

  Tensor tensor(DType type, Index rows, Index columns) {
    const Index elements = checked_elements(rows, columns);
    return {allocate(static_cast<std::size_t>(elements * size_of(type))), type, rows, columns};
  }
  Tensor zeros(DType type, Index rows, Index columns);

  // Frees everything that was allocated; the memory is kept for the next step.
  void reset();
  // Frees what was allocated since the mark, such as scratch memory.
  struct Mark {
    std::size_t block, offset, used;
  };
  Mark mark() const { return {current_, offset_, used_}; }
  void rewind(const Mark& mark);

  // Bytes in use, the most that were ever in use, and bytes reserved (pages never written to cost nothing).
  std::size_t used() const { return used_; }
  std::size_t peak_used() const { return std::max(peak_used_, used_); }
  std::size_t capacity() const;

 private:
  struct Free {
    std::size_t size = 0;
    void operator()(std::byte* block) const;
  };
  struct Block {
    std::unique_ptr<std::byte, Free> memory;
    std::size_t size = 0;
  };
  static Block new_block(std::size_t size);

  std::vector<Block> blocks_;
  std::size_t current_ = 0;  // index of the block in use; later blocks are free
  std::size_t offset_ = 0;   // into that block
  std::size_t used_ = 0, peak_used_ = 0;
};

}  // namespace heed::tensor
