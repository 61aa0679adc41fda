#include "kernels/project_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/random.h"
#include "kernels/cpu.h"
#include "kernels/ref/project_rows.h"
#include "tensor/arena.h"

namespace heed::kernels {
namespace {

constexpr Index kWords = 61;

// Random numbers that depend only on their index.
Tensor random_rows(Arena& arena, DType type, Index rows, Index columns, std::uint32_t salt) {
  const Tensor x = arena.tensor(type, rows, columns);
  const Random random(5, Stream::test, salt);
  for (Index i = 0; i < x.elements(); ++i) {
    const float value = 2 * random.uniform(static_cast<std::uint64_t>(i)) - 1;
    if (type == DType::f32)
      x.data<float>()[i] = value;
    else
      x.data<double>()[i] = static_cast<double>(value);
  }
  return x;
}

// Every third word or so, ascending.
std::vector<Id> some_words(std::uint32_t salt) {
  std::vector<Id> words;
  const Random random(6, Stream::test, salt);
  for (Id word = 0; word < kWords; ++word)
    if (random.below(static_cast<std::uint64_t>(word), 3) == 0) words.push_back(word);
  return words;
}

template <class Check>
void on_every_set(Check check) {
  for (const std::string& set : instruction_sets()) {
    SCOPED_TRACE(set);
    use_instruction_set(set);
    check();
  }
  use_instruction_set(instruction_sets().front());
}

TEST(ProjectRows, AgreesWithTheReferenceForOddSizes) {
  on_every_set([] {
    for (const Index columns : {1, 3, 7, 8, 16, 17, 31, 33, 64, 129})
      for (const bool has_bias : {false, true})
        for (Index rows = 1; rows <= 15; ++rows) {
          Arena arena;
          const auto inputs = [&](DType type) {
            return std::array{random_rows(arena, type, rows, columns, 1), random_rows(arena, type, kWords, columns, 2),
                              has_bias ? random_rows(arena, type, 1, kWords, 3) : Tensor()};
          };
          std::vector<Id> words = some_words(static_cast<std::uint32_t>(rows));
          words.resize(static_cast<std::size_t>(rows % 8));
          const auto count = static_cast<Index>(words.size());
          const Tensor y = arena.tensor(DType::f32, rows, count), expected = arena.tensor(DType::f64, rows, count),
                       direct = arena.tensor(DType::f64, rows, count);
          const auto [x, w, bias] = inputs(DType::f32);
          project_rows(y, x, w, bias, words);
          const auto [x64, w64, bias64] = inputs(DType::f64);
          project_rows(expected, x64, w64, bias64, words);
          ref::project_rows<double>(direct, x64, w64, bias64, words);
          for (Index i = 0; i < rows; ++i)
            for (Index j = 0; j < count; ++j) {
              EXPECT_EQ(expected.row<double>(i)[j], direct.row<double>(i)[j]);
              ASSERT_NEAR(y.row<float>(i)[j], expected.row<double>(i)[j],
                          2e-6 * std::sqrt(static_cast<double>(columns)))
                  << rows << " rows of " << columns << ", row " << i << ", word " << j;
            }
        }
  });
}

TEST(ProjectRows, AnElementDoesNotDependOnOtherRowsAndWords) {
  on_every_set([] {
    Arena arena;
    constexpr Index kRows = 13, kColumns = 77;
    const Tensor x = random_rows(arena, DType::f32, kRows, kColumns, 1),
                 w = random_rows(arena, DType::f32, kWords, kColumns, 2),
                 bias = random_rows(arena, DType::f32, 1, kWords, 3);
    std::vector<Id> all(kWords);
    for (Id word = 0; word < kWords; ++word) all[static_cast<std::size_t>(word)] = word;
    const Tensor whole = arena.tensor(DType::f32, kRows, kWords), one = arena.tensor(DType::f32, 1, 1);
    project_rows(whole, x, w, bias, all);
    for (Index i = 0; i < kRows; ++i)
      for (Id word = 0; word < kWords; ++word) {
        project_rows(one, x.slice_rows(i, 1), w, bias, Ids(&word, 1));
        ASSERT_EQ(std::memcmp(one.data<float>(), whole.row<float>(i) + word, sizeof(float)), 0)
            << "row " << i << ", word " << word;
      }
    // Groups of 1 to 6 rows, each with its own words, in one matrix that has room to spare.
    const Tensor y = arena.tensor(DType::f32, kRows, kWords + 3);
    std::vector<std::vector<Id>> words;
    for (std::uint32_t g = 0; g < 5; ++g) words.push_back(some_words(g));
    words[3].clear();
    std::vector<WordGroup> groups;
    for (Index row = 0, g = 0; row < kRows; ++g) {
      const Index count = std::min(kRows - row, g + 1);
      const std::vector<Id>& own = words[static_cast<std::size_t>(g)];
      groups.push_back({y.slice_rows(row, count).slice_columns(0, std::ssize(own)), x.slice_rows(row, count), own});
      row += count;
    }
    project_groups(groups, w, bias);
    for (Index row = 0, g = 0; row < kRows; ++g)
      for (const Index end = std::min(kRows, row + g + 1); row < end; ++row)
        for (std::size_t j = 0; j < words[static_cast<std::size_t>(g)].size(); ++j)
          ASSERT_EQ(y.row<float>(row)[j], whole.row<float>(row)[words[static_cast<std::size_t>(g)][j]])
              << "row " << row << ", word " << j;
  });
}

// Groups go through W in parts, of about a quarter of a megabyte.
TEST(ProjectRows, ComputesEveryWordOfAMatrixThatIsLargerThanAPart) {
  Arena arena;
  constexpr Index kRows = 3, kColumns = 300, kMany = 1000;
  const Tensor x = random_rows(arena, DType::f32, kRows, kColumns, 1),
               w = random_rows(arena, DType::f32, kMany, kColumns, 2);
  std::vector<Id> words;
  for (Id word = 0; word < kMany; word += 1 + word % 5) words.push_back(word);
  words.push_back(kMany - 1);
  std::swap(words[10], words[100]);  // also if they are not in order
  const Tensor y = arena.tensor(DType::f32, kRows, std::ssize(words)),
               expected = arena.tensor(DType::f32, kRows, std::ssize(words));
  WordGroup group{y, x, words};
  project_groups({&group, 1}, w, {});
  project_rows(expected, x, w, {}, words);
  EXPECT_EQ(std::memcmp(y.data<float>(), expected.data<float>(), static_cast<std::size_t>(y.elements()) * 4), 0);
}

TEST(ProjectRows, RefusesWordsAndShapesThatDoNotFit) {
  Arena arena;
  const Tensor x = arena.zeros(DType::f32, 2, 5), w = arena.zeros(DType::f32, 4, 5), y = arena.zeros(DType::f32, 2, 1);
  const Id good[] = {3}, bad[] = {4}, negative[] = {-1};
  project_rows(y, x, w, {}, good);
  EXPECT_THROW(project_rows(y, x, w, {}, bad), ShapeError);
  EXPECT_THROW(project_rows(y, x, w, {}, negative), ShapeError);
  EXPECT_THROW(project_rows(y, x, arena.zeros(DType::f32, 4, 6), {}, good), ShapeError);
  EXPECT_THROW(project_rows(y, x, w, arena.zeros(DType::f32, 1, 3), good), ShapeError);
  EXPECT_THROW(project_rows(y, x, arena.zeros(DType::f64, 4, 5), {}, good), ShapeError);
  WordGroup group{y, x, bad};
  EXPECT_THROW(project_groups({&group, 1}, w, {}), ShapeError);
}

}  // namespace
}  // namespace heed::kernels
