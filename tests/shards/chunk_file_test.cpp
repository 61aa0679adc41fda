#include "shards/chunk_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/files.h"
#include "shards/digest.h"
#include "support/files.h"

namespace heed::shards {
namespace {

using testing::TemporaryDirectory;

// Without waiting for the disk.
void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

const Chunk kChunk{{.job = "xxh64:0", .chunk = 3, .first_line = 60, .lines = 2}, std::string("a\r\n\0\xff\n", 6)};

TEST(ChunkFile, ReadsWhatWasWritten) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.zst");
  write_chunk(path, kChunk);
  const Chunk read = read_chunk(path);
  EXPECT_EQ(read.record, kChunk.record);
  EXPECT_EQ(read.text, kChunk.text);
  EXPECT_TRUE(read_file(path).starts_with("\x50\x2a\x4d\x18")) << "a zstd file with a skippable frame";
}

TEST(ChunkFile, EveryTruncationAndChangeOfTheTextIsAnError) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.zst");
  write_chunk(path, kChunk);
  const std::string good = read_file(path);
  for (std::size_t size = 0; size < good.size(); ++size) {
    put(path, good.substr(0, size));
    EXPECT_THROW(read_chunk(path), InputError) << size << " of " << good.size() << " bytes";
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    put(path, bad);
    try {
      const Chunk read = read_chunk(path);
      EXPECT_EQ(read.text, kChunk.text) << "byte " << i;  // the change was in the record, or zstd does not mind it
    } catch (const InputError&) {
    }
  }
  put(path, good + "more");
  EXPECT_THROW(read_chunk(path), InputError);
}

TEST(ChunkFile, ATextWithAnotherDigestIsAnError) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.zst");
  write_chunk(path, kChunk);
  std::string bad = read_file(path);
  const std::string digest = digest_of(kChunk.text);
  const std::size_t at = bad.find(digest);
  ASSERT_NE(at, std::string::npos);
  char& last = bad[at + digest.size() - 1];
  last = last == '0' ? '1' : '0';
  put(path, bad);
  EXPECT_THROW(read_chunk(path), InputError);
}

TEST(Digest, OfAFileIsThatOfItsBytesAndOfSamplesIfItIsLarge) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a");
  put(path, "text");
  EXPECT_EQ(digest_of_file(path), digest_of("text"));
  EXPECT_EQ(sampled_digest_of_file(path), digest_of("text"));
  constexpr std::size_t kSize = 70 << 20;
  std::filesystem::resize_file(path, kSize);
  const std::string whole = digest_of_file(path), sampled = sampled_digest_of_file(path);
  EXPECT_EQ(whole, digest_of("text" + std::string(kSize - 4, '\0')));
  EXPECT_NE(sampled, whole);
  for (const std::size_t at : {std::size_t{0}, kSize / 63 + 1, kSize - 1}) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    const auto set = [&](char c) { file.seekp(static_cast<std::streamoff>(at)).put(c).flush(); };
    set('y');
    EXPECT_NE(sampled_digest_of_file(path), sampled) << at;
    set(at == 0 ? 't' : '\0');
    EXPECT_EQ(sampled_digest_of_file(path), sampled) << at;
  }
  std::filesystem::resize_file(path, kSize + 1);
  EXPECT_NE(sampled_digest_of_file(path), sampled) << "another size";
}

}  // namespace
}  // namespace heed::shards
