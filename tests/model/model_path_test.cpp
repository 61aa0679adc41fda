#include "model/model_path.h"

#include <gtest/gtest.h>

#include <string>

#include "base/files.h"
#include "support/files.h"

namespace heed::testing {
namespace {

using namespace std::string_literals;

TEST(IsModel, GoesByTheNameOrTheFirstBytes) {
  const TemporaryDirectory directory;
  const auto is = [&](const std::string& name, const std::string& bytes) {
    const std::string path = directory.file(name);
    write_file_atomically(path, bytes);
    return model::is_model(path);
  };
  EXPECT_TRUE(is("weights", "\x02\0\0\0\0\0\0\0{}"s));
  EXPECT_FALSE(is("numbers", "\x02\0\0\0\0\0\0\0[]"s));
  EXPECT_FALSE(is("long", "\x02\0\0\0\x01\0\0\0{}"s)) << "a header of gigabytes";
  EXPECT_FALSE(is("short", "\x02\0\0\0\0\0\0\0"s));
  EXPECT_FALSE(is("text", "We see a dog."));
  EXPECT_TRUE(is("text.safetensors", "We see a dog."));
}

}  // namespace
}  // namespace heed::testing
