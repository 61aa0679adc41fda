#include "data/corpus.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "data/temporary.h"
#include "support/compressed.h"
#include "text/shared_data.h"

namespace heed {
namespace {

using namespace std::string_literals;

std::vector<data::SentencePair> read_all(const data::CorpusFiles& files) {
  std::vector<data::SentencePair> pairs;
  data::PairReader reader(files);
  for (data::SentencePair pair; reader.next(pair);) pairs.push_back(pair);
  return pairs;
}

template <class Failure = InputError>
std::string failure(const data::CorpusFiles& files) {
  try {
    read_all(files);
  } catch (const Failure& error) {
    return error.what();
  }
  return "nothing was thrown";
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

TEST(Corpus, PairsTwoFilesLineByLine) {
  TemporaryDirectory directory;
  const auto source = directory.write("a.de", "\uFEFFeins\r\nzwei\u2028halb\r\n\r\ndrei");
  const auto target = directory.write("a.en", testing::gzip("one\ntwo and a half\nempty\nthree\n"));
  const auto pairs = read_all({.parts = {{.source = source, .target = target}}});
  ASSERT_EQ(pairs.size(), 4u);
  EXPECT_EQ(pairs[0].source, "eins");
  EXPECT_EQ(pairs[0].target, "one");
  EXPECT_EQ(pairs[1].source, "zwei\u2028halb");
  EXPECT_EQ(pairs[2].source, "");
  EXPECT_EQ(pairs[2].target, "empty");
  EXPECT_EQ(pairs[3].source, "drei");
  EXPECT_EQ(pairs[3].line, 4);
}

TEST(Corpus, ColumnsInEitherOrderWithAttribution) {
  TemporaryDirectory directory;
  const auto tsv = directory.write("deu.txt", "Hi.\tHallo!\tCC-BY #1\n\nGo.\tGeh.\n\tleer\t\n");
  auto pairs = read_all({.parts = {{.file = tsv, .format = "tsv"}}});
  ASSERT_EQ(pairs.size(), 4u);
  EXPECT_EQ(pairs[0].source, "Hi.");
  EXPECT_EQ(pairs[0].target, "Hallo!");
  EXPECT_EQ(pairs[1].source + pairs[1].target, "");
  EXPECT_EQ(pairs[3].source, "");
  EXPECT_EQ(pairs[3].target, "leer");
  pairs = read_all({.parts = {{.file = tsv, .format = "tsv"}}, .columns = data::parse_columns("2,1")});
  EXPECT_EQ(pairs[2].source, "Geh.");
  EXPECT_EQ(pairs[2].target, "Go.");
}

TEST(Corpus, ParseColumnsTakesTwoDifferentNumbersOrNames) {
  EXPECT_EQ(data::parse_columns("12,3").source.number, 12);
  EXPECT_EQ(data::parse_columns("12,3").target.number, 3);
  for (const char* bad :
       {"1", "1,", ",2", "1,1", "0,1", "1,2,3", "a,a", "a,b,c", "de", "-1,2", "1,1001", "1,99999999999"})
    EXPECT_THROW(data::parse_columns(bad), UsageError) << bad;
  EXPECT_EQ(data::parse_columns("de,3").source.name, "de");
  EXPECT_EQ(data::parse_columns("de,3").target.number, 3);
  EXPECT_FALSE(data::parse_columns("").given());
}

TEST(Corpus, ShortRowsAreErrorsWithTheirLine) {
  TemporaryDirectory directory;
  const auto tsv = directory.write("x.tsv", "a\tb\nalone\n");
  expect_part(failure({.parts = {{.file = tsv, .format = "tsv"}}}),
              "x.tsv:2: the line has 1 column, but column 2 is needed");
  const auto pairs = read_all({.parts = {{.file = tsv, .format = "tsv"}}, .keep_short_rows = true});
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_FALSE(pairs[0].short_row);
  EXPECT_TRUE(pairs[1].short_row);
  EXPECT_EQ(pairs[1].source, "alone");
  EXPECT_EQ(pairs[1].target, "");
  const auto swapped = read_all(
      {.parts = {{.file = tsv, .format = "tsv"}}, .columns = data::parse_columns("2,1"), .keep_short_rows = true});
  EXPECT_EQ(swapped[1].source, "") << "the text of the previous line";
}

TEST(Corpus, RefusesFilesThatAreNotACorpus) {
  TemporaryDirectory directory;
  const auto good = directory.write("good", "x\n"), empty = directory.write("empty", "");
  const auto missing = directory.path("missing");
  expect_part(failure({.parts = {{.source = good, .target = missing}}}), "missing");
  expect_part(failure({.parts = {{.source = good, .target = directory.path()}}}), "it is a directory");
  expect_part(failure({.parts = {{.source = empty, .target = empty}}}), "empty' is empty");
  expect_part(failure({.parts = {{.file = empty, .format = "tsv"}}}), "empty' is empty");
  expect_part(failure({.parts = {{.source = good, .target = empty}}}), "empty' is empty, but");
  expect_part(failure({.parts = {{.source = empty, .target = good}}}), "has 1 line;");
  EXPECT_THROW(data::PairReader({}), UsageError);
  EXPECT_THROW(data::PairReader({.parts = {{.source = good}}}), UsageError);
  EXPECT_THROW(data::PairReader({.parts = {{.target = good}}}), UsageError);
  EXPECT_THROW(data::PairReader({.parts = {{.source = good, .target = good, .file = good}}}), UsageError);
  expect_part(failure<UsageError>({.parts = {{.source = "-", .target = "-"}}}), "standard input");
  expect_part(failure<UsageError>({.parts = {{.source = "-", .target = good}, {.file = "-"}}}), "standard input");
}

TEST(Corpus, BadUtf8IsReplacedAndCountedOrRefused) {
  TemporaryDirectory directory;
  const auto source = directory.write("s",
                                      "fine\nb\xFF"
                                      "d\xC3\nalso \xFE\nzero \0 here\n"s);
  const auto target = directory.write("t", "a\nb\nc\nd\n");
  data::PairReader reader({.parts = {{.source = source, .target = target}}});
  std::vector<std::string> lines;
  for (data::SentencePair pair; reader.next(pair);) lines.push_back(pair.source);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[1], "b\uFFFDd\uFFFD");
  EXPECT_EQ(lines[3], "zero \0 here"s);
  EXPECT_EQ(reader.bad_utf8(data::Side::source).lines, 2);
  EXPECT_EQ(reader.bad_utf8(data::Side::source).bytes, 3);
  EXPECT_EQ(reader.bad_utf8(data::Side::source).first_line, 2);
  EXPECT_EQ(reader.bad_utf8(data::Side::target).lines, 0);
  expect_part(failure({.parts = {{.source = source, .target = target}}, .strict = true}), "s:2: byte 2");
}

TEST(Corpus, ReadsALineOfTenMegabytes) {
  TemporaryDirectory directory;
  const auto source = directory.write("s", std::string(10'000'000, 'x') + "\nend\n");
  const auto target = directory.write("t", "a\nb\n");
  const auto pairs = read_all({.parts = {{.source = source, .target = target}}});
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].source.size(), 10'000'000u);
  EXPECT_EQ(pairs[1].source, "end");
}

TEST(Corpus, ReportsUnequalLineCounts) {
  TemporaryDirectory directory;
  const auto three = directory.write("three", "a\nb\nc\n"), two = directory.write("two", "a\nb\n");
  const auto sentence = failure({.parts = {{.source = three, .target = two}}});
  expect_part(sentence, "three' has 3 lines and '");
  expect_part(sentence, "two' 2: ");
}

// Lengths similar to real text: targets about 1.1 times as long, with noise.
struct Lengths {
  std::vector<std::uint32_t> source, target;
  explicit Lengths(std::uint32_t lines) {
    const Random random(1, Stream::test);
    for (std::uint32_t i = 0; i < lines; ++i) {
      source.push_back(20 + random.below(2 * i, 100));
      const float ratio = 1.1F * (0.8F + 0.4F * random.uniform(2 * i + 1));
      target.push_back(static_cast<std::uint32_t>(static_cast<float>(source.back()) * ratio));
    }
  }
};

TEST(Corpus, FindsWhereTheSidesSlipped) {
  for (const std::int64_t lost : {200, 1500, 2990}) {
    Lengths lengths(3000);
    lengths.target.erase(lengths.target.begin() + lost);
    EXPECT_NEAR(static_cast<double>(data::find_slip(lengths.source, lengths.target)), static_cast<double>(lost + 1), 6);
    EXPECT_EQ(data::find_slip(lengths.source, lengths.target), data::find_slip(lengths.target, lengths.source))
        << "source and target exchanged";
  }
}

TEST(Corpus, FindsTheFirstOfSeveralSlips) {
  Lengths lengths(3000);
  for (const std::int64_t lost : {2500, 1200, 700}) lengths.source.erase(lengths.source.begin() + lost);
  EXPECT_NEAR(static_cast<double>(data::find_slip(lengths.source, lengths.target)), 701, 6);
}

TEST(Corpus, FindsALargeGapAndACutEnd) {
  Lengths lengths(3000);
  auto gap = lengths.target;
  gap.erase(gap.begin() + 1000, gap.begin() + 1500);
  EXPECT_NEAR(static_cast<double>(data::find_slip(lengths.source, gap)), 1001, 6);
  auto cut = lengths.target;
  cut.resize(2400);
  EXPECT_NEAR(static_cast<double>(data::find_slip(lengths.source, cut)), 2401, 6);
  cut.resize(2999);
  lengths.source[2998] = 500, cut[2998] = 550;
  EXPECT_EQ(data::find_slip(lengths.source, cut), 3000);
}

TEST(Corpus, FindSlipAcceptsEmptySides) {
  const std::vector<std::uint32_t> none, some = {0, 0, 5};
  EXPECT_EQ(data::find_slip(none, none), 1);
  EXPECT_EQ(data::find_slip(some, none), 1);
  EXPECT_EQ(data::find_slip(none, some), 1);
}

TEST(Corpus, FindsASlipInRealText) {
  const auto source = shared_data("europarl/dev.de"), target = shared_data("europarl/dev.en");
  HEED_NEEDS(source);
  auto lines = read_lines(target);
  lines.erase(lines.begin() + 776);
  TemporaryDirectory directory;
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  const std::string sentence = failure({.parts = {{.source = source, .target = directory.write("short.en", text)}}});
  expect_part(sentence, fmt::format("has {} lines", lines.size() + 1));
  const std::size_t at = sentence.find("near line ");
  ASSERT_NE(at, std::string::npos) << sentence;
  EXPECT_NEAR(std::stoi(sentence.substr(at + 10)), 777, 10) << sentence;
}

TEST(Corpus, SelectionJudgesWordsAndPrefixes) {
  const data::PairSelection selection{.max_words = 3, .target_prefixes = {"i am ", "he is"}};
  EXPECT_EQ(judge_words(selection, 3, 1), data::Verdict::kept);
  EXPECT_EQ(judge_words(selection, 1, 4), data::Verdict::too_long);
  EXPECT_EQ(judge_words(selection, 4, 1), data::Verdict::too_long);
  EXPECT_EQ(judge_words(selection, 0, 1), data::Verdict::empty);
  EXPECT_EQ(data::judge_words({.keep_empty = true}, 0, 1), data::Verdict::kept);
  EXPECT_EQ(data::judge_words({}, 10000, 1), data::Verdict::kept);
  EXPECT_EQ(judge_prefixes(selection, "x", "he isn't"), data::Verdict::kept);
  EXPECT_EQ(judge_prefixes(selection, "he is", "i am"), data::Verdict::other_prefix);
  EXPECT_EQ(data::judge_prefixes({.source_prefixes = {"a"}}, "b", "a"), data::Verdict::other_prefix);
}

}  // namespace
}  // namespace heed
