#include "tensor/tensor.h"

#include <gtest/gtest.h>

#include <vector>

#include "tensor/arena.h"

namespace heed {
namespace {

TEST(Tensor, SlicesAreViews) {
  std::vector<float> numbers(12);
  for (std::size_t i = 0; i < 12; ++i) numbers[i] = static_cast<float>(i);
  const Tensor x(numbers.data(), DType::f32, 3, 4);
  const Tensor slice = x.slice_rows(1, 2).slice_columns(2, 2);
  EXPECT_EQ(slice.shape_string(), "[2,2]");
  EXPECT_EQ(slice.row<float>(1)[0], 10.0f);
  slice.row<float>(0)[1] = 100;
  EXPECT_EQ(numbers[7], 100.0f);
  EXPECT_FALSE(slice.contiguous());
  EXPECT_TRUE(x.reshape(2, 6).contiguous());
}

TEST(Tensor, RefusesSlicesOutOfRangeAndWrongTypes) {
  std::vector<float> numbers(12);
  const Tensor x(numbers.data(), DType::f32, 3, 4);
  EXPECT_THROW(x.slice_rows(2, 2), ShapeError);
  EXPECT_THROW(x.slice_rows(-1, 1), ShapeError);
  EXPECT_THROW(x.slice_columns(4, 1), ShapeError);
  EXPECT_THROW(x.slice_columns(0, -1), ShapeError);
  EXPECT_THROW(x.slice_rows(INT64_MAX, 2), ShapeError);
  EXPECT_THROW(x.reshape(5, 2), ShapeError);
  EXPECT_THROW(x.slice_columns(0, 2).reshape(2, 3), ShapeError);
  EXPECT_THROW(x.data<double>(), InternalError);
}

TEST(Tensor, SizesThatOverflowAreRefusedBeforeAllocation) {
  Arena arena;
  EXPECT_THROW(arena.tensor(DType::f32, Index{1} << 40, Index{1} << 40), ShapeError);
  EXPECT_THROW(arena.tensor(DType::f32, -1, 3), ShapeError);
  EXPECT_THROW(arena.array<int>(static_cast<std::size_t>(-1) / 4), ShapeError);
  EXPECT_EQ(arena.capacity(), 0u);
  EXPECT_THROW(arena.tensor(DType::f32, Index{1} << 28, Index{1} << 28), std::bad_alloc);
}

TEST(Arena, AllocationsAreAlignedAndDoNotOverlap) {
  Arena arena;
  std::vector<std::pair<char*, std::size_t>> blocks;
  for (std::size_t size : {1u, 63u, 64u, 65u, 0u, 3'000'000u, 7u}) {
    auto* p = static_cast<char*>(arena.allocate(size));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 64, 0u);
    std::fill_n(p, size, static_cast<char>(blocks.size()));
    blocks.emplace_back(p, size);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (std::size_t k = 0; k < blocks[i].second; ++k) ASSERT_EQ(blocks[i].first[k], static_cast<char>(i));
}

TEST(Arena, ResetMergesBlocksAndKeepsTheMemory) {
  Arena arena;
  for (int i = 0; i < 10; ++i) arena.allocate(1 << 20);
  const std::size_t grown = arena.capacity();
  EXPECT_EQ(arena.peak_used(), 10u << 20);
  arena.reset();
  EXPECT_EQ(arena.used(), 0u);
  EXPECT_EQ(arena.capacity(), grown);
  arena.allocate(64);
  EXPECT_EQ(arena.peak_used(), 10u << 20);
  arena.reset();
  for (int i = 0; i < 10; ++i) arena.allocate(1 << 20);
  EXPECT_EQ(arena.capacity(), grown);
}

TEST(Arena, RewindsToAMarkAcrossBlocks) {
  Arena arena;
  auto* const kept = static_cast<char*>(arena.allocate(100));
  kept[0] = 'x';
  const Arena::Mark mark = arena.mark();
  void* const first = arena.allocate(100);
  for (int i = 0; i < 5; ++i) arena.allocate(1 << 20);
  const std::size_t used = arena.used(), grown = arena.capacity();
  for (int round = 0; round < 3; ++round) {
    arena.rewind(mark);
    EXPECT_EQ(arena.used(), 128u);
    EXPECT_EQ(arena.peak_used(), used);
    EXPECT_EQ(arena.allocate(100), first);
    for (int i = 0; i < 5; ++i) std::fill_n(static_cast<char*>(arena.allocate(1 << 20)), 1 << 20, '\x7f');
    EXPECT_EQ(arena.capacity(), grown);
  }
  EXPECT_EQ(kept[0], 'x');
  arena.rewind(mark);
  const Tensor zeros = arena.zeros(DType::f32, 1000, 1000);
  EXPECT_EQ(*std::max_element(zeros.data<float>(), zeros.data<float>() + zeros.elements()), 0.0f);
}

}  // namespace
}  // namespace heed
