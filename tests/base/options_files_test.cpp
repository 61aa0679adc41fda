#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/options.h"
#include "support/files.h"

namespace heed {
namespace {

// A command that reads a model, texts and a dictionary, and writes a file and everything below a prefix.
struct FilesTest : ::testing::Test {
  FilesTest() {
    for (const char* name : {"m", "a", "b", "d", "p.en"}) write_file_atomically(at(name), "precious");
  }
  std::string at(const std::string& name) const { return scratch_.file(name); }

  // The sentence of the UsageError; empty if there is none.
  std::string says(const std::vector<std::string>& arguments, const char* toml = "") {
    std::string model, out, prefix, input = "-", words = "keep", corpus;
    std::vector<std::string> texts;
    Options o("try");
    o.positional("MODEL", model, "").reads();
    o.flag("text", texts, "").value("FILE").reads();
    o.flag("input", input, "").value("FILE").reads();
    o.flag("words", words, "").value("keep|FILE").reads([](const std::string& value) {
      return value == "keep" ? std::vector<std::string>{} : std::vector{value};
    });
    o.key("data.corpus", corpus, "").flag().value("FILE").reads();
    o.flag("out", out, "").value("FILE").writes();
    o.flag("prefix", prefix, "").value("PREFIX").writes([](const std::string& value) {
      return std::vector{value + ".en", value + ".de"};
    });
    try {
      o.parse(arguments);
      o.apply_toml(toml, "t");
      o.check_files();
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }

  // Runs says() while a standard descriptor is this file.
  std::string says_with(int descriptor, const std::string& file, const std::vector<std::string>& arguments) {
    const int kept = ::dup(descriptor), other = ::open(file.c_str(), O_RDWR);
    ::dup2(other, descriptor);
    const std::string sentence = says(arguments);
    ::dup2(kept, descriptor);
    ::close(kept);
    ::close(other);
    return sentence;
  }

  testing::TemporaryDirectory scratch_;
};

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

TEST_F(FilesTest, outputs_that_are_no_input_are_allowed) {
  EXPECT_EQ(says({at("m"), "--text", at("a"), "--out", at("new")}), "");
  EXPECT_EQ(says({at("m"), "--text", at("a"), "--out", at("b")}), "");
  EXPECT_EQ(says({at("m"), "--text", at("a"), "--text", at("a")}), "") << "an input may be read twice";
  EXPECT_EQ(says({at("m"), "--text", at("a"), "--prefix", at("a")}), "") << "a prefix is not written itself";
  EXPECT_EQ(says({at("m"), "--text", "/dev/null", "--out", "/dev/null"}), "") << "a device may be both";
}

TEST_F(FilesTest, an_output_that_is_an_input_is_refused) {
  const std::string same = says({at("m"), "--out", at("m")});
  EXPECT_TRUE(mentions(same, "--out '")) << same;
  EXPECT_TRUE(mentions(same, "is the same file as the argument '")) << same;
  EXPECT_TRUE(mentions(same, "write to another file")) << same;
  EXPECT_TRUE(mentions(says({at("m"), "--text", at("a"), "--text", at("b"), "--out", at("b")}), "--text"));
  EXPECT_TRUE(mentions(says({at("m"), "--words", at("d"), "--out", at("d")}), "--words"));
  EXPECT_EQ(says({at("m"), "--text", at("p.en"), "--prefix", at("p")}),
            fmt::format("--prefix would overwrite '{}.en', which --text reads; choose another name", at("p")));
  EXPECT_TRUE(mentions(says({at("m"), "--out", at("a")}, ("data.corpus = \"" + at("a") + "\"").c_str()), "--corpus"));
}

TEST_F(FilesTest, links_and_other_spellings_are_seen_through) {
  std::filesystem::create_symlink(at("a"), at("symbolic"));
  std::filesystem::create_hard_link(at("a"), at("hard"));
  for (const char* name : {"symbolic", "hard", "./a"}) {
    EXPECT_NE(says({at("m"), "--text", at("a"), "--out", at(name)}), "") << name;
    EXPECT_NE(says({at("m"), "--text", at(name), "--out", at("a")}), "") << name;
  }
}

TEST_F(FilesTest, standard_input_and_output_count) {
  EXPECT_TRUE(mentions(says_with(STDIN_FILENO, at("a"), {at("m"), "--out", at("a")}), "standard input"));
  EXPECT_EQ(says_with(STDIN_FILENO, at("a"), {at("m"), "--out", at("b")}), "");
  EXPECT_TRUE(mentions(says_with(STDOUT_FILENO, at("a"), {at("m"), "--text", at("a")}), "standard output"));
  EXPECT_EQ(says_with(STDOUT_FILENO, at("b"), {at("m"), "--text", at("a")}), "");
}

TEST_F(FilesTest, standard_input_is_read_once) {
  EXPECT_EQ(says({at("m"), "--input", "-"}), "");
  EXPECT_EQ(says({at("m"), "--text", "-"}),
            "--text and --input cannot both be standard input (-); give one of them a file");
  EXPECT_EQ(says({at("m"), "--text", "-", "--text", "-", "--input", at("a")}),
            "--text and --text cannot both be standard input (-); give one of them a file");
}

TEST_F(FilesTest, an_empty_name_is_refused_unless_it_overrides_a_file) {
  EXPECT_EQ(says({at("m"), "--out", ""}), "--out is empty; give it a name or leave it out");
  EXPECT_EQ(says({""}), "MODEL is empty; give it a name");
  EXPECT_EQ(says({at("m"), "--corpus", ""}), "");
}

TEST(Options, an_option_for_a_file_must_say_how_it_is_used) {
  std::string value;
  for (const char* name : {"FILE", "FILE.html", "keep|copy|FILE", "MODEL", "DIR", "PREFIX", "CONFIG"}) {
    Options bare, declared, positional;
    bare.flag("file", value, "").value(name);
    EXPECT_THROW(bare.parse({}), InternalError) << name;
    declared.flag("file", value, "").value(name).writes();
    EXPECT_NO_THROW(declared.parse({})) << name;
    positional.positional(name, value, "", false);
    EXPECT_THROW(positional.parse({}), InternalError) << name;
  }
}

}  // namespace
}  // namespace heed
