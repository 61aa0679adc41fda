#include "data/examples.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "base/error.h"
#include "data/temporary.h"

namespace heed {
namespace {

using List = std::vector<text::TokenId>;

List list(Ids ids) {
  return {ids.begin(), ids.end()};
}

void add_sample(data::ExampleWriter& writer) {
  writer.add(List{4, 5, 2}, List{7, 2});
  writer.add(List{2}, List{2});
  writer.add(List{9, 2}, List{1, 1, 1, 8, 2});
}

void expect_sample(const data::ExampleStore& store) {
  ASSERT_EQ(store.size(), 3u);
  EXPECT_EQ(list(store.source(0)), (List{4, 5, 2}));
  EXPECT_EQ(list(store.target(0)), (List{7, 2}));
  EXPECT_EQ(list(store.source(1)), (List{2}));
  EXPECT_EQ(list(store.target(1)), (List{2}));
  EXPECT_EQ(list(store.source(2)), (List{9, 2}));
  EXPECT_EQ(list(store.target(2)), (List{1, 1, 1, 8, 2}));
  EXPECT_EQ(store.source_tokens(), 6);
  EXPECT_EQ(store.target_tokens(), 8);
}

TEST(Examples, InMemoryAndMappedAreTheSame) {
  TemporaryDirectory directory;
  for (const auto& scratch : {std::string(), directory.path()}) {
    data::ExampleWriter writer(scratch);
    add_sample(writer);
    data::ExampleStore store = writer.finish();
    expect_sample(store);
    const data::ExampleStore moved = std::move(store);
    expect_sample(moved);
    moved.release_before(3);
    expect_sample(moved);
  }
}

TEST(Examples, ReleasedPagesCanStillBeRead) {
  TemporaryDirectory directory;
  data::ExampleWriter writer(directory.path());
  for (text::TokenId i = 0; i < 20000; ++i) writer.add(List{i, 2}, List{i + 1, i + 2, 2});
  const data::ExampleStore store = writer.finish();
  store.release_before(19000);
  for (text::TokenId i = 0; i < 20000; ++i) {
    ASSERT_EQ(list(store.source(static_cast<std::size_t>(i))), (List{i, 2}));
    ASSERT_EQ(list(store.target(static_cast<std::size_t>(i))), (List{i + 1, i + 2, 2}));
  }
}

TEST(Examples, AStoreWithoutPairsIsEmpty) {
  TemporaryDirectory directory;
  EXPECT_TRUE(data::ExampleWriter(directory.path()).finish().empty());
  EXPECT_TRUE(data::ExampleWriter().finish().empty());
  EXPECT_TRUE(data::ExampleStore().empty());
}

TEST(Examples, LeavesNoFileInTheScratchDirectory) {
  TemporaryDirectory directory;
  data::ExampleWriter writer(directory.path());
  add_sample(writer);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  const data::ExampleStore store = writer.finish();
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  EXPECT_THROW(data::ExampleWriter(directory.path("none")), InputError);
}

TEST(Examples, AFullDiskIsAnInputError) {
  data::ScratchFile file("/tmp");
  const std::vector<std::byte> bytes(1 << 16);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{.rlim_cur = 1 << 14, .rlim_max = before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(
      {
        file.write(bytes);
        file.map();
      },
      InputError);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
}

TEST(Examples, AddRefusesEmptySidesAndNegativeIds) {
  data::ExampleWriter writer;
  EXPECT_THROW(writer.add(List{}, List{2}), ShapeError);
  EXPECT_THROW(writer.add(List{2}, List{}), ShapeError);
  EXPECT_THROW(writer.add(List{2}, List{-1, 2}), ShapeError);
  EXPECT_EQ(writer.size(), 0u);
}

}  // namespace
}  // namespace heed
