// The C API: results, errors for every kind of bad argument, structs that grow, callbacks.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "heed/heed.h"
#include "support/files.h"

namespace heed::testing {
namespace {

const char* const kModelPath = "models/pocket-en-de.safetensors";
const char* const kTexts[] = {"We see a dog.", "The old man reads a book. He sees 12 cats!"};

struct CApi : ::testing::Test {
  heed_error error = {};
  heed_translator* translator = nullptr;
  heed_results* results = nullptr;

  void SetUp() override {
    const heed_translator_options options = {sizeof options, 2, 0};
    ASSERT_EQ(heed_translator_open(kModelPath, &options, &translator, &error), HEED_OK) << error.message;
  }
  void TearDown() override {
    heed_results_free(results);
    heed_translator_free(translator);
  }
  void translate(const heed_translate_options* options = nullptr) {
    ASSERT_EQ(heed_translate(translator, kTexts, 2, options, &results, &error), HEED_OK) << error.message;
  }
  // Whether the last call failed as a wrong use, with a sentence that contains this part.
  void expect_usage(heed_status status, const std::string& part) {
    EXPECT_EQ(status, HEED_USAGE_ERROR);
    EXPECT_EQ(error.status, HEED_USAGE_ERROR);
    EXPECT_NE(std::string(error.message).find(part), std::string::npos) << error.message;
    error = {};
  }
};

TEST_F(CApi, Translates) {
  heed_translate_options options = {sizeof options};
  const char* settings[] = {"length-normalization=0.6", "segment=sentences", nullptr};
  options.nbest = 2;
  options.attention = options.alignment = options.warnings = 1;
  options.settings = settings;
  translate(&options);
  std::size_t count = 0;
  EXPECT_EQ(heed_results_lines(results, &count, &error), HEED_OK);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(heed_results_translations(results, 0, &count, &error), HEED_OK);
  EXPECT_EQ(count, 2);
  heed_translation best = {sizeof best};
  ASSERT_EQ(heed_results_get(results, 0, 0, &best, &error), HEED_OK) << error.message;
  EXPECT_STREQ(best.text, "Wir sehen einen Hund.");
  EXPECT_LT(best.score, 0);
  ASSERT_EQ(best.link_count, 4);
  EXPECT_EQ(best.links[3].source, 3);
  EXPECT_EQ(best.links[3].target, 3);
  EXPECT_STREQ(best.source_tokens[3].text, "dog");
  EXPECT_EQ(best.source_tokens[3].begin, 9);
  EXPECT_EQ(best.source_tokens[3].end, 12);
  ASSERT_NE(best.attention, nullptr);
  for (std::size_t t = 0; t < best.target_count; ++t) {
    double sum = 0;
    for (std::size_t s = 0; s < best.source_count; ++s) sum += best.attention[t * best.source_count + s];
    EXPECT_NEAR(sum, 1, 1e-3);
  }
  const char* svg = nullptr;
  ASSERT_EQ(heed_results_svg(results, 0, 0, "Hello", 1, &svg, &error), HEED_OK) << error.message;
  EXPECT_NE(std::strstr(svg, "Hello"), nullptr);
  EXPECT_EQ(heed_results_warnings(results, 0, &count, &error), HEED_OK);
  EXPECT_EQ(error.message[0], '\0');
}

TEST_F(CApi, DescribesTheModel) {
  heed_model_info info = {sizeof info};
  ASSERT_EQ(heed_translator_info(translator, &info, &error), HEED_OK) << error.message;
  EXPECT_STREQ(info.system, "heed");
  EXPECT_STREQ(info.source_language, "en");
  EXPECT_STREQ(info.target_language, "de");
  EXPECT_EQ(info.has_attention, 1);
  EXPECT_STREQ(heed_version(), HEED_VERSION);
}

// Every function that takes a handle, called with this one and otherwise good arguments.
TEST_F(CApi, ReportsHandlesThatAreNotValid) {
  translate();
  heed_translator* freed = nullptr;
  ASSERT_EQ(heed_translator_open(kModelPath, nullptr, &freed, &error), HEED_OK);
  heed_translator_free(freed);
  heed_translator_free(freed);  // nothing happens
  int somewhere = 0;
  void* const bad[] = {nullptr, freed, results, &somewhere, reinterpret_cast<void*>(-1)};
  void* const bad_results[] = {nullptr, translator, &somewhere, reinterpret_cast<void*>(-1)};
  for (void* handle : bad) {
    auto* const t = static_cast<heed_translator*>(handle);
    const char* const part = handle == nullptr ? "NULL" : "not a valid handle";
    heed_results* r = nullptr;
    heed_scores* s = nullptr;
    heed_alignments* a = nullptr;
    heed_model_info info = {sizeof info};
    expect_usage(heed_translate(t, kTexts, 2, nullptr, &r, &error), part);
    expect_usage(heed_translator_info(t, &info, &error), part);
    expect_usage(heed_score_pairs(t, kTexts, kTexts, 2, 0, &r, &error), part);
    expect_usage(heed_evaluate(t, kTexts, kTexts, 2, nullptr, &s, &error), part);
    if (handle != nullptr) expect_usage(heed_align(t, kTexts, kTexts, 2, nullptr, &a, &error), part);
    EXPECT_EQ(r, nullptr);
    EXPECT_EQ(heed_translate(t, kTexts, 2, nullptr, &r, nullptr), HEED_USAGE_ERROR);  // without an error to fill
  }
  for (void* handle : bad_results) {
    auto* const r = static_cast<heed_results*>(handle);
    const char* const part = handle == nullptr ? "NULL" : "not a valid handle";
    std::size_t count = 0;
    heed_translation translation = {sizeof translation};
    heed_warning warning = {sizeof warning};
    heed_metric_score score = {sizeof score};
    const char* svg = nullptr;
    const heed_link* links = nullptr;
    expect_usage(heed_results_lines(r, &count, &error), part);
    expect_usage(heed_results_translations(r, 0, &count, &error), part);
    expect_usage(heed_results_get(r, 0, 0, &translation, &error), part);
    expect_usage(heed_results_warnings(r, 0, &count, &error), part);
    expect_usage(heed_results_warning(r, 0, 0, &warning, &error), part);
    expect_usage(heed_results_svg(r, 0, 0, nullptr, 0, &svg, &error), part);
    expect_usage(heed_alignments_get(static_cast<heed_alignments*>(handle), 0, &links, &count, &error), part);
    expect_usage(heed_scores_count(static_cast<heed_scores*>(handle), &count, &error), part);
    expect_usage(heed_scores_get(static_cast<heed_scores*>(handle), 0, &score, &error), part);
    heed_results_free(r);
    heed_alignments_free(static_cast<heed_alignments*>(handle));
    heed_scores_free(static_cast<heed_scores*>(handle));
  }
}

TEST_F(CApi, ReportsNullArgumentsAndIndicesOutOfRange) {
  translate();
  heed_translation translation = {sizeof translation};
  const char* const hole[] = {"We see a dog.", nullptr};
  heed_results* r = nullptr;
  heed_scores* s = nullptr;
  const char* svg = nullptr;
  expect_usage(heed_translator_open(nullptr, nullptr, &translator, &error), "model is NULL");
  expect_usage(heed_translator_open(kModelPath, nullptr, nullptr, &error), "translator is NULL");
  expect_usage(heed_ensemble_open(nullptr, 1, nullptr, &translator, &error), "models is NULL");
  expect_usage(heed_ensemble_open(nullptr, 0, nullptr, &translator, &error), "at least one model");
  expect_usage(heed_translate(translator, nullptr, 2, nullptr, &r, &error), "lines is NULL");
  expect_usage(heed_translate(translator, hole, 2, nullptr, &r, &error), "lines[1] is NULL");
  expect_usage(heed_translate(translator, kTexts, 2, nullptr, nullptr, &error), "results is NULL");
  expect_usage(heed_results_lines(results, nullptr, &error), "count is NULL");
  expect_usage(heed_results_get(results, 0, 0, nullptr, &error), "NULL");
  expect_usage(heed_results_get(results, 2, 0, &translation, &error), "line 2");
  expect_usage(heed_results_get(results, 0, 1, &translation, &error), "translation 1");
  expect_usage(heed_results_svg(results, 0, 0, nullptr, 0, &svg, &error), "no attention weights");
  expect_usage(heed_score(kTexts, nullptr, 1, 2, nullptr, &s, &error), "references is NULL");
  expect_usage(heed_train(nullptr, nullptr, &error), "options is NULL");
  expect_usage(heed_model_write(nullptr, kModelPath, "x", &error), "model is NULL");
  EXPECT_EQ(heed_translate(translator, nullptr, 0, nullptr, &r, &error), HEED_OK);  // no lines, no results
  heed_results_free(r);
}

TEST_F(CApi, ReportsBadOptions) {
  heed_translate_options options = {sizeof options};
  heed_results* r = nullptr;
  const char* settings[] = {"bem=3", nullptr};
  options.settings = settings;
  expect_usage(heed_translate(translator, kTexts, 2, &options, &r, &error), "beam");
  settings[0] = "beam";
  expect_usage(heed_translate(translator, kTexts, 2, &options, &r, &error), "NAME=VALUE");
  options = {0};
  expect_usage(heed_translate(translator, kTexts, 2, &options, &r, &error), "heed_translate_options.size is 0");
  heed_translator* none = nullptr;
  EXPECT_EQ(heed_translator_open("no-such-model", nullptr, &none, &error), HEED_INPUT_ERROR);
  EXPECT_EQ(none, nullptr);
  // A sentence that is too long for the struct ends at the end of a character.
  std::string longest = "x";
  for (int i = 0; i < 3000; ++i) longest += "ä";
  settings[0] = longest.c_str();
  options = {sizeof options};
  options.settings = settings;
  EXPECT_EQ(heed_translate(translator, kTexts, 2, &options, &r, &error), HEED_USAGE_ERROR);
  EXPECT_LT(std::strlen(error.message), sizeof error.message);
}

TEST_F(CApi, ServesCallersWithSmallerAndLargerStructs) {
  // An older caller, who knows only the first fields: what lies behind must be neither read nor written.
  heed_translate_options options = {offsetof(heed_translate_options, attention)};
  options.nbest = 2;
  options.prefixes = reinterpret_cast<const char* const*>(1);
  options.progress = reinterpret_cast<heed_progress>(1);
  translate(&options);
  heed_translation translation = {offsetof(heed_translation, log_probability)};
  translation.log_probability = 42;
  ASSERT_EQ(heed_results_get(results, 0, 1, &translation, &error), HEED_OK);
  EXPECT_NE(translation.text, nullptr);
  EXPECT_EQ(translation.log_probability, 42);
  EXPECT_EQ(translation.size, offsetof(heed_translation, log_probability));
  // A newer caller: what this library does not know stays as it was.
  struct Newer {
    heed_translation known;
    int added;
  } newer = {{sizeof newer}, 7};
  ASSERT_EQ(heed_results_get(results, 0, 0, &newer.known, &error), HEED_OK);
  EXPECT_STREQ(newer.known.text, "Wir sehen einen Hund.");
  EXPECT_EQ(newer.added, 7);
}

TEST_F(CApi, StopsIfTheCallbackSaysSo) {
  heed_translate_options options = {sizeof options};
  int calls = 0;
  options.user = &calls;
  options.progress = [](std::size_t, std::size_t, void* user) { return ++*static_cast<int*>(user), 0; };
  const std::vector<const char*> many(300, kTexts[1]);
  EXPECT_EQ(heed_translate(translator, many.data(), many.size(), &options, &results, &error), HEED_STOPPED);
  EXPECT_GE(calls, 1);
  std::size_t count = 0, done = 0;
  for (std::size_t i = 0; i < many.size(); ++i) {
    ASSERT_EQ(heed_results_translations(results, i, &count, &error), HEED_OK);
    done += count;
  }
  EXPECT_LT(done, many.size());
}

TEST_F(CApi, KeepsATranslatorAliveWhileThreadsUseIt) {
  std::atomic<int> started = 0;
  heed_translate_options options = {sizeof options};
  options.user = &started;
  options.progress = [](std::size_t, std::size_t, void* user) { return ++*static_cast<std::atomic<int>*>(user), 1; };
  std::vector<std::thread> callers;
  for (int t = 0; t < 8; ++t)
    callers.emplace_back([&] {
      heed_results* own = nullptr;
      ASSERT_EQ(heed_translate(translator, kTexts, 2, &options, &own, nullptr), HEED_OK);
      heed_translation best = {sizeof best};
      EXPECT_EQ(heed_results_get(own, 0, 0, &best, nullptr), HEED_OK);
      EXPECT_STREQ(best.text, "Wir sehen einen Hund.");
      heed_results_free(own);
    });
  while (started < 8) std::this_thread::yield();
  heed_translator_free(translator);
  for (std::thread& caller : callers) caller.join();
  expect_usage(heed_translate(translator, kTexts, 2, nullptr, &results, &error), "not a valid handle");
}

TEST_F(CApi, AlignsAndScores) {
  const char* const german[] = {"Wir sehen einen Hund.", "Der alte Mann liest ein Buch. Er sieht 12 Katzen!"};
  heed_alignments* alignments = nullptr;
  const heed_link* links = nullptr;
  std::size_t count = 0;
  for (heed_translator* with : {translator, static_cast<heed_translator*>(nullptr)}) {
    ASSERT_EQ(heed_align(with, kTexts, german, 2, nullptr, &alignments, &error), HEED_OK) << error.message;
    ASSERT_EQ(heed_alignments_get(alignments, 0, &links, &count, &error), HEED_OK);
    EXPECT_GT(count, 0);
    expect_usage(heed_alignments_get(alignments, 2, &links, &count, &error), "line 2");
    heed_alignments_free(alignments);
  }
  ASSERT_EQ(heed_score_pairs(translator, kTexts, german, 2, 1, &results, &error), HEED_OK);
  heed_translation scored = {sizeof scored};
  ASSERT_EQ(heed_results_get(results, 0, 0, &scored, &error), HEED_OK);
  EXPECT_NEAR(scored.score * static_cast<double>(scored.target_count), scored.log_probability, 1e-9);
  EXPECT_NE(scored.attention, nullptr);

  heed_scores* scores = nullptr;
  heed_metric_score score = {sizeof score};
  const char* const metrics[] = {"chrf", nullptr};
  heed_score_options options = {sizeof options};
  options.metrics = metrics;
  ASSERT_EQ(heed_score(german, german, 1, 2, &options, &scores, &error), HEED_OK) << error.message;
  ASSERT_EQ(heed_scores_count(scores, &count, &error), HEED_OK);
  EXPECT_EQ(count, 1);
  ASSERT_EQ(heed_scores_get(scores, 0, &score, &error), HEED_OK);
  EXPECT_STREQ(score.name, "chrf");
  EXPECT_NEAR(score.score, 100, 1e-9);
  heed_scores_free(scores);
  ASSERT_EQ(heed_evaluate(translator, kTexts, german, 1, nullptr, &scores, &error), HEED_OK) << error.message;
  ASSERT_EQ(heed_scores_get(scores, 3, &score, &error), HEED_OK);
  EXPECT_STREQ(score.name, "exact");
  EXPECT_EQ(score.score, 100);
  expect_usage(heed_scores_get(scores, 5, &score, &error), "score 5");
  heed_scores_free(scores);
}

TEST_F(CApi, TrainsWithCallbacks) {
  TemporaryDirectory directory;
  const std::string text = directory.file("text.tsv"), out = directory.file("run");
  std::ofstream file(text);
  for (int i = 0; i < 40; ++i) file << "a" << i % 7 << " b\tx" << i % 7 << " y\n";
  file.close();
  const char* const train[] = {text.c_str(), nullptr};
  const char* const settings[] = {"encoder.hidden=8", "decoder.hidden=8", "training.batch=10", "training.epochs=3",
                                  nullptr};
  struct Seen {
    int updates = 0, validations = 0;
  } seen;
  heed_train_options options = {sizeof options};
  options.train = options.valid = train;
  options.out = out.c_str();
  options.settings = settings;
  options.user = &seen;
  options.on_update = [](const heed_update* update, void* user) {
    EXPECT_EQ(update->updates, 12);
    return ++static_cast<Seen*>(user)->updates < 5 ? 1 : 0;
  };
  options.on_validation = [](const heed_validation* validation, void* user) {
    EXPECT_GT(validation->perplexity, 1);
    ++static_cast<Seen*>(user)->validations;
  };
  heed_train_result result = {sizeof result};
  EXPECT_EQ(heed_train(&options, &result, &error), HEED_STOPPED) << error.message;
  EXPECT_EQ(result.update, 5);
  EXPECT_EQ(seen.validations, 1);
  options.on_update = nullptr;
  options.resume = 1;
  ASSERT_EQ(heed_train(&options, &result, &error), HEED_OK) << error.message;
  EXPECT_EQ(result.update, 12);
  EXPECT_EQ(result.has_best, 1);
}

}  // namespace
}  // namespace heed::testing
