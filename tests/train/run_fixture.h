// A small corpus and the runs on it, for tests of whole runs.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files.h"
#include "model/presets.h"
#include "support/files.h"
#include "support/rank_threads.h"
#include "train/run.h"

namespace heed::testing {

inline void apply_settings(train::RunConfig& config, std::string_view toml) {
  Options options;
  declare(options, config);
  options.apply_toml(toml, "the test");
}

class Observer final : public train::RunObserver {
 public:
  explicit Observer(std::int64_t stop_after = 0) : stop_after_(stop_after) {}
  void on_reading(std::int64_t) override {}
  void on_start(const train::RunSummary& summary) override {
    ++starts;
    choice = summary.choice;
    train_pairs = summary.data.examples.size();
    valid_pairs = summary.valid_pairs;
  }
  void on_update(const train::UpdateReport& report) override { update_ = report.update; }
  void on_validation(const train::ValidationReport&) override { ++validations; }
  void on_divergence(const train::Divergence&) override { ++divergences; }
  bool wants_stop() override { return update_ == stop_after_; }

  int starts = 0, validations = 0, divergences = 0;
  train::PairChoice choice;
  std::size_t train_pairs = 0, valid_pairs = 0;

 private:
  std::int64_t stop_after_, update_ = -1;
};

class Runs : public ::testing::Test {
 protected:
  Runs() {
    std::string source, target;
    for (int i = 0; i < 60; ++i) {
      source += fmt::format("the house {} is number {} near lake {}\n", i % 7, i % 11, i % 5);
      target += fmt::format("das haus {} ist nummer {} am see {}\n", i % 7, i % 11, i % 5);
    }
    files_.train_source = files_.valid_source = {directory_.file("source")};
    files_.train_target = files_.valid_target = {directory_.file("target")};
    write_file_atomically(files_.train_source[0], source);
    write_file_atomically(files_.train_target[0], target);
    config_.model = model::preset_config("bahdanau-lstm");
    apply_settings(config_, R"(
encoder = { hidden = 12, embedding = 8 }
decoder = { hidden = 12, embedding = 8 }
data = { tokenizer = "unigram", subwords = 40, subword_sampling = 0.2 }
training = { batch = 8, epochs = 2, ema = 0.9, average = 2, learning_rate = 0.01, schedule = "plateau" }
validation = { updates = 3, sentences = 5 }
)");
  }

  train::RunResult run(const std::string& out, int ranks, int threads, train::Start start, Observer& observer) {
    train::RunConfig config = config_;
    config.training.threads = threads;
    train::RunFiles files = files_;
    files.out = directory_.file(out);
    std::vector<train::RunResult> results(static_cast<std::size_t>(ranks));
    RankThreads::run(ranks, [&](train::Communicator& communicator) {
      Observer silent;
      results[static_cast<std::size_t>(communicator.rank())] =
          train_run(config, files, start, communicator.is_main() ? observer : silent, communicator);
      EXPECT_TRUE(communicator.is_main() || silent.starts + silent.validations + silent.divergences == 0);
    });
    for (const train::RunResult& result : results) {
      EXPECT_EQ(result.end, results.front().end);
      EXPECT_EQ(result.update, results.front().update);
      EXPECT_EQ(result.best, results.front().best);
    }
    return results.front();
  }

  void expect_same_files(const std::string& a, const std::string& b) {
    for (const char* name : {"model.safetensors", "samples.jsonl"})
      EXPECT_EQ(read_file(directory_.file(a) + "/" + name), read_file(directory_.file(b) + "/" + name)) << name;
  }

  TemporaryDirectory directory_;
  train::RunConfig config_;
  train::RunFiles files_;
};

}  // namespace heed::testing
