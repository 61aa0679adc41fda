#include "base/checksum.h"

#include <gtest/gtest.h>

#include <string>

namespace heed {
namespace {

std::uint64_t xxh64(std::string_view text, std::uint64_t seed = 0) {
  Xxh64 hash(seed);
  hash.update(text);
  return hash.digest();
}

// Published values: below and above the 32-byte stripe, with tails of every kind.
TEST(Xxh64, MatchesThePublishedValues) {
  EXPECT_EQ(xxh64(""), 0xef46db3751d8e999);
  EXPECT_EQ(xxh64("a"), 0xd24ec4f1a98c6e5b);
  EXPECT_EQ(xxh64("abc"), 0x44bc2cf5ad770999);
  EXPECT_EQ(xxh64("foo"), 0x33bf00a859c4ba3f);
  EXPECT_EQ(xxh64("message digest"), 0x066ed728fceeb3be);
  EXPECT_EQ(xxh64("abcdefghijklmnopqrstuvwxyz"), 0xcfe1f278fa89835c);
  EXPECT_EQ(xxh64("0123456789abcdefghijklmnopqrstuvwxyz"), 0x69196c1b3af0bff9);
  EXPECT_EQ(xxh64("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"), 0xaaa46907d3047814);
  EXPECT_EQ(xxh64("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            0xe04a477f19ee145d);
  EXPECT_EQ(xxh64("", 0x9e3779b185ebca87), 0x6ec6d05f61c7e7a7);
}

TEST(Xxh64, DoesNotDependOnTheChunks) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 37);
  for (std::size_t size = 0; size <= text.size(); size += 7) {
    const std::uint64_t whole = xxh64(text.substr(0, size));
    for (const std::size_t chunk : {1, 3, 31, 32, 33, 64, 100}) {
      Xxh64 hash;
      for (std::size_t at = 0; at < size; at += chunk) hash.update(text.substr(at, std::min(chunk, size - at)));
      EXPECT_EQ(hash.digest(), whole) << size << " bytes in chunks of " << chunk;
      EXPECT_EQ(hash.digest(), whole) << "asked a second time";
    }
  }
}

TEST(Xxh64, ChangesWithEveryBit) {
  const std::string text(77, 'x');
  const std::uint64_t whole = xxh64(text);
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string other = text;
    other[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    EXPECT_NE(xxh64(other), whole) << "bit " << bit;
  }
}

// The check value of the algorithm, and the examples of RFC 3720, B.4.
TEST(Crc32c, HasThePublishedValues) {
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
}

TEST(HexDigest, KeepsLeadingZeros) {
  EXPECT_EQ(hex_digest(0x066ed728fceeb3be), "066ed728fceeb3be");
  EXPECT_EQ(hex_digest(0), "0000000000000000");
}

}  // namespace
}  // namespace heed
