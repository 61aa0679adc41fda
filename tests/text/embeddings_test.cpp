#include "text/embeddings.h"

#include <gtest/gtest.h>

#include <map>

#include "base/error.h"

namespace heed {
namespace {

using Rows = std::map<std::string, std::vector<float>>;

struct Read {
  Rows rows;
  text::EmbeddingReport report;
};

Read read(const std::vector<std::string>& lines, std::int64_t width, const std::vector<std::string>& words) {
  text::VocabularyBuilder builder;
  for (const std::string& word : words) builder.add(word);
  const text::Vocabulary vocabulary = builder.build({});
  std::size_t at = 0;
  const text::NextLine next = [&](std::string& line) { return at < lines.size() ? (line = lines[at++], true) : false; };
  Read result;
  const text::OnVector keep = [&](text::TokenId id, std::span<const float> vector) {
    EXPECT_TRUE(result.rows.emplace(vocabulary.word(id), std::vector<float>(vector.begin(), vector.end())).second);
  };
  result.report = read_embeddings(next, "vectors.txt", width, vocabulary, keep);
  return result;
}

TEST(Embeddings, ReadsGloveAndCountsMatches) {
  const Read got = read({"the 0.5 -1e-3", "cat 1 2", "dog 3 4", "<eos> 9 9"}, 2, {"cat", "The", "bird"});
  EXPECT_EQ(got.rows, (Rows{{"cat", {1, 2}}, {"The", {0.5f, -0.001f}}}));
  EXPECT_EQ(got.report.vectors, 4);
  EXPECT_EQ(got.report.words, 3);
  EXPECT_EQ(got.report.matched, 2);
  EXPECT_EQ(got.report.matched_lower, 1);
}

TEST(Embeddings, AcceptsAHeaderTrailingSpacesAndSpacesInWords) {
  const Read got =
      read({"3 2", "cat 1 2 \r", "", "new york 3 4", "cat 5 6", "tiny 1e-60 0"}, 2, {"cat", "new york", "tiny"});
  EXPECT_EQ(got.rows, (Rows{{"cat", {1, 2}}, {"new york", {3, 4}}, {"tiny", {0, 0}}}));
}

TEST(Embeddings, PrefersTheExactFormToTheLowerCaseOne) {
  const Read got = read({"paris 1", "Paris 2"}, 1, {"Paris"});
  EXPECT_EQ(got.rows, (Rows{{"Paris", {2}}}));
  EXPECT_EQ(got.report.matched_lower, 0);
}

TEST(Embeddings, ErrorsNameTheLine) {
  const auto failure = [](const std::vector<std::string>& lines, std::int64_t width) -> std::string {
    try {
      read(lines, width, {"a"});
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(failure({"a 1 2", "b 1"}, 2), "vectors.txt:2: the line has fewer than 2 numbers after its word");
  EXPECT_EQ(failure({"a 1 x"}, 2), "vectors.txt:1: 'x' is not a number");
  EXPECT_EQ(failure({"a 1 nan"}, 2), "vectors.txt:1: 'nan' is not a number");
  EXPECT_EQ(failure({"a 1 1e99"}, 2), "vectors.txt:1: '1e99' is not a number");
  EXPECT_EQ(failure({" 1 2"}, 2), "vectors.txt:1: there is no word before the 2 numbers");
  EXPECT_NE(failure({"a 1 2 3"}, 2).find("vectors.txt:1: the line has more than 2 numbers"), std::string::npos);
  EXPECT_NE(failure({"7 300", "a 1"}, 1).find("300 numbers"), std::string::npos);
}

}  // namespace
}  // namespace heed
