#include "survey/survey.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "base/utf8.h"
#include "data/temporary.h"
#include "survey/report.h"
#include "text/shared_data.h"

namespace heed {
namespace {

using namespace std::string_literals;
using Lines = std::vector<std::int64_t>;

// Matching sentences without duplicates.
struct Text {
  std::vector<std::string> source, target;

  explicit Text(int lines = 200) {
    for (int i = 0; i < lines; ++i) {
      std::string s = fmt::format("Satz {} ist", i), t = fmt::format("Sentence {} is", i);
      for (int k = 0; k < i * 7919 % 23; ++k) s += " sehr", t += " very";
      source.push_back(s + " gut.");
      target.push_back(t + " good.");
    }
  }
  void set(int line, const std::string& s, const std::string& t) {
    source[static_cast<std::size_t>(line - 1)] = s;
    target[static_cast<std::size_t>(line - 1)] = t;
  }
  static std::string joined(const std::vector<std::string>& lines) {
    return fmt::format("{}\n", fmt::join(lines, "\n"));
  }
};

class SurveyTest : public ::testing::Test {
 protected:
  TemporaryDirectory directory;
  std::unique_ptr<text::Tokenizer> tokenizer = text::make_tokenizer({.kind = "words"});
  survey::SurveyOptions options{.source_tokenizer = tokenizer.get(), .target_tokenizer = tokenizer.get()};

  data::CorpusFiles write(const Text& text, const std::string& name = "train") {
    return {.parts = {{.source = directory.write(name + ".de", Text::joined(text.source)),
                       .target = directory.write(name + ".en", Text::joined(text.target))}}};
  }
  survey::Survey survey(const Text& text) { return survey_corpus(write(text), options); }

  static Lines lines(const survey::Survey& survey, survey::Problem problem) {
    Lines found;
    for (const survey::SurveyCase& one : survey.finding(problem).cases) found.push_back(one.line);
    return found;
  }
};

TEST_F(SurveyTest, AGoodCorpusHasNoFindings) {
  const survey::Survey result = survey(Text());
  EXPECT_EQ(result.pairs, 200);
  EXPECT_EQ(result.clean_pairs(), 200);
  for (std::size_t p = 0; p < survey::kProblems; ++p)
    if (static_cast<survey::Problem>(p) != survey::Problem::near_duplicate) {
      EXPECT_EQ(result.findings[p].count, 0) << survey::kProblemKinds[p].key;
    }
  EXPECT_EQ(result.finding(survey::Problem::near_duplicate).count, 200 - 23) << "all but the numbers is the same";
  EXPECT_NEAR(result.usual_ratio, 1.0, 0.15);
  EXPECT_TRUE(result.shifts.empty());
  Lines steps;
  for (const auto& step : result.source.growth) steps.push_back(step.pairs);
  EXPECT_EQ(steps, (Lines{1, 2, 5, 10, 20, 50, 100, 200}));
}

TEST_F(SurveyTest, EveryKindOfProblemIsFoundOnItsLine) {
  Text text;
  text.set(10, "", "Nothing there.");
  text.set(11, "Da ist was.", "  ");
  text.set(20, "Schlecht\xFF hier.", "Bad it is.");
  text.set(30, "SchÃ¶n hier.", "Nice here.");
  text.set(31, "Nice here.", "It says \uFFFD.");
  text.set(40, "Kurz.", std::string(300, 'x'));
  std::string long_line;
  for (int i = 0; i < 251; ++i) long_line += "a ";
  text.set(50, long_line, long_line + "b");
  text.set(60, "Gleich ist gleich.", "Gleich ist gleich.");
  text.set(70, "Привет, мир здесь.", "Hello, world here.");
  text.set(80, text.source[4], text.target[4]);
  text.set(81, text.source[4], text.target[4]);
  text.set(90, "Das ist Раul hier.", "This is Paul here.");
  text.set(100, "Ein \0 Zeichen."s, "One \t character.");
  const survey::Survey result = survey(text);
  EXPECT_EQ(lines(result, survey::Problem::empty), (Lines{10, 11}));
  EXPECT_EQ(lines(result, survey::Problem::bad_utf8), (Lines{20}));
  EXPECT_EQ(lines(result, survey::Problem::wrong_encoding), (Lines{30, 31}));
  EXPECT_EQ(lines(result, survey::Problem::length_ratio), (Lines{40}));
  EXPECT_EQ(lines(result, survey::Problem::too_long), (Lines{50}));
  EXPECT_EQ(lines(result, survey::Problem::identical), (Lines{60}));
  EXPECT_EQ(lines(result, survey::Problem::other_script), (Lines{70}));
  EXPECT_EQ(lines(result, survey::Problem::duplicate), (Lines{80, 81}));
  EXPECT_EQ(lines(result, survey::Problem::mixed_word), (Lines{90}));
  EXPECT_EQ(lines(result, survey::Problem::control), (Lines{100}));
  EXPECT_EQ(result.finding(survey::Problem::short_row).count, 0);
  EXPECT_EQ(result.finding(survey::Problem::leaked).count, 0);
  EXPECT_EQ(result.finding(survey::Problem::shifted).count, 0);
  EXPECT_EQ(result.finding(survey::Problem::duplicate).cases[1].other_line, 5);
  EXPECT_EQ(result.finding(survey::Problem::identical).cases[0].target, "Gleich ist gleich.");
  EXPECT_EQ(result.source.bad_utf8.first_line, 20);
  EXPECT_EQ(result.clean_pairs(), 200 - 11) << "words in two scripts and control characters stay";
}

TEST_F(SurveyTest, CountsMoreFindingsThanCases) {
  Text text;
  for (int line = 10; line < 20; ++line) text.set(line, "", "x");
  options.cases = 2;
  const survey::Survey result = survey(text);
  EXPECT_EQ(result.finding(survey::Problem::empty).count, 10);
  EXPECT_EQ(lines(result, survey::Problem::empty), (Lines{10, 11}));
  EXPECT_EQ(result.finding(survey::Problem::empty).cases[0].target, "x");
  options.case_texts = false;
  const survey::Survey bare = survey(text);
  EXPECT_EQ(lines(bare, survey::Problem::empty), (Lines{10, 11}));
  EXPECT_EQ(bare.finding(survey::Problem::empty).cases[0].target, "") << "the corpus was read again";
}

TEST_F(SurveyTest, FindsDifferentNumbersAndNearDuplicates) {
  Text text(23);
  text.set(10, "Es waren 1.500 im Jahr 1990.", "There were 1,500 in 1991.");
  text.set(12, "Guten Tag, Frau Nummer 1!", "Good day, Mrs. number 1!");
  text.set(14, "guten Tag; Frau Nummer 2", "Good day Mrs. number 2");
  text.set(15, "Guten Tag, Frau Nummer 1!", "Good day, Mrs. number 1!");
  text.set(16, "Guten Tag, Frau Nummer 1!", "Hello, Mrs. number 1!");
  const survey::Survey result = survey(text);
  EXPECT_EQ(lines(result, survey::Problem::numbers), (Lines{10}));
  EXPECT_EQ(lines(result, survey::Problem::near_duplicate), (Lines{14}));
  EXPECT_EQ(result.finding(survey::Problem::near_duplicate).cases[0].other_line, 12);
  EXPECT_EQ(lines(result, survey::Problem::duplicate), (Lines{15}));
  EXPECT_EQ(result.clean_pairs(), 22) << "numbers and near-duplicates stay unless a filter drops them";
}

TEST_F(SurveyTest, FiltersDropTheirProblemsFromACleanedCopy) {
  Text text(23);
  text.set(10, "Im Jahr 1990.", "In 1991.");
  text.set(12, "Guten Tag!", "Good day!");
  text.set(14, "guten Tag", "Good day.");
  text.set(15, "Guten Tag!", "Good day!");
  using survey::Filter;
  const auto dropped = [&](std::vector<Filter> filters) {
    options.dropped = problems_of(filters);
    const survey::Survey result = survey(text);
    Lines list;
    for (std::size_t i = 0; i < result.flags.size(); ++i)
      if (!result.is_clean(i)) list.push_back(static_cast<std::int64_t>(i) + 1);
    const auto tally = drop_tally(result);
    EXPECT_EQ(std::accumulate(tally.begin(), tally.end(), std::int64_t{0}), std::ssize(list));
    return list;
  };
  EXPECT_EQ(dropped({}), Lines{});
  EXPECT_EQ(dropped({Filter::numbers}), (Lines{10}));
  EXPECT_EQ(dropped({Filter::duplicates}), (Lines{15}));
  EXPECT_EQ(dropped({Filter::near_duplicates}), (Lines{14, 15}));
  EXPECT_EQ(dropped({Filter::identical, Filter::numbers, Filter::near_duplicates}), (Lines{10, 14, 15}));
}

// Without a main script, the language says which one is right.
TEST_F(SurveyTest, TheLanguageDecidesAboutTheScript) {
  Text text(40);
  for (int line = 1; line <= 20; ++line)
    text.set(line, fmt::format("Привет {} здесь", line), fmt::format("Hello {}", line));
  EXPECT_EQ(survey(text).finding(survey::Problem::other_script).count, 0);
  options.source_language = "de";
  EXPECT_EQ(survey(text).finding(survey::Problem::other_script).count, 20);
  EXPECT_EQ(lines(survey(text), survey::Problem::other_script), (Lines{1, 2, 3}));
  options.source_language = "ru";
  EXPECT_EQ(lines(survey(text), survey::Problem::other_script), (Lines{21, 22, 23}));
  options.source_language = "", options.target_language = "ru";
  EXPECT_EQ(survey(text).finding(survey::Problem::other_script).count, 0) << "the main script is right, too";
  options.target_language = "xx";
  EXPECT_EQ(survey(text).finding(survey::Problem::other_script).count, 0);
}

TEST_F(SurveyTest, ASourceWithSeveralTargetsIsNotADuplicate) {
  Text text;
  text.set(20, text.source[4], "Another translation of it is good.");
  text.set(30, text.source[4], text.target[4]);
  const survey::Survey result = survey(text);
  EXPECT_EQ(lines(result, survey::Problem::duplicate), (Lines{30}));
  EXPECT_EQ(result.sources_with_several_targets, 1);
}

TEST_F(SurveyTest, FindsSidesThatAreOutOfStep) {
  Text text(400);
  text.source.erase(text.source.begin() + 100);
  text.source.insert(text.source.begin() + 250, "Ein neuer Satz steht hier.");
  const survey::Survey result = survey(text);
  ASSERT_EQ(result.shifts.size(), 1u);
  EXPECT_NEAR(static_cast<double>(result.shifts[0].from), 101, 3);
  EXPECT_NEAR(static_cast<double>(result.shifts[0].to), 250, 3);
  EXPECT_EQ(result.shifts[0].lines, 1);
  EXPECT_EQ(result.finding(survey::Problem::shifted).count, result.shifts[0].to - result.shifts[0].from + 1);
}

TEST_F(SurveyTest, CountsOfASide) {
  const data::CorpusFiles files{.parts = {{.source = directory.write("a", "b b b b\nb a\n\nb c\n"),
                                           .target = directory.write("b", "X\nX\nX\nX\n")}}};
  const survey::Survey result = survey_corpus(files, options);
  EXPECT_EQ(result.source.words, 8);
  EXPECT_EQ(result.source.characters, 13);
  EXPECT_EQ(result.source.distinct, 3);
  EXPECT_EQ(result.source.once, 2);
  EXPECT_EQ(result.source.lengths, (std::vector<std::int64_t>{1, 0, 2, 0, 1}));
  EXPECT_EQ(result.source.mean_length(), 2);
  EXPECT_EQ(result.source.length_quantile(0.5), 2);
  EXPECT_EQ(result.source.length_quantile(1), 4);
  ASSERT_EQ(result.source.growth.size(), 3u);
  EXPECT_EQ(result.source.growth[0].distinct, 1);
  EXPECT_EQ(result.source.growth[1].pairs, 2);
  EXPECT_EQ(result.source.growth[1].distinct, 2);
  EXPECT_EQ(result.source.growth[2].pairs, 4);
  EXPECT_EQ(result.source.growth[2].distinct, 3);
  EXPECT_EQ(result.source.coverage.front().words, 1) << "half of the text is the word b";
  EXPECT_EQ(result.source.coverage.back().words, 3);
  EXPECT_EQ(text::script_name(result.source.script), "Latin");
}

TEST_F(SurveyTest, HeldOutTextIsMatchedWithoutCaseAndPunctuation) {
  Text text, valid(0);
  valid.source = {"satz 5 IST" + text.source[5].substr(10), "Ganz neu.", "Auch neu.", "!"};
  valid.target = {text.target[5], "Brand new.", "sentence 9 is" + text.target[9].substr(13), "?"};
  text.set(150, "!", "?");
  options.held_out = {{"validation", write(valid, "valid")}};
  const survey::Survey result = survey(text);
  ASSERT_EQ(result.held_out.size(), 1u);
  const survey::HeldOutSurvey& set = result.held_out[0];
  EXPECT_EQ(set.pairs, 4);
  EXPECT_EQ(set.source_seen, 1);
  EXPECT_EQ(set.target_seen, 2);
  EXPECT_EQ(set.pair_seen, 1);
  EXPECT_EQ(set.source_unknown, 6) << "satz, IST, Ganz, neu, Auch, neu";
  ASSERT_EQ(set.cases.size(), 2u);
  EXPECT_EQ(set.cases[0].line, 1);
  EXPECT_EQ(set.cases[0].other_line, 6);
  EXPECT_EQ(set.cases[1].line, 3);
  EXPECT_EQ(set.cases[1].other_line, 10);
  EXPECT_EQ(lines(result, survey::Problem::leaked), (Lines{6, 10}));
  EXPECT_EQ(result.finding(survey::Problem::leaked).cases[1].other_line, 3);
}

TEST_F(SurveyTest, ACleanedCopyHasThePairsWithoutProblems) {
  Text text;
  text.set(10, "", "Nothing there.");
  text.set(60, "Gleich.", "Gleich.");
  text.set(61, "Gleich.", "Gleich.");
  options.clean.source = directory.path("clean.de");
  options.clean.target = directory.path("clean.en");
  const survey::Survey result = survey(text);
  for (const int line : {61, 60, 10}) {
    text.source.erase(text.source.begin() + line - 1);
    text.target.erase(text.target.begin() + line - 1);
  }
  EXPECT_EQ(read_file(options.clean.source), Text::joined(text.source));
  EXPECT_EQ(read_file(options.clean.target), Text::joined(text.target));
  const auto tally = drop_tally(result);
  EXPECT_EQ(tally[static_cast<std::size_t>(survey::Problem::empty)], 1);
  EXPECT_EQ(tally[static_cast<std::size_t>(survey::Problem::identical)], 2);
  EXPECT_EQ(tally[static_cast<std::size_t>(survey::Problem::duplicate)], 0) << "only the first problem counts";
  EXPECT_EQ(std::accumulate(tally.begin(), tally.end(), std::int64_t{0}), 200 - result.clean_pairs());
  // A survey of the copy has no findings.
  const survey::Survey again =
      survey::survey_corpus({.parts = {{.source = directory.path("clean.de"), .target = directory.path("clean.en")}}},
                            {.source_tokenizer = tokenizer.get(), .target_tokenizer = tokenizer.get()});
  EXPECT_EQ(again.clean_pairs(), again.pairs);
}

TEST_F(SurveyTest, ShortRowsOfATsvAreAFinding) {
  const auto tsv = directory.write("x.tsv", "Ein Satz.\tA sentence.\nallein\nZwei.\tTwo.\tsomebody\n\n");
  const survey::Survey result = survey_corpus({.parts = {{.file = tsv, .format = "tsv"}}}, options);
  EXPECT_EQ(lines(result, survey::Problem::short_row), (Lines{2}));
  EXPECT_EQ(lines(result, survey::Problem::empty), (Lines{4}));
  EXPECT_EQ(result.clean_pairs(), 2);
  EXPECT_THROW(
      survey_corpus({.parts = {{.file = directory.write("plain", "no tab\nin here\n"), .format = "tsv"}}}, options),
      InputError);
}

TEST_F(SurveyTest, TheReportIsPrintableWhateverIsInTheCorpus) {
  Text text;
  text.set(10, "\x1b[31m\0\t \u0085 rot"s, std::string(100'000, 'x'));
  text.set(11, "\xF0\x9F", "y \xFF\xFE");
  text.set(13, "A\u202E\u2066\u2028 z", "A\u202E\u2066\u2028 z");
  text.set(12, "中文在这里。", "Привет");
  options.held_out = {{"validation", write(text, "valid")}};
  const survey::Survey result = survey(text);
  for (const std::size_t width : {0, 60, 80, 120}) {
    const std::string page = survey_page(result, width);
    EXPECT_TRUE(is_valid_utf8(page));
    EXPECT_EQ(page.find_first_of("\x1b\0\t\r"s), std::string::npos);
    for (const char* obeyed : {"\u0085", "\u202E", "\u2066", "\u2028"})
      EXPECT_EQ(page.find(obeyed), std::string::npos) << obeyed;
    EXPECT_NE(page.find("train.de:10"), std::string::npos);
  }
  const Json json = parse_json(dump_json(survey_json(result)), "the report");
  EXPECT_EQ(json["pairs"], 200);
  EXPECT_EQ(json["findings"]["other_script"]["count"], 1);
  EXPECT_EQ(json["findings"]["bad_utf8"]["cases"][0]["source_at"], directory.path("train.de") + ":11");
  EXPECT_EQ(json["held_out"][0]["pairs_in_training"], 199) << "all but the line without valid text";
  EXPECT_EQ(json["clean"]["pairs"], result.clean_pairs());
}

TEST_F(SurveyTest, LinesOfTheReportKeepTheWidth) {
  Text text;
  text.set(10, "", std::string(500, 'x'));
  text.set(20, text.source[0], text.target[0]);
  const std::string page = survey_page(survey(text), 110);
  for (std::size_t at = 0; at < page.size();) {
    const std::size_t end = page.find('\n', at);
    const std::string line = page.substr(at, end - at);
    const bool names_files = line.find("pairs in ") != std::string::npos;
    EXPECT_TRUE(names_files || utf8_length(line) <= 110) << line;
    at = end + 1;
  }
}

TEST_F(SurveyTest, TheConclusionAgreesWithTheFindings) {
  const auto page = [&](const std::string& source, const std::string& target) {
    const data::CorpusPart part{.source = directory.write("s", source), .target = directory.write("t", target)};
    return survey_page(survey_corpus({.parts = {part}}, options), 100);
  };
  const auto has = [](const std::string& text, const std::string& part) { return text.find(part) != text.npos; };
  const std::string good = page("Ein Hund.\n", "A dog.\n");
  EXPECT_TRUE(has(good, "The pair is suitable for training.")) << good;
  const std::string numbers = page("Er hat 25 Hunde.\n", "He has 26 dogs.\n");
  EXPECT_TRUE(has(numbers, "  ! 1 pair with different numbers (100%)")) << numbers;
  EXPECT_TRUE(has(numbers, "Usable for training: 1 of 1 pairs; worth checking: 1 of them (marked !).")) << numbers;
  EXPECT_FALSE(has(numbers, "suitable")) << numbers;
  const std::string empty = page("Ein Hund.\n\n", "A dog.\nA cat.\n");
  EXPECT_TRUE(has(empty, "  ✗ 1 pair with an empty side")) << empty;
  EXPECT_TRUE(has(empty, "Usable for training: 1 of 2 pairs.")) << empty;
  options.dropped |= bit(survey::Problem::numbers);
  const std::string filtered = page("Er hat 25 Hunde.\n", "He has 26 dogs.\n");
  EXPECT_TRUE(has(filtered, "  ✗ 1 pair with different numbers")) << filtered;
  EXPECT_TRUE(has(filtered, "Usable for training: 0 of 1 pairs.")) << filtered;
}

TEST_F(SurveyTest, TinyAndBrokenCorpora) {
  const auto one = directory.write("one", "x\n"), blank = directory.write("blank", "\n"),
             empty = directory.write("e", "");
  EXPECT_FALSE(survey_page(survey_corpus({.parts = {{.source = one, .target = one}}}, options), 100).empty());
  EXPECT_FALSE(survey_page(survey_corpus({.parts = {{.source = blank, .target = blank}}}, options), 100).empty());
  EXPECT_THROW(survey_corpus({.parts = {{.source = empty, .target = empty}}}, options), InputError);
  EXPECT_THROW(survey_corpus({.parts = {{.source = one, .target = empty}}}, options), InputError);
  options.clean.source = directory.path("none/clean.a"), options.clean.target = directory.path("none/clean.b");
  EXPECT_THROW(survey_corpus({.parts = {{.source = one, .target = one}}}, options), InputError);
}

TEST_F(SurveyTest, RealCorporaAreInStep) {
  const auto source = shared_data("multi30k/train.de"), target = shared_data("multi30k/train.en");
  HEED_NEEDS(source);
  const survey::Survey result = survey_corpus({.parts = {{.source = source, .target = target}}}, options);
  EXPECT_EQ(result.pairs, 29000);
  EXPECT_TRUE(result.shifts.empty());
  EXPECT_EQ(lines(result, survey::Problem::length_ratio), (Lines{16510, 16664})) << "captions that are only @@";
  const survey::Survey tatoeba =
      survey_corpus({.parts = {{.file = shared_data("tatoeba/eng-fra.txt"), .format = "tsv"}}}, options);
  EXPECT_EQ(tatoeba.pairs, 135842);
  EXPECT_TRUE(tatoeba.shifts.empty());
}

}  // namespace
}  // namespace heed
