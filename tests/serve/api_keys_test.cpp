#include "serve/api_keys.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "support/files.h"

namespace heed::serve {
namespace {

using namespace std::chrono_literals;

std::string hex(const Sha256& digest) {
  std::string text;
  for (const std::uint8_t byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

// The examples of FIPS 180-4 and lengths around the end of a block; the last three from sha256sum.
TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(sha256(std::string(55, 'a'))), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  EXPECT_EQ(hex(sha256(std::string(64, 'a'))), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
  EXPECT_EQ(hex(sha256(std::string(1000, '\xff'))), "b4f73dff046400b76728ab32619e3d89e00132653725f660c62ab9fca975b372");
}

const std::string kSameLastByte = "wrong201";  // its digest ends as that of abc

void write_text(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

struct ApiKeysTest : ::testing::Test {
  testing::TemporaryDirectory directory;
  const std::string path = directory.file("keys");
  const std::string abc = hex(sha256("abc")), def = hex(sha256("def"));

  std::string failure(const std::string& text) {
    write_text(path, text);
    try {
      const ApiKeys keys(path);
    } catch (const InputError& error) {
      return std::string(error.what()).substr(path.size());
    }
    return "";
  }
};

TEST_F(ApiKeysTest, FindsExactlyTheKeysOfTheFile) {
  write_text(path, fmt::format("# comment\n\n  one {}\r\ntwo\t{} 60", abc, def));
  const ApiKeys keys(path);
  EXPECT_TRUE(keys.required());
  ASSERT_NE(keys.find("abc"), nullptr);
  EXPECT_EQ(keys.find("abc")->name, "one");
  EXPECT_EQ(keys.find("abc")->per_minute, 0);
  ASSERT_NE(keys.find("def"), nullptr);
  EXPECT_EQ(keys.find("def")->name, "two");
  EXPECT_EQ(keys.find("def")->per_minute, 60);
  for (const std::string& wrong :
       {std::string(), std::string("ab"), std::string("abcd"), std::string("one"), abc, kSameLastByte})
    EXPECT_EQ(keys.find(wrong), nullptr) << wrong;
  EXPECT_FALSE(ApiKeys().required());
}

TEST_F(ApiKeysTest, ReportsBadLines) {
  EXPECT_EQ(
      failure(fmt::format("one {}\ntwo x", abc)),
      ":2: expected a name, the SHA-256 of a key (64 hexadecimal digits) and, optionally, the requests per minute");
  EXPECT_NE(failure(fmt::format("one {}0", abc)), "");
  EXPECT_NE(failure(fmt::format("one {} 1 2", abc)), "");
  EXPECT_EQ(failure(fmt::format("one {} -1", abc)),
            ":1: '-1' is not a number of requests per minute from 0 to 1000000");
  EXPECT_NE(failure(fmt::format("one {} 1x", abc)), "");
  EXPECT_EQ(failure(fmt::format("one {}\none {}", abc, def)),
            ":2: the name 'one' is used twice; give every key its own name");
  EXPECT_EQ(failure("# nothing\n"), " has no keys, so nobody could use the server; add one or leave out --keys");
}

TEST_F(ApiKeysTest, LimitsRequestsPerMinute) {
  write_text(path, fmt::format("one {} 3\ntwo {}", abc, def));
  ApiKeys keys(path);
  const ApiKeys::Key& one = *keys.find("abc");
  const auto start = ApiKeys::Clock::now();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(keys.take(one, start)) << i;
  EXPECT_FALSE(keys.take(one, start + 19s));
  EXPECT_TRUE(keys.take(one, start + 20s));
  EXPECT_FALSE(keys.take(one, start + 21s));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(keys.take(one, start + 600s)) << i;
  EXPECT_FALSE(keys.take(one, start + 600s));
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(keys.take(*keys.find("def"), start));
}

}  // namespace
}  // namespace heed::serve
