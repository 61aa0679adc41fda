#include "base/deflate.h"

#include <gtest/gtest.h>

namespace heed {

namespace {

TEST(Deflate, InflateIsItsInverse) {
  std::string all;
  for (int i = 0; i < 100000; ++i) all += static_cast<char>(i * i % 251);
  for (const std::string& content : {std::string(), std::string("a"), all}) {
    std::string again;
    EXPECT_TRUE(inflate_bytes(deflate_bytes(content), again, content.size()));
    EXPECT_EQ(again, content);
  }
  EXPECT_LT(deflate_bytes(all).size(), all.size() / 4);
}

TEST(Deflate, InflateStopsAtTheLimit) {
  const std::string packed = deflate_bytes(std::string(10 << 20, 'x'));
  std::string content;
  EXPECT_FALSE(inflate_bytes(packed, content, 1000));
  EXPECT_LE(content.size(), 1000U + (1 << 16));
}

TEST(Deflate, InflateRefusesDamagedData) {
  std::string packed = deflate_bytes("some text, some text"), content;
  EXPECT_FALSE(inflate_bytes(packed.substr(0, packed.size() / 2), content, 1000));
  packed[0] = '\x07';
  EXPECT_FALSE(inflate_bytes(packed, content, 1000));
  EXPECT_FALSE(inflate_bytes("", content, 1000));
}

TEST(Deflate, TheChecksumIsThatOfZip) {
  EXPECT_EQ(crc32_of("123456789"), 0xCBF43926U);
}

}  // namespace

}  // namespace heed
