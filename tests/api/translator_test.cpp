// The public Translator: what it returns, its options and errors, many threads, and that nothing leaks.
#include "heed/translator.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <stdexcept>
#include <thread>

#include "heed/evaluation.h"
#include "translate/text_layer.h"

namespace heed::testing {
namespace {

const std::string kModel = "models/pocket-en-de.safetensors";
const std::vector<std::string> kLines = {"We see a dog.", "The old man reads a book. He sees 12 cats!", "",
                                         "The woman gives the child an apple."};

template <class Call>
Error error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {ErrorKind::internal, ""};
}

TEST(PublicTranslator, GivesTheBitsOfTheCommandLine) {
  translate::Translator inner(kModel);
  translate::TextLayer layer(inner, {});
  const auto expected = layer.translate(translate::requests_for(kLines), {.search = {.beam = 3, .nbest = 2}});
  TranslateOptions options;
  options.beam = 3;
  options.nbest = 2;
  options.attention = options.alignment = true;
  const Translator translator(kModel, {.threads = 2});
  const auto lines = translator.translate(kLines, options);
  ASSERT_EQ(lines.size(), kLines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    ASSERT_EQ(lines[i].translations.size(), expected[i].translations.size());
    for (std::size_t k = 0; k < lines[i].translations.size(); ++k) {
      const Translation& got = lines[i].translations[k];
      const translate::Translation& want = expected[i].translations[k];
      EXPECT_EQ(got.text, want.text);
      EXPECT_EQ(got.score, want.score);
      EXPECT_EQ(got.log_probability, want.log_probability);
      EXPECT_EQ(got.probabilities, want.probabilities);
      EXPECT_EQ(got.attention.weights, want.attention.weights);
      ASSERT_EQ(got.attention.source.size(), want.attention.source.size());
      for (std::size_t s = 0; s < got.attention.source.size(); ++s) {
        EXPECT_EQ(got.attention.source[s].text, want.attention.source[s].text);
        EXPECT_EQ(got.attention.source[s].begin, want.attention.source[s].span.from);
        EXPECT_EQ(got.attention.source[s].end, want.attention.source[s].span.to);
      }
      EXPECT_EQ(format_links(got.alignment),
                alignment::format_alignment(translate::word_links(kLines[i], expected[i], k)));
    }
  }
  EXPECT_EQ(lines[0].text(), "Wir sehen einen Hund.");
  EXPECT_EQ(format_links(lines[0].best().alignment), "0-0 1-1 2-2 3-3");
  EXPECT_EQ(lines[2].text(), "");
}

TEST(PublicTranslator, ReturnsOnlyWhatIsRequested) {
  const Translator translator(kModel);
  EXPECT_EQ(translator.translate_line(kLines[0]), "Wir sehen einen Hund.");
  const auto lines = translator.translate(kLines);
  EXPECT_FALSE(lines[0].best().attention.has_weights());
  EXPECT_TRUE(lines[0].best().alignment.empty());
  EXPECT_FALSE(lines[0].best().attention.target.empty());
  EXPECT_TRUE(lines[0].warnings.empty());
  TranslateOptions with_links;
  with_links.alignment = true;
  const auto linked = translator.translate({kLines[0]}, with_links);
  EXPECT_FALSE(linked[0].best().alignment.empty());
  EXPECT_FALSE(linked[0].best().attention.has_weights()) << "links need weights, but nobody asked for these";
  TranslateOptions options;
  options.warnings = true;
  const auto warned = translator.translate({"We see a zzyzx."}, options);
  ASSERT_FALSE(warned[0].warnings.empty());
  EXPECT_EQ(warned[0].warnings[0].text, "zzyzx.");
  EXPECT_TRUE(warned[0].warnings[0].in_source);
  EXPECT_EQ(warned[0].warnings[0].begin, 9);
}

TEST(PublicTranslator, TakesSettingsByName) {
  const Translator translator(kModel);
  TranslateOptions options;
  options.settings = {{"plain", "true"}, {"length-normalization", "0.5"}, {"beam", "2"}};
  translate::Translator inner(kModel);
  const auto expected = inner.translate(kLines, {.search = {.beam = 2, .length_normalization = 0.5}});
  const auto got = translator.translate(kLines, options);
  for (std::size_t i = 0; i < kLines.size(); ++i) EXPECT_EQ(got[i].best().score, expected[i].best().score) << i;
  options.settings = {{"length_normalization", "0.5"}};  // as Python writes it
  EXPECT_NO_THROW(translator.translate(kLines, options));
}

TEST(PublicTranslator, RefusesBadSettings) {
  const Translator translator(kModel);
  const std::pair<Settings, const char*> bad[] = {{{{"bem", "2"}}, "beam"},
                                                  {{{"beam", "0"}}, "beam"},
                                                  {{{"--beam", "2"}}, "without dashes"},
                                                  {{{"help", "true"}}, "help"},
                                                  {{{"threads", "2"}}, "TranslatorOptions"},
                                                  {{{"temperature", "2"}}, "sample"},
                                                  {{{"glossary", "no-such-file.tsv"}}, "no-such-file.tsv"}};
  for (const auto& [settings, part] : bad) {
    TranslateOptions options;
    options.settings = settings;
    const Error error = error_of([&] { translator.translate(kLines, options); });
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    EXPECT_EQ(error.kind(), settings[0].first == "glossary" ? ErrorKind::input : ErrorKind::usage) << error.what();
  }
  TranslateOptions options;
  options.prefixes = {"Wir"};
  EXPECT_EQ(error_of([&] { translator.translate(kLines, options); }).kind(), ErrorKind::usage);
  EXPECT_EQ(error_of([&] { Translator("no-such-model"); }).kind(), ErrorKind::input);
  EXPECT_EQ(error_of([&] { Translator(std::vector<std::string>{}); }).kind(), ErrorKind::usage);
  EXPECT_EQ(error_of([&] { Translator(kModel, {.threads = -1}); }).kind(), ErrorKind::usage);
}

TEST(PublicTranslator, AppliesPrefixesAndDescribesItself) {
  const Translator translator(std::vector<std::string>{kModel, kModel}, {.threads = 1, .copy = true});
  TranslateOptions options;
  options.prefixes = {"Ich sehe"};
  EXPECT_TRUE(translator.translate({kLines[0]}, options)[0].text().starts_with("Ich sehe"));
  EXPECT_EQ(translator.system(), "heed");
  EXPECT_TRUE(translator.has_attention());
  EXPECT_EQ(translator.source_language(), "en");
  EXPECT_EQ(translator.target_language(), "de");
  EXPECT_GT(translator.parameters(), 1000);
}

TEST(PublicTranslator, StopsIfTheCallbackSaysSo) {
  const Translator translator(kModel);
  TranslateOptions options;
  options.on_progress = [](std::size_t, std::size_t) { return false; };
  const std::vector<std::string> many(300, kLines[1]);
  std::size_t done = 0;
  for (const TranslatedLine& line : translator.translate(many, options)) done += line.done() ? 1 : 0;
  EXPECT_LT(done, many.size());
  options.on_progress = [](std::size_t, std::size_t) -> bool { throw std::out_of_range("mine"); };
  EXPECT_THROW(translator.translate(many, options), std::out_of_range);
}

TEST(PublicTranslator, ScoresAndAlignsKnownTranslations) {
  const Translator translator(kModel);
  const std::vector<std::string> sources = {kLines[0], kLines[0]};
  const std::vector<std::string> targets = {"Wir sehen einen Hund.", "Einen Hund Wir sehen."};
  const auto pairs = translator.score(sources, targets, {.attention = true});
  ASSERT_EQ(pairs.size(), 2);
  EXPECT_GT(pairs[0].log_probability(), pairs[1].log_probability());
  EXPECT_EQ(pairs[0].log_probabilities.size(), pairs[0].attention.target.size());
  EXPECT_TRUE(pairs[0].attention.has_weights());
  EXPECT_FALSE(translator.score(sources, targets)[0].attention.has_weights());
  const Alignments aligned = translator.align(sources, targets);
  EXPECT_EQ(format_links(aligned.links[0]), "0-0 1-1 2-2 3-3 4-4");
  EXPECT_THROW(translator.align(sources, {"x"}), Error);
  EXPECT_THROW(translator.score(sources, {"x"}), Error);
  AlignOptions stop;
  stop.on_progress = [](std::size_t, std::size_t) -> bool { throw std::out_of_range("mine"); };
  EXPECT_THROW(translator.align(sources, targets, stop), std::out_of_range);
}

TEST(PublicTranslator, DrawsAttention) {
  const Translator translator(kModel);
  TranslateOptions options;
  EXPECT_EQ(error_of([&] { attention_svg(translator.translate(kLines, options)[0].best().attention); }).kind(),
            ErrorKind::usage);
  options.attention = true;
  const Attention attention = translator.translate(kLines, options)[0].best().attention;
  PictureOptions picture;
  picture.title = "a title & more";
  const std::string svg = attention_svg(attention, picture);
  EXPECT_TRUE(svg.starts_with("<svg") || svg.starts_with("<?xml"));
  EXPECT_NE(svg.find("a title &amp; more"), std::string::npos);
  EXPECT_NE(svg.find("Hund"), std::string::npos);
}

TEST(PublicTranslator, ServesEightThreadsWithTheSameBits) {
  const Translator translator(kModel, {.threads = 2});
  TranslateOptions options;
  options.attention = true;
  const auto expected = translator.translate(kLines, options);
  std::vector<std::thread> callers;
  for (std::size_t t = 0; t < 8; ++t)
    callers.emplace_back([&, t] {
      for (std::size_t round = 0; round < 3; ++round) {
        const std::size_t i = (t + round) % kLines.size();
        const auto got = translator.translate({kLines[i], kLines[0]}, options);
        EXPECT_EQ(got[0].best().text, expected[i].best().text);
        EXPECT_EQ(got[0].best().attention.weights, expected[i].best().attention.weights);
        EXPECT_EQ(got[1].best().score, expected[0].best().score);
        if (t == 0) {
          EXPECT_EQ(translator.align({kLines[0]}, {expected[0].text()}).links.size(), 1);
        }
        if (t < 2) {
          EXPECT_EQ(evaluate_model(translator, {kLines[0]}, {"Wir sehen einen Hund."}).exact, 1);
        }
      }
    });
  for (std::thread& caller : callers) caller.join();
}

TEST(PublicTranslator, LeaksNothing) {
  const auto cycle = [] { Translator(kModel, {.threads = 2}).translate_line(kLines[0]); };
  for (int i = 0; i < 5; ++i) cycle();
  const std::size_t before = mallinfo2().uordblks;
  for (int i = 0; i < 30; ++i) cycle();
  EXPECT_LT(mallinfo2().uordblks, before + 200'000);  // 6 kB per cycle, a hundredth of what a translator has
}

}  // namespace
}  // namespace heed::testing
