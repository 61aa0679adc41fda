#include "data/examples.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "base/random.h"
#include "data/temporary.h"

namespace heed {
namespace {

using List = std::vector<TokenId>;

List list(Ids ids) {
  return {ids.begin(), ids.end()};
}

void add_sample(ExampleWriter& writer) {
  writer.add(List{4, 5, 2}, List{7, 2});
  writer.add(List{2}, List{2});
  writer.add(List{9, 2}, List{1, 1, 1, 8, 2});
}

void expect_sample(const ExampleStore& store) {
  ASSERT_EQ(store.size(), 3u);
  EXPECT_EQ(list(store.source(0)), (List{4, 5, 2}));
  EXPECT_EQ(list(store.target(0)), (List{7, 2}));
  EXPECT_EQ(list(store[1].source), (List{2}));
  EXPECT_EQ(list(store[1].target), (List{2}));
  EXPECT_EQ(list(store[2].source), (List{9, 2}));
  EXPECT_EQ(list(store[2].target), (List{1, 1, 1, 8, 2}));
  EXPECT_EQ(store.source_tokens(), 6);
  EXPECT_EQ(store.target_tokens(), 8);
  EXPECT_EQ(store.fingerprint(), 77u);
}

TEST(Examples, InMemoryAndMappedAreTheSame) {
  TemporaryDirectory directory;
  for (const auto& path : {std::string(), directory.path("tokens")}) {
    ExampleWriter writer(path, 77);
    add_sample(writer);
    ExampleStore store = writer.finish();
    expect_sample(store);
    const ExampleStore moved = std::move(store);
    expect_sample(moved);
    moved.release_before(3);
    expect_sample(moved);
  }
  expect_sample(ExampleStore::open(directory.path("tokens")));
}

TEST(Examples, ACacheWithoutPairsIsEmpty) {
  TemporaryDirectory directory;
  EXPECT_TRUE(ExampleWriter(directory.path("none")).finish().empty());
  EXPECT_TRUE(ExampleWriter().finish().empty());
  EXPECT_TRUE(ExampleStore().empty());
}

TEST(Examples, TheCacheAppearsOnlyWhenItIsComplete) {
  TemporaryDirectory directory;
  {
    ExampleWriter writer(directory.path("tokens"));
    add_sample(writer);
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(Examples, WritersRefuseWhatIsNoSentence) {
  ExampleWriter writer;
  EXPECT_THROW(writer.add(List{}, List{2}), ShapeError);
  EXPECT_THROW(writer.add(List{2}, List{}), ShapeError);
  EXPECT_THROW(writer.add(List{2}, List{-1, 2}), ShapeError);
  EXPECT_EQ(writer.size(), 0u);
}

TEST(Examples, IdsAreCheckedAgainstVocabularies) {
  ExampleWriter writer;
  add_sample(writer);
  const ExampleStore store = writer.finish();
  EXPECT_NO_THROW(store.check_ids(10, 9));
  EXPECT_THROW(store.check_ids(9, 9), InputError);
  EXPECT_THROW(store.check_ids(10, 8), InputError);
}

TEST(Examples, EveryDamagedByteIsFound) {
  TemporaryDirectory directory;
  ExampleWriter writer(directory.path("tokens"), 77);
  add_sample(writer);
  writer.finish();
  const std::string good = read_file(directory.path("tokens"));
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x41);
    EXPECT_THROW(ExampleStore::open(directory.write("bad", bad)), InputError) << "byte " << i;
  }
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_THROW(ExampleStore::open(directory.write("bad", good.substr(0, size))), InputError) << "cut at " << size;
  EXPECT_THROW(ExampleStore::open(directory.write("bad", good + "x")), InputError);
  EXPECT_THROW(ExampleStore::open(directory.path("none")), InputError);
  EXPECT_NO_THROW(ExampleStore::open(directory.write("bad", good)));
}

// A file with a right checksum and a wrong index: made to harm, not damaged.
TEST(Examples, AWrongIndexIsFoundBehindARightChecksum) {
  TemporaryDirectory directory;
  ExampleWriter writer(directory.path("tokens"));
  add_sample(writer);
  writer.finish();
  const std::string good = read_file(directory.path("tokens"));
  const auto forge = [&](std::size_t offset, std::uint64_t value, std::size_t size) {
    std::string bad = good;
    std::memcpy(bad.data() + offset, &value, size);
    Xxh64 checksum;
    checksum.update(std::string_view(bad).substr(0, bad.size() - 8));
    const std::uint64_t digest = checksum.digest();
    std::memcpy(bad.data() + bad.size() - 8, &digest, 8);
    return directory.write("bad", bad);
  };
  const std::size_t begins = 14 * 4, lengths = begins + 4 * 8, trailer = good.size() - 48;
  EXPECT_NO_THROW(ExampleStore::open(forge(0, 4, 4)));
  EXPECT_THROW(ExampleStore::open(forge(begins, 1, 8)), InputError);
  EXPECT_THROW(ExampleStore::open(forge(begins + 8, std::uint64_t{1} << 62, 8)), InputError);
  EXPECT_THROW(ExampleStore::open(forge(begins + 24, 15, 8)), InputError);
  EXPECT_THROW(ExampleStore::open(forge(lengths, 6, 4)), InputError);
  EXPECT_THROW(ExampleStore::open(forge(lengths, 0, 4)), InputError);
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{15}, ~std::uint64_t{0}, std::uint64_t{1} << 61}) {
    for (const std::size_t field : {16, 24, 32})
      EXPECT_THROW(ExampleStore::open(forge(trailer + field, value, 8)), InputError) << field << " " << value;
  }
}

}  // namespace
}  // namespace heed
