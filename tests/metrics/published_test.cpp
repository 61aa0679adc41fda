// Published scores, on data that is not part of the project; skipped if it is missing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/json.h"
#include "metrics/metric.h"
#include "metrics/significance.h"
#include "sample.h"
#include "support/files.h"

namespace heed {
namespace {

std::string data(const std::string& name) {
  return (testing::shared_directory() / "data/metrics" / name).string();
}

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  LineReader reader(path);
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

#define NEEDS(name) \
  if (!std::filesystem::exists(data(name))) GTEST_SKIP() << "needs " << data(name) << ", which is missing"

std::vector<std::string> strings(const Json& json) {
  return json.is_array() ? json.get<std::vector<std::string>>() : std::vector{json.get<std::string>()};
}

class Cases : public ::testing::Test {
 protected:
  // The cases of a group, at least one.
  const Json& group(const std::string& name) {
    if (cases_.is_null()) cases_ = parse_json(read_file(data("cases.json")), "cases.json");
    const Json& group = cases_.at(name);
    EXPECT_FALSE(group.empty()) << name;
    return group;
  }

  static double score(const char* metric, const Json& c, const metrics::MetricOptions& options) {
    const auto made = make_metric(metric, options);
    // References are files of lines, or one file.
    const Json& refs = c.at("refs");
    const metrics::References references =
        refs.at(0).is_array() ? refs.get<metrics::References>() : metrics::References{strings(refs)};
    return corpus_score(*made, strings(c.at("hyps")), references);
  }

 private:
  Json cases_;
};

TEST_F(Cases, CorpusBleu) {
  NEEDS("cases.json");
  for (const Json& c : group("corpus_bleu")) {
    const metrics::MetricOptions options{.bleu_tokenizer = c.at("settings").value("tokenize", "13a")};
    EXPECT_NEAR(score("bleu", c, options), c.at("expected").get<double>(), c.at("tol").get<double>());
  }
  for (const Json& c : group("corpus_bleu_max_order"))
    EXPECT_EQ(fmt::format("{:.2f}", score("bleu", c, {.bleu_max_order = c.at("max_order").get<int>()})),
              c.at("expected_2dp").get<std::string>());
  const metrics::MetricOptions raw{
      .bleu_tokenizer = "none", .bleu_smoothing = "floor", .bleu_smoothing_value = 0.01, .bleu_effective_order = true};
  for (const Json& c : group("raw_corpus_bleu_floor_0.01_notok_fraction"))
    EXPECT_NEAR(score("bleu", c, raw) / 100, c.at("expected").get<double>(), 1e-8);
}

// BLEU's statistics in the order of the metric.
std::vector<double> bleu_statistics(double length, double reference_length, const Json& c) {
  std::vector<double> statistics = {length, reference_length};
  for (const char* part : {"common", "total"})
    for (const Json& count : c.at(part)) statistics.push_back(count.get<double>());
  return statistics;
}

TEST_F(Cases, BleuStatistics) {
  NEEDS("cases.json");
  for (const Json& c : group("ngram_statistics")) {
    const auto metric = metrics::make_metric("bleu", {.bleu_tokenizer = "none"});
    const auto sums =
        metrics::sentence_statistics(*metric, strings(c.at("hyps")), c.at("refs").get<metrics::References>()).sums();
    EXPECT_EQ(sums, bleu_statistics(sums[0], sums[1], c.at("expected")));
  }
  for (const Json& c : group("bleu_from_statistics_fraction")) {
    const auto sums = bleu_statistics(c.at("sys_len").get<double>(), c.at("ref_len").get<double>(), c.at("stats"));
    EXPECT_NEAR(metrics::make_metric("bleu", {.bleu_smoothing = "none"})->score(sums) / 100,
                c.at("expected").get<double>(), 1e-8);
  }
  for (const Json& c : group("bleu_degenerate_floor")) {
    const auto sums = bleu_statistics(c.at("sys_len").get<double>(), c.at("ref_len").get<double>(), c.at("stats"));
    const metrics::MetricOptions options{.bleu_smoothing = "floor",
                                         .bleu_smoothing_value = c.at("floor").get<double>()};
    EXPECT_EQ(make_metric("bleu", options)->score(sums), c.at("expected").get<double>());
  }
}

TEST_F(Cases, SentenceBleu) {
  NEEDS("cases.json");
  for (const Json& c : group("sentence_bleu_effective_order")) {
    metrics::MetricOptions options{.lowercase = c.at("lowercase").get<bool>(),
                                   .bleu_tokenizer = c.at("tok").get<std::string>(),
                                   .bleu_smoothing = c.at("smooth").get<std::string>()};
    if (!c.at("value").is_null()) options.bleu_smoothing_value = c.at("value").get<double>();
    const auto hypothesis = c.at("hyp").get<std::string>(), reference = c.at("ref").get<std::string>();
    const std::string_view references[] = {reference};
    EXPECT_NEAR(sentence_score(*make_metric("bleu", options), hypothesis, references), c.at("expected").get<double>(),
                c.at("tol").get<double>());
  }
}

TEST_F(Cases, Chrf) {
  NEEDS("cases.json");
  const auto expect = [&](const char* name, const metrics::MetricOptions& options) {
    for (const Json& c : group(name))
      EXPECT_NEAR(score("chrf", c, options), c.at("expected").get<double>(), c.at("tol").get<double>()) << name;
  };
  expect("chrf_c6_w0_beta3_epssmooth", {.chrf_beta = 3, .chrf_epsilon_smoothing = true});
  expect("chrf_c6_w0_beta3_efforder", {.chrf_beta = 3});
  expect("chrf_c6_w0_beta3_keep_whitespace", {.chrf_beta = 3, .chrf_whitespace = true});
  for (const Json& c : group("sentence_chrf2_epssmooth")) {
    const auto hypothesis = c.at("hyp").get<std::string>();
    const auto lines = strings(c.at("refs"));
    const std::vector<std::string_view> references(lines.begin(), lines.end());
    EXPECT_NEAR(sentence_score(*metrics::make_metric("chrf", {.chrf_epsilon_smoothing = true}), hypothesis, references),
                c.at("expected").get<double>(), c.at("tol").get<double>());
  }
}

TEST_F(Cases, Ter) {
  NEEDS("cases.json");
  for (const Json& c : group("ter_fraction"))
    EXPECT_NEAR(score("ter", c, {}) / 100, c.at("expected").get<double>(), c.at("tol").get<double>());
}

// The systems of WMT 2017. The chrF++ scores are those of its author's script, which smooths with an epsilon.
TEST(Wmt17, ScoresEqualThePublishedOnes) {
  NEEDS("EXPECTED.md");
  struct Column {
    const char* metric;
    metrics::MetricOptions options;
    double scale, tolerance;
  };
  const Column columns[] = {
      {"bleu", {}, 1, 0.005 + 1e-9},
      {"bleu", {.bleu_tokenizer = "none"}, 1, 0.005 + 1e-9},
      {"bleu", {.bleu_tokenizer = "intl"}, 1, 0.005 + 1e-9},
      {"chrf", {}, 1, 0.00005 + 1e-9},
      {"chrf++", {.chrf_epsilon_smoothing = true}, 1, 0.00005 + 1e-9},
      {"ter", {}, 100, 0.05 + 1e-9},
  };
  const metrics::References reference = {read_lines(data("newstest2017.reference.en-de.txt"))};
  int figures = 0;
  for (const std::string& line : read_lines(data("EXPECTED.md"))) {
    std::vector<std::string> cells;
    for (std::size_t from = 1; from < line.size();) {
      const std::size_t end = line.find('|', from);
      if (end == line.npos) break;
      const std::string cell = line.substr(from, end - from);
      const std::size_t first = cell.find_first_not_of(' ');
      cells.push_back(first == cell.npos ? "" : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
      from = end + 1;
    }
    if (cells.size() != 1 + std::size(columns) || cells[0] == "system") continue;
    const auto hypotheses = read_lines(data("newstest2017." + cells[0] + ".txt"));
    for (std::size_t k = 0; k < std::size(columns); ++k) {
      if (cells[k + 1].empty()) continue;
      const Column& column = columns[k];
      EXPECT_NEAR(corpus_score(*make_metric(column.metric, column.options), hypotheses, reference),
                  std::stod(cells[k + 1]) * column.scale, column.tolerance)
          << cells[0] << " " << column.metric;
      ++figures;
    }
  }
  EXPECT_GE(figures, 20);
}

// p-values of the scripts of Moses and MultEval, which use other random numbers: equal within a hundredth.
TEST(Wmt17, PValuesAreNearThePublishedOnes) {
  NEEDS("newstest2017.FBK.4870.en-de.txt");
  const metrics::References reference = {read_lines(data("newstest2017.reference.en-de.txt"))};
  const auto bleu = metrics::make_metric("bleu", {.bleu_tokenizer = "none"}), ter = metrics::make_metric("ter");
  const auto lium = read_lines(data("newstest2017.LIUM-NMT.4900.en-de.txt"));
  const auto compare = [&](const metrics::Metric& metric, const char* system) {
    return compare_systems(metric, sentence_statistics(metric, lium, reference),
                           sentence_statistics(metric, read_lines(data(system)), reference),
                           {.bootstrap_samples = 2000});
  };
  const auto fbk = compare(*bleu, "newstest2017.FBK.4870.en-de.txt");
  EXPECT_NEAR(fbk.bootstrap_p, 0.01267, 0.01);
  EXPECT_NEAR(fbk.randomization_p, 0.0218, 0.01);
  EXPECT_NEAR(compare(*ter, "newstest2017.FBK.4870.en-de.txt").randomization_p, 0.09569, 0.015);
  const auto uedin = compare(*bleu, "newstest2017.uedin-nmt.4722.en-de.txt");
  EXPECT_LT(uedin.bootstrap_p, 0.01);
  EXPECT_LT(uedin.randomization_p, 0.001);
}

}  // namespace
}  // namespace heed
