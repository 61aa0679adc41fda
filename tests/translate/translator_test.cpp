// Lines in, lines out: order, chunks, prefixes, ensembles, and the same result for any batch and any number of threads.
#include "translate/translator.h"

#include <gtest/gtest.h>

#include <cmath>

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

std::vector<std::string> as_json(translate::Translator& translator, std::span<const std::string> lines,
                                 const translate::TranslateOptions& options) {
  std::vector<std::string> all;
  const std::vector<translate::LineResult> results = translator.translate(lines, options);
  for (std::size_t i = 0; i < lines.size(); ++i) all.push_back(dump_json(to_json(lines[i], results[i])));
  return all;
}

// All fields as text, including those of the chunks.
bool same(const translate::LineResult& a, const translate::LineResult& b) {
  const auto equal = [](const translate::Translation& x, const translate::Translation& y) {
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

// Calls `check` with every span of the JSON: with the text that it lies in.
void for_spans(const Json& object, const std::string& source, const std::string& translation,
               const std::function<void(const Json& span, const std::string& text)>& check) {
  for (const Json& span : object["source_spans"]) check(span, source);
  for (const Json& span : object["target_spans"]) check(span, translation);
}

TEST(Translator, SpansInJsonLieWithinThePrintedText) {
  std::vector<std::string> parts = {"\xe2\x82", "\xe2",         "\xed\xa0\x80", "\xc0\xaf",
                                    "\xff",     "\xe0\x80\xaf", "\xf0\x9f\x98"};
  for (const char* part :
       {"\xf4\x90\x80\x80", "\x80", "\xc2\x9b", "\u202e", "\u00e9", "\u65e5", "\u2028", "\u00a0", "\x1b[2J"})
    parts.emplace_back(part);
  for (const char* part : {"e\u0301", "\ufeff", "\t", "\r", "\U0001F642", "\x7f", "w3", " ", "w4 ", "w5 w6"})
    parts.emplace_back(part);
  parts.emplace_back(1, '\0');
  std::vector<std::string> lines = {"w3 \xe2\x82 w4"};
  for (std::uint32_t i = 0; i < 400; ++i) {
    const Random random(11, Stream::test, i);
    std::string& line = lines.emplace_back();
    for (std::uint32_t k = 0; k < random.below(0, 30); ++k)
      line += parts[random.below(k + 1, static_cast<std::uint32_t>(parts.size()))];
  }
  int with_bad_bytes = 0;
  for (const char* tokenizer : {"whitespace", "words", "characters"}) {
    const RandomModel nonsense("bahdanau-lstm", {.tokenizer = tokenizer, .normalize = {"lowercase"}});
    translate::Translator translator(*nonsense.model, nonsense.pipeline);
    translate::TranslateOptions options;
    options.search.beam = 2;
    options.search.nbest = 2;
    options.search.attention = true;
    options.warnings = true;
    options.max_source_length = 12;
    const std::vector<std::string> objects = as_json(translator, lines, options);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const Json json = parse_json(objects[i], "t");
      const std::string source = json["source"];
      EXPECT_EQ(source, replace_bad_utf8(lines[i]));
      with_bad_bytes += source != lines[i];
      const auto check = [&](const Json& span, const std::string& text) {
        ASSERT_LE(span[0].get<std::size_t>(), span[1].get<std::size_t>()) << objects[i];
        ASSERT_LE(span[1].get<std::size_t>(), utf8_length(text)) << objects[i];
      };
      for_spans(json, source, json["translation"], check);
      const std::string translation = json["translation"];
      for (const Json& part : json.value("nbest", Json::array())) for_spans(part, source, part["translation"], check);
      for (const Json& part : json.value("pieces", Json::array())) for_spans(part, source, translation, check);
      for (const Json& word : json["words"]) check(word["span"], translation);
      for (const Json& warning : json["warnings"])
        check(warning["span"], warning["kind"] == "unattended" ? source : translation);
    }
  }
  EXPECT_GT(with_bad_bytes, 500);
}

TEST(Translator, GivesTheSameBitsForAnyBatchAndThreads) {
  const RandomModel nonsense;
  translate::Translator translator(*nonsense.model, nonsense.pipeline);
  const std::vector<std::string> lines = some_lines(70);
  translate::TranslateOptions options{
      .search = {.beam = 3, .nbest = 2}, .max_source_length = 8, .batch = 64, .threads = 1};
  std::vector<translate::LineResult> expected = translator.translate(lines, options);
  ASSERT_FALSE(same(expected[0], expected[1]));
  for (const int batch : {1, 7}) {
    for (const int threads : {1, 3}) {
      options.batch = batch;
      options.threads = threads;
      const std::vector<translate::LineResult> results = translator.translate(lines, options);
      for (std::size_t i = 0; i < lines.size(); ++i)
        EXPECT_TRUE(same(results[i], expected[i])) << "line " << i << ", batch " << batch << ", threads " << threads;
    }
  }
  const std::vector<std::string> reversed(lines.rbegin(), lines.rend());
  std::ranges::reverse(expected);
  EXPECT_TRUE(std::ranges::equal(translator.translate(reversed, options), expected, same));
}

TEST(Translator, TranslatesALineWithoutWordsToAnEmptyLine) {
  const RandomModel nonsense;
  translate::Translator translator(*nonsense.model, nonsense.pipeline);
  const std::vector<std::string> lines = {"", "  \t ", "w3", "\u2028"};
  const auto results = translator.translate(lines, {});
  ASSERT_EQ(results.size(), 4u);
  for (const std::size_t i : {0u, 1u, 3u}) {
    ASSERT_TRUE(results[i].done());
    EXPECT_EQ(results[i].best().text, "");
  }
  EXPECT_NE(results[2].best().text, "");
}

TEST(Translator, SplitsLongLinesAndTranslatesTheChunksAsLines) {
  const RandomModel nonsense;
  translate::Translator translator(*nonsense.model, nonsense.pipeline);
  translate::TranslateOptions options{.search = {.beam = 2}, .max_source_length = 4};
  const std::vector<std::string> lines = {"w3 w4 ü. w5 w6", "w3 w4 ü.", "w5 w6"};
  const auto results = translator.translate(lines, options);
  ASSERT_EQ(results[0].chunks.size(), 2u);
  EXPECT_TRUE(results[1].chunks.empty());
  EXPECT_EQ(results[0].best().text, results[1].best().text + " " + results[2].best().text);
  EXPECT_EQ(results[0].chunks[1].best().attention.source[0].span, (text::Span{9, 11}));
  EXPECT_EQ(results[0].chunks[1].best().attention.weights, results[2].best().attention.weights);
}

TEST(Translator, SplitsLinesTooLongForLocationAttention) {
  const RandomModel nonsense("location-gru");
  const Index most = nonsense.model->decoder().max_source_length();
  translate::Translator translator(*nonsense.model, nonsense.pipeline);
  std::string line;
  for (Index i = 0; i < most; ++i) line += "w4 ";
  const auto results = translator.translate(std::vector{line}, {});
  EXPECT_EQ(results[0].chunks.size(), 2u);
  EXPECT_EQ(results[0].chunks[0].best().attention.source.size(), static_cast<std::size_t>(most));
}

TEST(Translator, BeginsWithThePrefix) {
  const RandomModel nonsense;
  translate::Translator translator(*nonsense.model, nonsense.pipeline);
  const std::vector<std::string> lines = {"w3 w4", "", "w5"}, prefixes = {"w9 w9 w9", "w7", ""};
  const auto results = translator.translate(lines, {}, prefixes);
  EXPECT_TRUE(results[0].best().text.starts_with("w9 w9 w9"));
  EXPECT_TRUE(results[1].best().text.starts_with("w7"));
  EXPECT_EQ(results[2].best().text, translator.translate(lines, {})[2].best().text);
  const std::vector<std::string> unknown = {"w9", "w9 xyz", ""};
  EXPECT_EQ(failure<InputError>([&] { translator.translate(lines, {}, unknown); }),
            "the prefix 'w9 xyz' contains 'xyz', which the model does not know; use another prefix");
}

// Requests with their own options, prefixes and targets share a call; each gets the same result as alone.
TEST(Translator, AcceptsRequestsWithTheirOwnOptions) {
  const RandomModel nonsense;
  translate::Translator translator(*nonsense.model, nonsense.pipeline);
  const std::vector<std::string> lines = some_lines(40);
  const translate::TranslateOptions call{.batch = 7, .threads = 2}, greedy{.search = {.beam = 1}, .warnings = true},
      several{.search = {.beam = 4, .nbest = 3}, .length_ratio = 1, .length_extra = 2, .max_source_length = 3},
      copied{.search = {.beam = 2, .attention = false}, .unknown = translate::UnknownWords::parse("copy")};
  const translate::TranslateOptions* const all[] = {nullptr, &greedy, &several, &copied};
  std::vector<translate::TranslateRequest> requests;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    requests.push_back({.text = lines[i], .options = all[i % 4]});
    if (i % 5 == 0) requests.back().prefix = "w9 w4";
  }
  const auto together = translator.translate(requests, call);
  ASSERT_EQ(together.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string> prefix = {std::string(requests[i].prefix)};
    const auto alone = translator.translate({&lines[i], 1}, all[i % 4] != nullptr ? *all[i % 4] : call, prefix);
    EXPECT_TRUE(same(together[i], alone[0])) << i;
    if (i % 4 != 1) {
      EXPECT_TRUE(together[i].warnings.empty());
    }
  }
  const translate::TranslateOptions bad{.length_extra = 0};
  requests.back().options = &bad;
  EXPECT_THROW(translator.translate(requests, call), UsageError);
}

TEST(Translator, ScoresATarget) {
  const RandomModel nonsense;
  translate::Translator translator(*nonsense.model, nonsense.pipeline);
  const std::vector<std::string> source = {"w3 w4"}, target = {"w5 xyz w6"};
  const translate::TranslateRequest request{.text = source[0], .target = target[0]};
  const translate::LineResult result = translator.translate({&request, 1}, {.threads = 1})[0];
  EXPECT_EQ(result.best().text, "w5 <unk> w6");
  const translate::ScoredPair scored = translator.score(source, target)[0];
  ASSERT_EQ(result.best().probabilities.size(), scored.log_probabilities.size());
  for (std::size_t t = 0; t < scored.log_probabilities.size(); ++t)
    EXPECT_NEAR(result.best().probabilities[t], std::exp(scored.log_probabilities[t]), 1e-6);
  const translate::TranslateRequest cut{.text = source[0], .target = target[0]};
  EXPECT_THROW(translator.translate({&cut, 1}, {.max_source_length = 1}), UsageError);
}

TEST(Translator, SkipsRequestsThatAreStoppedOrLate) {
  const RandomModel nonsense;
  translate::Translator translator(*nonsense.model, nonsense.pipeline);
  std::stop_source stop;
  stop.request_stop();
  std::vector<translate::TranslateRequest> requests(3, {.text = "w3 w4 w5 w6"});
  requests[0].stop = stop.get_token();
  requests[1].deadline = std::chrono::steady_clock::now();
  const auto results = translator.translate(requests, {.max_source_length = 2});
  EXPECT_FALSE(results[0].done());
  EXPECT_FALSE(results[1].done());
  EXPECT_EQ(results[2].chunks.size(), 2u);
}

TEST(Translator, ReturnsTraces) {
  const RandomModel nonsense;
  translate::Translator translator(*nonsense.model, nonsense.pipeline);
  const std::vector<std::string> lines = {"w3 w4 w5", "w6"};
  const auto results = translator.translate(lines, {.search = {.beam = 3, .nbest = 2, .trace = 4}});
  for (const translate::LineResult& result : results) {
    EXPECT_EQ(result.encoder_states.size(), result.best().attention.source.size());
    for (const translate::Translation& translation : result.translations) {
      ASSERT_EQ(translation.trace.size(), translation.attention.target.size());
      EXPECT_EQ(translation.trace[0].choices.size(), 4u);
      EXPECT_EQ(nonsense.pipeline.target().word(translation.trace[0].written.word),
                translation.attention.target[0].text);
      EXPECT_EQ(static_cast<float>(translation.trace[0].written.probability), translation.probabilities[0]);
    }
  }
}

TEST(Translator, RejectsContradictoryOptions) {
  const RandomModel nonsense("vanilla");
  translate::Translator translator(*nonsense.model, nonsense.pipeline);
  const std::vector<std::string> lines = {"w3"};
  for (const translate::TranslateOptions& bad :
       {translate::TranslateOptions{.search = {.beam = 2, .nbest = 3}}, translate::TranslateOptions{.batch = 0},
        translate::TranslateOptions{.max_source_length = 0}, translate::TranslateOptions{.length_extra = 0},
        translate::TranslateOptions{.unknown = translate::UnknownWords::parse("copy")}})
    EXPECT_NE(failure<UsageError>([&] { translator.translate(lines, bad); }), "");
}

TEST(Translator, StopsWhenProgressReturnsFalse) {
  const RandomModel nonsense;
  translate::Translator translator(*nonsense.model, nonsense.pipeline);
  std::size_t batches = 0;
  const translate::TranslateOptions options{
      .batch = 2, .threads = 1, .on_progress = [&](std::size_t done, std::size_t all) {
        EXPECT_EQ(done, 4 * ++batches);  // two of "w3" and its end symbol
        EXPECT_EQ(all, 18u);
        return batches < 2;
      }};
  const auto results = translator.translate(std::vector<std::string>(9, "w3"), options);
  EXPECT_EQ(std::ranges::count_if(results, &translate::LineResult::done), 4);
}

TEST(Translator, TranslatesWithAnEnsemble) {
  const TemporaryDirectory directory;
  RandomModel("bahdanau-lstm").save(directory.file("a"));
  RandomModel("luong-general", {.tokenizer = "whitespace"}, 2).save(directory.file("b"));
  RandomModel("vanilla", {.tokenizer = "words"}).save(directory.file("c"));
  const std::vector<std::string> lines = some_lines(10);
  translate::Translator one(directory.file("a"));
  translate::Translator both(std::vector{directory.file("a"), directory.file("b")});
  EXPECT_EQ(as_json(one, lines, {}).size(), 10u);
  EXPECT_NE(as_json(both, lines, {}), as_json(one, lines, {}));
  const std::vector<std::string> unlike = {directory.file("a"), directory.file("c")};
  EXPECT_NE(failure<InputError>([&] { translate::Translator{unlike}; }).find("cannot form an ensemble"),
            std::string::npos);
  EXPECT_THROW(translate::Translator{directory.file("none")}, InputError);
}

TEST(Translator, TranslatesAHundredThousandWords) {
  const RandomModel nonsense;
  translate::Translator translator(*nonsense.model, nonsense.pipeline);
  std::string line;
  for (int i = 0; i < 100'000; ++i) line += "w" + std::to_string(3 + i % 17) + " ";
  const translate::TranslateOptions options{
      .search = {.beam = 1, .attention = false}, .length_ratio = 0.01, .threads = 2};
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
    const RandomModel nonsense("bahdanau-lstm", {.tokenizer = kind, .normalize = {"nfkc"}});
    translate::Translator translator(*nonsense.model, nonsense.pipeline);
    const translate::TranslateOptions options{
        .search = {.beam = 1}, .length_extra = 2, .unknown = translate::UnknownWords::parse("copy")};
    const auto results = translator.translate(lines, options);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      ASSERT_TRUE(results[i].done());
      EXPECT_EQ(results[i].best().text.find_first_of("\n\r"), std::string::npos) << lines[i];
      EXPECT_NO_THROW(parse_json(dump_json(to_json(lines[i], results[i])), "json"));
      for (const text::Token& token : results[i].best().attention.source)
        EXPECT_LE(token.span.to, utf8_length(replace_bad_utf8(lines[i])));
    }
  }
}

}  // namespace
}  // namespace heed::testing
