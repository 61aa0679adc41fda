#include "data/directions.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "data/temporary.h"

namespace heed {
namespace {

// Thirty sentences of one side; those of `from` and later ones share their words with any other such text.
std::string lines(const std::string& word) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += fmt::format("{}{} {}\n", word, i, word);
  return text;
}

std::string table(const std::string& first, const std::string& second) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += fmt::format("{0}{2} {0}\t{1}{2} {1}\n", first, second, i);
  return text;
}

struct Corpus {
  TemporaryDirectory directory;
  std::string english = directory.write("a.en", lines("dog")), german = directory.write("a.de", lines("hund"));

  std::string failure(const std::string& more, data::CorpusFlags flags = {}) const {
    flags.files = {english, german, directory.write("more.tsv", more)};
    try {
      data::check_directions(data::list_corpus(flags));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
};

TEST(CheckDirections, refuses_a_table_whose_sides_are_swapped) {
  const Corpus corpus;
  const std::string failure = corpus.failure(table("hund", "dog"));
  EXPECT_NE(failure.find("more.tsv"), std::string::npos) << failure;
  EXPECT_NE(failure.find("a.en"), std::string::npos) << failure;
  EXPECT_NE(failure.find("--columns 2,1"), std::string::npos) << failure;
}

TEST(CheckDirections, accepts_the_same_direction_other_words_and_the_users_choice) {
  const Corpus corpus;
  EXPECT_EQ(corpus.failure(table("dog", "hund")), "");
  EXPECT_EQ(corpus.failure(table("cat", "katze")), "") << "no word is known";
  EXPECT_EQ(corpus.failure("hund dog\tdog hund\n"), "") << "too few words";
  EXPECT_EQ(corpus.failure("de\ten\n" + table("hund", "dog")), "") << "it names its languages";
  EXPECT_EQ(corpus.failure(table("hund", "dog"), {.columns = "2,1"}), "");
  EXPECT_EQ(corpus.failure(table("hund", "dog"), {.languages = {.source = "en", .target = "de"}}), "");
}

TEST(CheckDirections, compares_with_files_that_are_read_the_other_way_round) {
  const Corpus corpus;
  const TemporaryDirectory directory;
  const data::CorpusFlags flags{.files = {corpus.english, corpus.german, directory.write("b.de", lines("kind")),
                                          directory.write("b.en", lines("child")),
                                          directory.write("more.tsv", table("kind", "child"))}};
  EXPECT_THROW(data::check_directions(data::list_corpus(flags)), InputError);
}

}  // namespace
}  // namespace heed
