#include "base/base64.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace heed {
namespace {

// The examples of RFC 4648, section 10.
TEST(Base64, MatchesTheExamplesOfTheStandard) {
  const std::pair<const char*, const char*> cases[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text, "here"), bytes);
  }
}

TEST(Base64, RestoresEveryByte) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(255 - i);
  EXPECT_EQ(from_base64(to_base64(bytes), "here"), bytes);
}

TEST(Base64, RejectsInvalidText) {
  for (const char* text : {"Zg", "Zg=", "Zh==", "Z===", "====", "=Zg=", "Zm 9", "Zm9\n",
                           "Zm9v\xC3\xBC"
                           "ab"})
    EXPECT_THROW(from_base64(text, "here"), InputError) << text;
}

}  // namespace
}  // namespace heed
