// The public functions for training, metrics, evaluation, word alignment and model files.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "heed/evaluation.h"
#include "heed/model.h"
#include "heed/training.h"
#include "support/files.h"

namespace heed::testing {
namespace {

const std::string kPocketModel = "models/pocket-en-de.safetensors";

void write_lines(const std::string& path, const std::vector<std::string>& lines) {
  std::ofstream file(path);
  for (const std::string& line : lines) file << line << '\n';
}

std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(PublicVersion, IsThatOfTheHeaders) {
  EXPECT_STREQ(version(), HEED_VERSION);
  EXPECT_EQ(std::string(HEED_VERSION), std::to_string(HEED_VERSION_MAJOR) + "." + std::to_string(HEED_VERSION_MINOR) +
                                           "." + std::to_string(HEED_VERSION_PATCH));
}

TEST(PublicMetrics, ScoresAndCompares) {
  const std::vector<std::string> reference = {"The cat sat on the mat.", "A dog barks."};
  const std::vector<std::string> output = {"The cat sat on a mat.", "A dog barks."};
  MetricOptions options;
  options.sentences = true;
  const auto scores = score_translations(output, {reference}, options);
  ASSERT_EQ(scores.size(), 3);
  EXPECT_EQ(scores[0].label, "BLEU");
  EXPECT_GT(scores[0].score, 50);
  EXPECT_LT(scores[0].score, 100);
  EXPECT_EQ(scores[0].sentences.size(), 2);
  EXPECT_NEAR(scores[0].sentences[1], 100, 1e-9);
  EXPECT_NE(scores[0].signature.find("tok:13a"), std::string::npos);
  EXPECT_TRUE(scores[2].lower_is_better);
  options.settings = {{"tokenize", "char"}, {"smooth", "floor"}, {"smooth-floor", "0.2"}};
  EXPECT_NE(score_translations(output, {reference}, options)[0].signature.find("tok:char"), std::string::npos);
  options.settings = {{"smooth-floor", "0.2"}};
  EXPECT_THROW(score_translations(output, {reference}, options), Error);
  EXPECT_THROW(score_translations(output, {{"one line"}}), Error);
  const auto compared = compare_translations(output, reference, {reference});
  EXPECT_NEAR(compared[0].system_score, 100, 1e-9);
  EXPECT_EQ(compared[0].baseline_score, scores[0].score);
}

TEST(PublicEvaluation, AgreesWithTheMetrics) {
  const Translator translator(kPocketModel);
  const std::vector<std::string> sources = {"We see a dog.", "The man sleeps."};
  const std::vector<std::string> references = {"Wir sehen einen Hund.", "Der Mann liest."};
  EvaluateOptions options;
  std::size_t calls = 0;
  options.on_progress = [&](std::size_t, std::size_t) { ++calls; };
  options.gold = {parse_links("0-0 1-1"), parse_links("1-1 2-2", 1)};
  const Evaluation result = evaluate_model(translator, sources, references, options);
  EXPECT_EQ(result.exact, 1);
  EXPECT_GT(result.perplexity, 1);
  EXPECT_GT(calls, 0);
  EXPECT_EQ(result.scores[0].score, score_translations(result.translations, {references})[0].score);
  ASSERT_TRUE(result.alignment);
  EXPECT_EQ(result.alignment->sure_links, 4);
  options.on_progress = [](std::size_t, std::size_t) { throw std::out_of_range("mine"); };
  EXPECT_THROW(evaluate_model(translator, sources, references, options), std::out_of_range);
  EXPECT_THROW(evaluate_model(translator, sources, {"x"}), Error);
}

TEST(PublicAlignment, LearnsFormatsAndScores) {
  std::vector<std::string> sources, targets;
  for (int i = 0; i < 40; ++i) {
    sources.insert(sources.end(), {"a b", "b c", "c a", "a", "b"});
    targets.insert(targets.end(), {"x y", "y z", "z x", "x", "y"});
  }
  const Alignments aligned = learn_alignments(sources, targets);
  EXPECT_EQ(format_links(aligned.links[0]), "0-0 1-1");
  EXPECT_EQ(format_links(symmetrize_links(parse_links("0-0 1-1"), parse_links("1-1 2-2"), "intersection")), "1-1");
  EXPECT_EQ(format_links(parse_links("1-1 2p3", 1)), "0-0 1p2");
  EXPECT_EQ(score_links({parse_links("0-0")}, {parse_links("0-0 1-1")}).precision, 100);
  EXPECT_THROW(parse_links("0:0"), Error);
  EXPECT_THROW(symmetrize_links({}, {}, "both"), Error);
  EXPECT_THROW(learn_alignments(sources, {"x"}), Error);
}

struct PublicTraining : ::testing::Test {
  TemporaryDirectory directory;
  TrainOptions options;

  void SetUp() override {
    std::vector<std::string> sources, targets;
    for (int i = 0; i < 60; ++i) {
      sources.push_back("a" + std::to_string(i % 7) + " b" + std::to_string(i % 5));
      targets.push_back("x" + std::to_string(i % 7) + " y" + std::to_string(i % 5));
    }
    write_lines(directory.file("text.en"), sources);
    write_lines(directory.file("text.de"), targets);
    options.train = options.valid = {directory.file("text.en"), directory.file("text.de")};
    options.out = directory.file("run");
    options.settings = {
        {"encoder.hidden", "8"}, {"decoder.hidden", "8"}, {"training.batch", "10"}, {"training.epochs", "2"}};
  }
};

TEST_F(PublicTraining, StopsAndResumesToTheSameBytes) {
  std::vector<std::int64_t> updates;
  std::size_t validations = 0;
  options.on_validation = [&](const ValidationReport& report) {
    ++validations;
    EXPECT_TRUE(report.validated);
    EXPECT_GT(report.perplexity, 1);
  };
  options.on_update = [&](const UpdateReport& report) {
    updates.push_back(report.update);
    EXPECT_EQ(report.updates, 12);
    EXPECT_EQ(report.epoch, report.update <= 6 ? 1 : 2);
    return true;
  };
  const TrainResult whole = train_model(options);
  EXPECT_FALSE(whole.stopped);
  EXPECT_EQ(whole.update, 12);
  EXPECT_EQ(updates.size(), 12);
  EXPECT_EQ(validations, 2);
  EXPECT_TRUE(whole.best);
  EXPECT_EQ(Translator(options.out).translate_line("a1 b1").find('\n'), std::string::npos);

  options.out = directory.file("parts");
  options.on_update = [](const UpdateReport& report) { return report.update < 5; };
  const TrainResult part = train_model(options);
  EXPECT_TRUE(part.stopped);
  EXPECT_EQ(part.update, 5);
  options.on_update = {};
  EXPECT_THROW(train_model(options), Error);  // there is a run already
  options.resume = true;
  EXPECT_EQ(train_model(options).update, 12);
  EXPECT_EQ(read_bytes(directory.file("parts/model.safetensors")), read_bytes(whole.model));
}

TEST_F(PublicTraining, PassesExceptionsOfCallbacksThrough) {
  options.on_update = [](const UpdateReport&) -> bool { throw std::out_of_range("mine"); };
  EXPECT_THROW(train_model(options), std::out_of_range);
}

TEST_F(PublicTraining, RefusesBadRequests) {
  options.settings.emplace_back("training.epoch", "3");
  EXPECT_THROW(train_model(options), Error);
  options.settings = {{"seeds", "2"}};
  EXPECT_THROW(train_model(options), Error);
  options.settings = {};
  options.train = {directory.file("no-such-file.en"), directory.file("no-such-file.de")};
  EXPECT_THROW(train_model(options), Error);
  options.preset = "no-such-preset";
  EXPECT_THROW(train_model(options), Error);
}

TEST(PublicModel, WritesOtherParameters) {
  TemporaryDirectory directory;
  const std::string copy = directory.file("copy.safetensors");
  write_model(kPocketModel, kPocketModel, copy);
  const std::string again = directory.file("again.safetensors");
  write_model(copy, copy, again);
  EXPECT_EQ(read_bytes(again), read_bytes(copy));
  EXPECT_EQ(Translator(copy).translate_line("We see a dog."), "Wir sehen einen Hund.");
  write_lines(directory.file("text"), {"not a model"});
  EXPECT_THROW(write_model(kPocketModel, directory.file("text"), copy), Error);
  EXPECT_THROW(write_model(directory.file("text"), kPocketModel, copy), Error);
  EXPECT_EQ(read_bytes(copy), read_bytes(again));  // not overwritten
}

}  // namespace
}  // namespace heed::testing
