#include "base/compress.h"

#include <gtest/gtest.h>

#include <array>

#include "base/decompress.h"

namespace heed {
namespace {

std::string decompressed(std::string_view packed, bool complete) {
  const auto decompressor = make_decompressor(packed, "test");
  EXPECT_NE(decompressor, nullptr);
  std::string text;
  std::array<char, 1000> buffer;
  for (;;) {
    const Decompressor::Step step = decompressor->run(packed, buffer, complete);
    text.append(buffer.data(), step.made);
    packed.remove_prefix(step.used);
    if (step.made == 0 && step.used == 0) break;
  }
  EXPECT_EQ(decompressor->is_complete(), complete);
  return text;
}

// More than the buffers, and hardly compressible.
std::string noise() {
  std::string text;
  for (unsigned i = 0, x = 1; i < 300'000; ++i) text += static_cast<char>((x = x * 1664525U + 1013904223U) >> 24);
  return text;
}

TEST(Compressor, IsChosenByTheEnding) {
  for (const char* name : {"a", "a.txt", "gz", "a.gz.txt", ""}) EXPECT_EQ(make_compressor(name), nullptr) << name;
}

TEST(Compressor, DecompressesToTheSameBytes) {
  const std::string large = noise();
  for (const char* name : {"a.gz", "a.de.zst", "a.xz"}) {
    for (const std::string& text : {std::string(), std::string("a\n"), large}) {
      std::string packed;
      const auto compressor = make_compressor(name);
      ASSERT_NE(compressor, nullptr) << name;
      for (std::size_t at = 0; at < text.size(); at += 70'000)
        compressor->run(std::string_view(text).substr(at, 70'000), Compressor::End::more, packed);
      compressor->run({}, Compressor::End::more, packed);
      compressor->run({}, Compressor::End::finish, packed);
      EXPECT_EQ(decompressed(packed, true), text) << name;
    }
  }
}

TEST(Compressor, FlushMakesEverythingReadable) {
  for (const char* name : {"a.gz", "a.zst", "a.xz"}) {
    std::string packed;
    const auto compressor = make_compressor(name);
    compressor->run("first\n", Compressor::End::flush, packed);
    EXPECT_EQ(decompressed(packed, false), "first\n") << name;
    compressor->run("second\n", Compressor::End::finish, packed);
    EXPECT_EQ(decompressed(packed, true), "first\nsecond\n") << name;
  }
}

}  // namespace
}  // namespace heed
