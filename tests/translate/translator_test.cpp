// Lines in, lines out: order, chunks, prefixes, ensembles, and the same result whatever the batch and the threads.
#include "translate/translator.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/random.h"
#include "base/utf8.h"
#include "support/files.h"
#include "translate/json.h"
#include "translate/random_model.h"

namespace heed::testing {
namespace {

std::vector<std::string> some_lines(std::size_t count) {
  std::vector<std::string> lines;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Random random(7, Stream::test, i);
    std::string line;
    for (std::uint32_t k = 0; k < random.below(0, 12); ++k)
      line += (k > 0 ? " w" : "w") + std::to_string(3 + random.below(k + 1, 19));
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> as_json(Translator& translator, std::span<const std::string> lines,
                                 const TranslateOptions& options) {
  std::vector<std::string> all;
  const std::vector<LineResult> results = translator.translate(lines, options);
  for (std::size_t i = 0; i < lines.size(); ++i) all.push_back(translated_json(lines[i], results[i]));
  return all;
}

// Every number and letter, down to the chunks.
bool same(const LineResult& a, const LineResult& b) {
  const auto equal = [](const Translation& x, const Translation& y) {
    return x.text == y.text && x.score == y.score && x.log_probability == y.log_probability &&
           x.probabilities == y.probabilities && x.attention.weights == y.attention.weights;
  };
  return std::ranges::equal(a.translations, b.translations, equal) && std::ranges::equal(a.chunks, b.chunks, same);
}

template <class Error>
std::string failure(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Translator, GivesTheSameBitsWhateverTheBatchAndTheThreads) {
  const RandomModel nonsense;
  Translator translator(*nonsense.model, nonsense.pipeline);
  const std::vector<std::string> lines = some_lines(70);
  TranslateOptions options{.search = {.beam = 3, .nbest = 2}, .batch = 64, .threads = 1, .max_source_length = 8};
  std::vector<LineResult> expected = translator.translate(lines, options);
  ASSERT_FALSE(same(expected[0], expected[1]));
  for (const int batch : {1, 7}) {
    for (const int threads : {1, 3}) {
      options.batch = batch;
      options.threads = threads;
      const std::vector<LineResult> results = translator.translate(lines, options);
      for (std::size_t i = 0; i < lines.size(); ++i)
        EXPECT_TRUE(same(results[i], expected[i])) << "line " << i << ", batch " << batch << ", threads " << threads;
    }
  }
  const std::vector<std::string> reversed(lines.rbegin(), lines.rend());
  std::ranges::reverse(expected);
  EXPECT_TRUE(std::ranges::equal(translator.translate(reversed, options), expected, same));
}

TEST(Translator, GivesAnEmptyLineForALineWithoutWords) {
  const RandomModel nonsense;
  Translator translator(*nonsense.model, nonsense.pipeline);
  const std::vector<std::string> lines = {"", "  \t ", "w3", "\u2028"};
  const auto results = translator.translate(lines, {});
  ASSERT_EQ(results.size(), 4u);
  for (const std::size_t i : {0u, 1u, 3u}) {
    ASSERT_TRUE(results[i].done());
    EXPECT_EQ(results[i].best().text, "");
  }
  EXPECT_NE(results[2].best().text, "");
}

TEST(Translator, CutsLongLinesAndTranslatesThePiecesAsLines) {
  const RandomModel nonsense;
  Translator translator(*nonsense.model, nonsense.pipeline);
  TranslateOptions options{.search = {.beam = 2}, .max_source_length = 4};
  const std::vector<std::string> lines = {"w3 w4 ü. w5 w6", "w3 w4 ü.", "w5 w6"};
  const auto results = translator.translate(lines, options);
  ASSERT_EQ(results[0].chunks.size(), 2u);
  EXPECT_TRUE(results[1].chunks.empty());
  EXPECT_EQ(results[0].best().text, results[1].best().text + " " + results[2].best().text);
  EXPECT_EQ(results[0].chunks[1].best().attention.source[0].span, (Span{9, 11}));
  EXPECT_EQ(results[0].chunks[1].best().attention.weights, results[2].best().attention.weights);
}

TEST(Translator, CutsWhatLocationAttentionCannotRead) {
  const RandomModel nonsense("location-gru");
  const Index most = nonsense.model->decoder().max_source_length();
  Translator translator(*nonsense.model, nonsense.pipeline);
  std::string line;
  for (Index i = 0; i < most; ++i) line += "w4 ";
  const auto results = translator.translate(std::vector{line}, {});
  EXPECT_EQ(results[0].chunks.size(), 2u);
  EXPECT_EQ(results[0].chunks[0].best().attention.source.size(), static_cast<std::size_t>(most));
}

TEST(Translator, BeginsAsToldTo) {
  const RandomModel nonsense;
  Translator translator(*nonsense.model, nonsense.pipeline);
  const std::vector<std::string> lines = {"w3 w4", "", "w5"}, prefixes = {"w9 w9 w9", "w7", ""};
  const auto results = translator.translate(lines, {}, prefixes);
  EXPECT_TRUE(results[0].best().text.starts_with("w9 w9 w9"));
  EXPECT_TRUE(results[1].best().text.starts_with("w7"));
  EXPECT_EQ(results[2].best().text, translator.translate(lines, {})[2].best().text);
  const std::vector<std::string> unknown = {"w9", "w9 xyz", ""};
  EXPECT_EQ(failure<InputError>([&] { translator.translate(lines, {}, unknown); }),
            "the prefix 'w9 xyz' has 'xyz', which the model does not know; begin otherwise");
}

TEST(Translator, RefusesOptionsThatContradict) {
  const RandomModel nonsense("vanilla");
  Translator translator(*nonsense.model, nonsense.pipeline);
  const std::vector<std::string> lines = {"w3"};
  for (const TranslateOptions& bad : {TranslateOptions{.search = {.beam = 2, .nbest = 3}}, TranslateOptions{.batch = 0},
                                      TranslateOptions{.max_source_length = 0}, TranslateOptions{.length_extra = 0},
                                      TranslateOptions{.unknown = UnknownWords::parse("copy")}})
    EXPECT_NE(failure<UsageError>([&] { translator.translate(lines, bad); }), "");
}

TEST(Translator, StopsWhereItIsToldTo) {
  const RandomModel nonsense;
  Translator translator(*nonsense.model, nonsense.pipeline);
  std::size_t batches = 0;
  const TranslateOptions options{.batch = 2, .on_progress = [&](std::size_t done, std::size_t all) {
                                   EXPECT_EQ(done, 4 * ++batches);  // two of "w3" and its end symbol
                                   EXPECT_EQ(all, 18u);
                                   return batches < 2;
                                 }};
  const auto results = translator.translate(std::vector<std::string>(9, "w3"), options);
  EXPECT_EQ(std::ranges::count_if(results, &LineResult::done), 4);
}

TEST(Translator, TranslatesWithSeveralModelsOfOneVocabulary) {
  const TemporaryDirectory directory;
  RandomModel("bahdanau-lstm").save(directory.file("a"));
  RandomModel("luong-general", {.tokeniser = "whitespace"}, 2).save(directory.file("b"));
  RandomModel("vanilla", {.tokeniser = "words"}).save(directory.file("c"));
  const std::vector<std::string> lines = some_lines(10);
  Translator one(directory.file("a"));
  Translator both(std::vector{directory.file("a"), directory.file("b")});
  EXPECT_EQ(as_json(one, lines, {}).size(), 10u);
  EXPECT_NE(as_json(both, lines, {}), as_json(one, lines, {}));
  const std::vector<std::string> unlike = {directory.file("a"), directory.file("c")};
  EXPECT_NE(failure<InputError>([&] { Translator{unlike}; }).find("cannot translate as one"), std::string::npos);
  EXPECT_THROW(Translator{directory.file("none")}, InputError);
}

TEST(Translator, TakesAHundredThousandWords) {
  const RandomModel nonsense;
  Translator translator(*nonsense.model, nonsense.pipeline);
  std::string line;
  for (int i = 0; i < 100'000; ++i) line += "w" + std::to_string(3 + i % 17) + " ";
  const TranslateOptions options{.search = {.beam = 1, .attention = false}, .threads = 2, .length_ratio = 0.01};
  const auto results = translator.translate(std::vector{line}, options);
  EXPECT_EQ(results[0].chunks.size(), 200u);
  EXPECT_EQ(results[0].best().attention.source.size(), 100'001u);
}

TEST(Translator, SurvivesTheBigListOfNaughtyStrings) {
  const auto path = shared_directory() / "data/unicode/blns.txt";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  std::vector<std::string> lines;
  LineReader reader(path.string());
  for (std::string line; reader.next(line);) lines.push_back(line);
  ASSERT_GT(lines.size(), 500u);
  for (const char* kind : {"whitespace", "words", "characters"}) {
    const RandomModel nonsense("bahdanau-lstm", {.tokeniser = kind, .normalise = {"nfkc"}});
    Translator translator(*nonsense.model, nonsense.pipeline);
    const TranslateOptions options{.search = {.beam = 1}, .length_extra = 2, .unknown = UnknownWords::parse("copy")};
    const auto results = translator.translate(lines, options);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      ASSERT_TRUE(results[i].done());
      EXPECT_EQ(results[i].best().text.find_first_of("\n\r"), std::string::npos) << lines[i];
      EXPECT_NO_THROW(parse_json(translated_json(lines[i], results[i]), "json"));
      for (const Token& token : results[i].best().attention.source)
        EXPECT_LE(token.span.to, utf8_length(replace_bad_utf8(lines[i])));
    }
  }
}

}  // namespace
}  // namespace heed::testing
