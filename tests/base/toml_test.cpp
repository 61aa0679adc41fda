#include "base/toml.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace heed {
namespace {

std::string toml_failure_of(std::string_view text) {
  try {
    parse_toml(text, "c.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no InputError";
}

TEST(Toml, flattens_sections_in_file_order) {
  const auto entries = parse_toml(
      "seed = 7\n"
      "[train]\nrate = 0.5\nfiles = [\"a.de\", \"b.de\"]\n"
      "[encoder]\nhidden = 256 # sizes\nbidirectional = true\ninner = {cell = \"gru\"}\n"
      "columns = [1, 2]\n",
      "c.toml");
  ASSERT_EQ(entries.size(), 7u);
  EXPECT_EQ(entries[0].key, "seed");
  EXPECT_EQ(std::get<std::int64_t>(entries[0].value), 7);
  EXPECT_EQ(entries[1].key, "train.rate");
  EXPECT_EQ(std::get<double>(entries[1].value), 0.5);
  EXPECT_EQ(entries[1].line, 3);
  EXPECT_EQ(std::get<std::vector<std::string>>(entries[2].value), (std::vector<std::string>{"a.de", "b.de"}));
  EXPECT_EQ(entries[3].key, "encoder.hidden");
  EXPECT_EQ(entries[3].line, 6);
  EXPECT_TRUE(std::get<bool>(entries[4].value));
  EXPECT_EQ(entries[5].key, "encoder.inner.cell");
  EXPECT_EQ(std::get<std::string>(entries[5].value), "gru");
  EXPECT_EQ(std::get<std::vector<std::string>>(entries[6].value), (std::vector<std::string>{"1", "2"}));
  EXPECT_TRUE(parse_toml("", "c.toml").empty());
}

TEST(Toml, errors_have_the_line) {
  EXPECT_EQ(toml_failure_of("a = 1\nb = \n").rfind("c.toml:2: this is not valid TOML: ", 0), 0u)
      << toml_failure_of("a = 1\nb = \n");
  EXPECT_EQ(toml_failure_of("a = 1\n\na = 2\n").rfind("c.toml:3: ", 0), 0u);
  EXPECT_EQ(toml_failure_of("a = 1\nb = 1979-05-27\n"),
            "c.toml:2: b holds a date, a table or a nested array; expected true or false, a number, text or a list");
  EXPECT_EQ(toml_failure_of("b = [[1]]\n").rfind("c.toml:1: b holds", 0), 0u);
  EXPECT_EQ(toml_failure_of("[[b]]\nx = 1\n").rfind("c.toml:1: b holds", 0), 0u);
  for (const char* bad : {"=", "a", "[a", "a = \"x", "a = 99999999999999999999", "a = \"\xff\"", "\xff = 1", "a = 1 2"})
    EXPECT_EQ(toml_failure_of(bad).rfind("c.toml:1: this is not valid TOML: ", 0), 0u) << toml_failure_of(bad);
}

TEST(Toml, survives_deep_nesting) {
  std::string dots = "a";
  for (int i = 0; i < 200'000; ++i) dots += ".a";
  EXPECT_NE(toml_failure_of(dots + " = 1"), "no InputError");
  EXPECT_NE(toml_failure_of("[" + dots + "]"), "no InputError");
  EXPECT_NE(toml_failure_of("x = " + std::string(200'000, '[')), "no InputError");
  std::string quoted = "\"a\"";
  for (int i = 0; i < 100'000; ++i) quoted += ".\"a\"";
  EXPECT_NE(toml_failure_of(quoted + " = 1"), "no InputError");
  EXPECT_NE(toml_failure_of("# don't\nx = \"\\\"\"\n" + quoted + " = 1"), "no InputError");
  EXPECT_NE(toml_failure_of("x = \"\"\"\n\"\\\"\"\"\"\n" + quoted + " = 1"), "no InputError");
  EXPECT_NE(toml_failure_of("x = '''\n'\n\\'''\n" + quoted + " = 1"), "no InputError");
  const std::string ellipsis = "x = \"" + std::string(100, '.') + "\" # " + std::string(100, '.') + "\n";
  EXPECT_EQ(toml_failure_of(ellipsis), "no InputError");
  std::string deep = "x = ", keys = "a";
  for (int i = 0; i < 30; ++i) keys += ".a";
  for (int i = 0; i < 250; ++i) deep += "[{" + keys + " = \n";
  EXPECT_NE(toml_failure_of(deep), "no InputError");
}

TEST(Toml, written_values_read_back) {
  const std::vector<TomlValue> values = {
      true,
      std::int64_t{-5},
      std::numeric_limits<std::int64_t>::min(),
      0.1,
      1.0,
      1e-9,
      1e300,
      -0.0,
      std::numeric_limits<double>::infinity(),
      std::string("quote \" back \\ tab \t line \n bell \x07 é \x7f"),
      std::string("nul \0 inside", 12),
      std::vector<std::string>{"a", "b,c", "\""},
      std::vector<std::string>{},
  };
  for (const auto& value : values) {
    const auto entries = parse_toml("k = " + to_toml(value), "t");
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].value, value) << to_toml(value);
  }
  EXPECT_EQ(to_toml(1.0), "1.0");
  EXPECT_EQ(to_toml(1e-9), "1e-09");
  EXPECT_EQ(to_toml(std::string("a\xff")), "\"a\uFFFD\"");
  EXPECT_EQ(to_plain(std::vector<std::string>{"a", "b"}), "a,b");
}

}  // namespace
}  // namespace heed
