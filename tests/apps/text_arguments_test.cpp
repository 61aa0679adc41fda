#include "text_arguments.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/files.h"

namespace heed::cli {
namespace {

using Words = std::vector<std::string>;

std::string lines_of(const Words& arguments) {
  LineSource source{std::span(arguments), Encoding::detect};
  std::string text, line;
  while (source.next(line)) text += line + "|";
  return text;
}

TEST(TextArguments, names_of_files_are_recognized) {
  for (const char* name : {"a.txt", "a.TXT", "dir/a", "/a", "./a", "a.html", "a.en", "pocket.test.de", "a.safetensors",
                           "a.gz", "a.en.gz", "and/or"})
    EXPECT_TRUE(looks_like_file(name)) << name;
  for (const char* text : {"", "dog", "The dog/cat sees a.txt", "dog.", "z.B.", "...", "U.S", "3.14", "Hello.World",
                           "a\tb.txt", "e-mail", "-"})
    EXPECT_FALSE(looks_like_file(text)) << text;
}

TEST(TextArguments, each_argument_is_a_line) {
  EXPECT_EQ(lines_of({"a b", "c"}), "a b|c|");
  EXPECT_EQ(lines_of({"a\nb\n", "", "c\n\nd"}), "a|b||c||d|");
  EXPECT_EQ(lines_of({""}), "|");
}

TEST(TextArguments, one_file_is_read_and_several_are_refused) {
  const testing::TemporaryDirectory directory;
  const std::string file = directory.file("a.txt"), page = directory.file("a.html"), plain = directory.file("plain");
  for (const std::string& path : {file, page, plain}) write_file_atomically(path, "x\ny\n");
  EXPECT_EQ(lines_of({file}), "x|y|");
  EXPECT_EQ(lines_of({plain}), "x|y|") << "any name, if it exists";
  EXPECT_EQ(text_argument_files(file), Words{file});
  EXPECT_EQ(text_argument_files("dog"), Words{});
  EXPECT_EQ(text_argument_files(""), Words{});
  EXPECT_EQ(text_argument_files("-"), Words{}) << "--input has it already";
  EXPECT_THROW(lines_of({page}), InputError);
  EXPECT_THROW(lines_of({file, "b"}), UsageError);
  EXPECT_THROW(lines_of({"dog", file}), UsageError);
  EXPECT_THROW(lines_of({directory.file("none")}), InputError);
  EXPECT_THROW(lines_of({"none.txt"}), InputError);
}

TEST(TextArguments, a_model_is_not_text) {
  const testing::TemporaryDirectory directory;
  const std::string model = directory.file("m.safetensors"), text = directory.file("a.en");
  for (const std::string& path : {model, text}) write_file_atomically(path, "x\n");
  EXPECT_THROW(refuse_model(model, "give text"), UsageError);
  refuse_model(text, "give text");
  refuse_model(directory.file("none.safetensors"), "give text");
  EXPECT_THROW(check_has_lines(model), InputError);
  check_has_lines(text);
  check_has_lines("-");
}

TEST(TextArguments, a_table_is_refused) {
  const testing::TemporaryDirectory directory;
  const auto refused = [&](const std::string& text) {
    write_file_atomically(directory.file("a.txt"), text);
    try {
      lines_of({directory.file("a.txt")});
    } catch (const InputError& error) {
      return std::string(error.what()).find("--format tsv") != std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(refused("dog\tHund\ncat\tKatze\n"));
  EXPECT_TRUE(refused("dog\tHund"));
  EXPECT_FALSE(refused("a\tdog\nsees\n")) << "not all lines have tabs";
  EXPECT_FALSE(refused("a\tdog\nsees\ta\tcat\n")) << "not the same number of them";
  EXPECT_FALSE(refused(""));
}

}  // namespace
}  // namespace heed::cli
