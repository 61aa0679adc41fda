// The tables of a comparison.
#include "evaluate/comparison.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace heed {
namespace {

// A model that translated four sentences, of which it got `right` right.
evaluate::Evaluation made_up(const std::string& path, std::size_t right, std::int64_t tokens = 30) {
  const std::vector<std::string> references(4, "a b c d e f");
  evaluate::Evaluation model{.name = path, .system = "luong-dot", .parameters = 1234567, .file_bytes = 2'500'000};
  model.translations = references;
  for (std::size_t i = right; i < 4; ++i) model.translations[i] = "a b x d e f";
  model.scores = metrics::score_corpus(std::vector<std::string>{"bleu", "ter"}, {}, model.translations, {references});
  model.exact = static_cast<std::int64_t>(right);
  model.perplexity = {.value = 10.0 - static_cast<double>(right), .tokens = tokens};
  model.sentences_per_second = 12.34;
  model.target_tokens_per_second = 5432.1;
  return model;
}

evaluate::Comparison comparison_of(std::vector<evaluate::Evaluation> models) {
  evaluate::Comparison comparison{.models = std::move(models)};
  compare_to_first(comparison, {.bootstrap_samples = 40, .randomization_trials = 40});
  return comparison;
}

const evaluate::ResultColumn& find(const std::vector<evaluate::ResultColumn>& columns, const std::string& key) {
  const auto found = std::ranges::find(columns, key, &evaluate::ResultColumn::key);
  if (found == columns.end()) throw InputError("there is no column {}", key);
  return *found;
}

TEST(ResultColumns, MarkTheBestValues) {
  const auto comparison = comparison_of({made_up("a", 1), made_up("b", 3), made_up("c", 3)});
  const auto columns = result_columns(comparison);
  for (const char* key : {"bleu", "ter", "exact_percent", "perplexity"}) {
    EXPECT_FALSE(find(columns, key).is_best(0)) << key;
    EXPECT_TRUE(find(columns, key).is_best(1)) << key;
    EXPECT_TRUE(find(columns, key).is_best(2)) << key << ": as good";
  }
  EXPECT_FALSE(find(columns, "parameters").is_best(0)) << "neither more nor fewer are better";
  EXPECT_FALSE(find(columns, "sentences_per_second").is_best(0)) << "all are the same";
  EXPECT_EQ(find(columns, "exact_percent").text(1), "75.0");
  EXPECT_EQ(find(columns, "parameters").text(0), "1,234,567");
  EXPECT_EQ(find(columns, "megabytes").text(0), "2.5");
  EXPECT_THROW(find(columns, "aer"), InputError) << "there are no gold links";
}

TEST(ResultColumns, PerplexitiesOfDifferentTokensAreNotCompared) {
  const auto comparison = comparison_of({made_up("a", 1), made_up("b", 3, 40)});
  EXPECT_FALSE(find(result_columns(comparison), "perplexity").is_best(1));
}

TEST(ResultColumns, AModelWithoutAttentionHasNoErrorRate) {
  auto models = std::vector{made_up("a", 1), made_up("b", 3)};
  models[1].alignment = alignment::AlignmentScore();
  const auto aer = find(result_columns(comparison_of(models)), "aer");
  EXPECT_EQ(aer.text(0), "–");
  EXPECT_TRUE(aer.values[1].has_value());
  EXPECT_FALSE(aer.is_best(0) || aer.is_best(1)) << "there is nothing to compare with";
}

TEST(ShortNames, AreDirectoriesOrFilesIfThoseDiffer) {
  const auto names = [](const std::string& a, const std::string& b) {
    return short_names(comparison_of({made_up(a, 1), made_up(b, 1)}));
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("runs/a/model.safetensors", "runs/b/model.safetensors"), (Names{"a", "b"}));
  EXPECT_EQ(names("runs/a/../b/model.safetensors", "x/small.safetensors"), (Names{"b", "small"}));
  EXPECT_EQ(names("x/a/model.safetensors", "y/a/model.safetensors"),
            (Names{"x/a/model.safetensors", "y/a/model.safetensors"}));
  EXPECT_EQ(names("model.safetensors", "a/model.safetensors"), (Names{"model", "a"}));
}

std::vector<std::string> split(const std::string& text, const std::string& at) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t end; (end = text.find(at, from)) != text.npos; from = end + at.size())
    parts.push_back(text.substr(from, end - from));
  parts.push_back(text.substr(from));
  return parts;
}

TEST(ComparisonTables, CsvHasAllNumbers) {
  const auto comparison = comparison_of({made_up("with,comma", 1), made_up("with \"quotes\"", 3)});
  const auto lines = split(to_csv(comparison), "\r\n");
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[3], "");
  EXPECT_TRUE(lines[1].starts_with("\"with,comma\",luong-dot,yes,"));
  EXPECT_TRUE(lines[2].starts_with("\"with \"\"quotes\"\"\",luong-dot,no,"));
  const auto head = split(lines[0], ","), row = split(lines[2], ",");
  ASSERT_EQ(head.size(), row.size());
  const auto value = [&](const std::string& key) {
    return row.at(static_cast<std::size_t>(std::ranges::find(head, key) - head.begin()));
  };
  const metrics::SystemComparison& test = comparison.against_first[0][1];
  EXPECT_EQ(std::stod(value("ter")), test.system_score);
  EXPECT_EQ(std::stod(value("ter_low")), comparison.intervals[1][1].low);
  EXPECT_EQ(std::stod(value("ter_difference")), test.system_score - test.baseline_score);
  EXPECT_EQ(std::stod(value("ter_difference_low")), test.difference_interval.low);
  EXPECT_EQ(std::stod(value("ter_difference_high")), test.difference_interval.high);
  EXPECT_EQ(std::stod(value("ter_p_bootstrap")), test.bootstrap_p);
  EXPECT_EQ(value("ter_signature"), signature(*comparison.models[1].scores[1].metric, 1));
  EXPECT_EQ(value("parameters"), "1234567");
}

TEST(ComparisonTables, LatexIsEscapedAndMarksTheBest) {
  const auto comparison = comparison_of({made_up("a_b%", 1), made_up("c\\{d}\n&", 3)});
  const std::string text = to_latex(comparison);
  EXPECT_NE(text.find("\na\\_b\\% & "), text.npos) << text;
  EXPECT_NE(text.find("\nc\\textbackslash{}\\{d\\} \\& & \\textbf{"), text.npos) << text;
  EXPECT_NE(text.find("\\begin{tabular}{lrrrrrrrr}\n"), text.npos) << text;
  EXPECT_NE(text.find(" & 1,234,567 & 2.5 \\\\\n"), text.npos) << text;
  EXPECT_NE(text.find("% BLEU: nrefs:1|case:mixed|"), text.npos) << text;
}

}  // namespace
}  // namespace heed
