// Properties of all metrics, their tokenizers and the detection of tokenized text.
#include "metrics/metric.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/error.h"
#include "metrics/segment.h"
#include "sample.h"
#include "text/unicode.h"

namespace heed {
namespace {

double perfect(const metrics::Metric& metric) {
  return metric.lower_is_better() ? 0 : 100;
}

TEST(Metrics, MakesEveryMetricOfTheTable) {
  EXPECT_EQ(metrics::metric_names(), (std::vector<std::string>{"bleu", "chrf", "chrf++", "ter", "exact"}));
  for (const std::string& name : metrics::metric_names()) {
    const auto metric = metrics::make_metric(name);
    EXPECT_GT(metric->size(), 0u) << name;
    EXPECT_NE(metric->label(), "");
  }
  try {
    metrics::make_metric("blue");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'bleu'?"), std::string::npos) << error.what();
  }
}

TEST(Metrics, IdenticalTextHasAPerfectScore) {
  const std::vector<std::string> lines(kSampleReferences[1].begin(), kSampleReferences[1].end() - 1);
  for (const std::string& name : metrics::metric_names()) {
    const auto metric = metrics::make_metric(name);
    EXPECT_NEAR(metrics::corpus_score(*metric, lines, {lines}), perfect(*metric), 1e-10) << name;
    for (const std::string& line : lines) {
      const std::string_view reference[] = {line};
      EXPECT_NEAR(sentence_score(*metric, line, reference), perfect(*metric), 1e-10) << name << ": " << line;
    }
  }
}

TEST(Metrics, TextWithNothingInCommonHasTheWorstScore) {
  for (const std::string& name : metrics::metric_names()) {
    const auto metric = metrics::make_metric(name);
    EXPECT_EQ(metrics::corpus_score(*metric, std::vector<std::string>{"aa bb cc dd"}, {{"ee ff gg hh"}}),
              100 - perfect(*metric))
        << name;
  }
}

TEST(Metrics, OrderOfReferencesAndSentencesDoesNotMatter) {
  // Without the empty translation: its chrF is 0 against either reference, and then the first one counts.
  const std::vector<std::string> hypotheses(kSampleHypotheses.begin(), kSampleHypotheses.end() - 1);
  metrics::References references, reversed;
  for (const auto& reference : kSampleReferences) {
    references.emplace_back(reference.begin(), reference.end() - 1);
    reversed.emplace_back(reference.rbegin() + 1, reference.rend());
  }
  const metrics::References swapped = {references[1], references[0]};
  const std::vector<std::string> reversed_hypotheses(hypotheses.rbegin(), hypotheses.rend());
  for (const std::string& name : metrics::metric_names()) {
    const auto metric = metrics::make_metric(name);
    const double score = metrics::corpus_score(*metric, hypotheses, references);
    EXPECT_NEAR(corpus_score(*metric, hypotheses, swapped), score, 1e-10) << name;
    EXPECT_NEAR(corpus_score(*metric, reversed_hypotheses, reversed), score, 1e-10) << name;
  }
}

TEST(Metrics, AnotherReferenceDoesNotLowerTheScore) {
  // The references have equal lengths, because TER divides by the mean length and BLEU uses the nearest.
  const std::vector<std::string> hypothesis = {"a b c d e f"};
  for (const std::string& name : metrics::metric_names()) {
    const auto metric = metrics::make_metric(name);
    const double sign = metric->lower_is_better() ? -1 : 1;
    const double one = metrics::corpus_score(*metric, hypothesis, {{"a b x d e f"}});
    EXPECT_GE(sign * corpus_score(*metric, hypothesis, {{"a b x d e f"}, {"z z z z z z"}}), sign * one) << name;
    EXPECT_GT(sign * corpus_score(*metric, hypothesis, {{"a b x d e f"}, {"a b c d x f"}, {"a b c d e f"}}), sign * one)
        << name;
  }
}

TEST(Metrics, SumsAreThoseOfTheSentences) {
  for (const std::string& name : metrics::metric_names()) {
    const auto metric = metrics::make_metric(name);
    const auto sentences = metrics::sentence_statistics(*metric, kSampleHypotheses, kSampleReferences);
    ASSERT_EQ(sentences.rows(), kSampleHypotheses.size());
    ASSERT_EQ(sentences.columns(), metric->size());
    std::vector<double> sums(metric->size());
    std::vector<double> row(metric->size(), -1);  // previous values must not matter
    for (std::size_t i = 0; i < kSampleHypotheses.size(); ++i) {
      const std::string_view references[] = {kSampleReferences[0][i], kSampleReferences[1][i]};
      metric->compute(kSampleHypotheses[i], references, row);
      EXPECT_TRUE(std::equal(row.begin(), row.end(), sentences.row(i).begin())) << name << " " << i;
      for (std::size_t k = 0; k < row.size(); ++k) sums[k] += row[k];
    }
    EXPECT_EQ(sums, sentences.sums()) << name;
  }
}

TEST(Metrics, UnusualTextHasAFiniteScore) {
  const std::string lines[] = {
      "",     " ",        "\t\r",         std::string("\0a\0", 3), "\xff\xfe", "a\u2028b",
      ".",    "....,,..", "\u00a0\u3000", "\U0001F600\u200d",      "-",        "&quot;&amp;lt;",
      "a\nb", "-\n"};
  for (const std::string& name : metrics::metric_names()) {
    for (const char* tokenizer : {"13a", "intl", "char", "none"}) {
      const metrics::MetricOptions options{.lowercase = true,
                                           .bleu_tokenizer = tokenizer,
                                           .ter_normalized = true,
                                           .ter_no_punctuation = true,
                                           .ter_asian_support = true};
      const auto metric = make_metric(name, options);
      for (const std::string& hypothesis : lines) {
        for (const std::string& reference : lines) {
          const std::string_view references[] = {reference};
          const double score = sentence_score(*metric, hypothesis, references);
          EXPECT_TRUE(score >= 0 && score < 2000) << name << " " << score;
        }
      }
    }
  }
}

// A sentence is right if its tokens are those of one of the references; spaces do not count, case does unless ignored.
TEST(Metrics, ExactCountsSentencesWithTheTokensOfAReference) {
  const std::vector<std::string> hypotheses = {"Hello , world!", "hello, world!", "Hello world!", "a b", "ab"};
  const metrics::References references = {std::vector<std::string>(5, "Hello, world!"), {"x", "x", "x", "ab", "a b"}};
  const auto score = [&](const metrics::MetricOptions& options) {
    return metrics::corpus_score(*metrics::make_metric("exact", options), hypotheses, references);
  };
  EXPECT_DOUBLE_EQ(score({}), 20);
  EXPECT_DOUBLE_EQ(score({.lowercase = true}), 40);
  EXPECT_DOUBLE_EQ(score({.bleu_tokenizer = "char"}), 60);
  EXPECT_TRUE(metrics::signature(*metrics::make_metric("exact", {.lowercase = true}), 2)
                  .starts_with("nrefs:2|case:lc|tok:13a|"));
  EXPECT_TRUE(metrics::signature(*metrics::make_metric("exact"), 1).starts_with("nrefs:1|case:mixed|tok:13a|"));
}

TEST(Metrics, DifferentNumbersOfLinesAreAnError) {
  const auto metric = metrics::make_metric("bleu");
  const std::vector<std::string> two = {"a", "b"};
  EXPECT_THROW(metrics::sentence_statistics(*metric, two, {}), InputError);
  EXPECT_THROW(metrics::sentence_statistics(*metric, {}, {{}}), InputError);
  try {
    metrics::sentence_statistics(*metric, two, {{"a", "b"}, {"a"}, {"a", "b", "c"}});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "there are 2 hypotheses, but the references have 2, 1, 3 lines");
  }
}

TEST(Metrics, TheSignatureContainsTheVersionOfTheProject) {
  std::stringstream file;
  file << std::ifstream("CMakeLists.txt").rdbuf();
  const std::string text = file.str(), start = "project(heed VERSION ";
  const std::size_t from = text.find(start);
  ASSERT_NE(from, text.npos);
  const std::string version =
      text.substr(from + start.size(), text.find(' ', from + start.size()) - from - start.size());
  EXPECT_TRUE(metrics::signature(*metrics::make_metric("bleu"), 1).ends_with("|version:heed-" + version)) << version;
}

std::string tokens(const char* tokenizer, std::string_view line) {
  std::vector<std::string> words;
  const std::u32string text = metrics::find_metric_tokenizer(tokenizer).apply(metrics::read_segment(line, false));
  for (const auto word : metrics::split_words(text)) words.push_back(text::encode_utf8(word));
  return fmt::format("{}", fmt::join(words, " "));
}

TEST(MetricTokenizers, ThirteenA) {
  const auto expect = [](const char* line, const char* expected) { EXPECT_EQ(tokens("13a", line), expected); };
  expect("Hello, world!", "Hello , world !");
  expect("It costs 1,200.50 (net).", "It costs 1,200.50 ( net ) .");
  expect("in 2017.", "in 2017 .");
  expect("a.b c,d .5 5.", "a . b c , d . 5 5 .");
  expect("don't", "don't");
  expect("1990-2000 well-known x-1", "1990 - 2000 well-known x-1");
  expect("&quot;A&quot; &amp; &amp;lt; &lt;b&gt; &apos;", "\" A \" & < < b > & apos ;");
  expect("<skipped>a<skip>", "a < skip >");
  // The rules of mteval match adjacent marks in pairs.
  expect("wait... what", "wait . . . what");
  expect("a..b", "a . . b");
  expect("„Grüß“ – gut", "„Grüß“ – gut");
  expect("  a\tb\u3000c\u00a0 ", "a b c");
}

TEST(MetricTokenizers, International) {
  const auto expect = [](const char* line, const char* expected) { EXPECT_EQ(tokens("intl", line), expected); };
  expect("Hello, world!", "Hello , world !");
  expect("„Grüß“ – gut", "„ Grüß “ – gut");
  expect("(5)", "(5)");
  expect("1,200.50 a.b", "1,200.50 a . b");
  expect("in 2017.", "in 2017.");
  expect("5€ + 3$=8", "5 € + 3 $ = 8");
  expect("٣,٤ ½.", "٣,٤ ½.");
  expect("don't", "don ' t");
}

TEST(MetricTokenizers, CharactersAndNone) {
  EXPECT_EQ(tokens("char", "ab ü\u3000.\U0001F600"), "a b ü . \U0001F600");
  EXPECT_EQ(tokens("none", " a,b  c. "), "a,b c.");
  EXPECT_THROW(metrics::find_metric_tokenizer("zh"), UsageError);
}

TEST(Segments, WhiteSpaceIsThatOfPython) {
  const std::u32string_view spaces =
      U"\t\n\v\f\r\x1c\x1d\x1e\x1f \u0085\u00a0\u1680\u2000\u2028\u2029\u202f\u205f\u3000";
  for (const char32_t c : spaces) EXPECT_TRUE(metrics::is_metric_space(c)) << static_cast<unsigned>(c);
  const std::u32string_view others = U"a\x1b\x21\u180e\u200b\u2060\ufeff";
  for (const char32_t c : others) EXPECT_FALSE(metrics::is_metric_space(c)) << static_cast<unsigned>(c);
  EXPECT_EQ(metrics::read_segment("ΟΔΟΣ İ \t", true), U"οδος i\u0307");
}

TEST(TokenizedText, IsDetectedByFullStopsAndCommas) {
  const auto likely = [](std::vector<std::string> lines) {
    metrics::TokenizedText text;
    for (const std::string& line : lines) text.add(line);
    return text.likely();
  };
  EXPECT_TRUE(likely({"a man , a plan .", "no . 5 is alive ."}));
  EXPECT_TRUE(likely({"Mr. Smith went home , they say ."}));
  EXPECT_FALSE(likely({"A man, a plan.", "No. 5 is alive."}));
  EXPECT_FALSE(likely({"no stops here", ""}));
  EXPECT_FALSE(likely({"A typo , once. But, well, not more."}));
}

}  // namespace
}  // namespace heed
