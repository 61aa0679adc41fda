#include "train/run_list.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "model/presets.h"
#include "support/files.h"
#include "train/config.h"
#include "train/run_directory.h"

namespace heed::train {
namespace {

namespace fs = std::filesystem;

class RunLists : public ::testing::Test {
 protected:
  struct Written {
    std::string log;
    double learning_rate = 0.001;
    std::int64_t seed = 1;
    const char* system = "luong-dot";
  };
  std::string write(const std::string& name, const Written& run) const {
    const std::string directory = directory_.file(name);
    make_directories(directory);
    RunConfig config;
    config.model = model::preset_config(run.system);
    config.training.learning_rate = run.learning_rate;
    config.training.seed = run.seed;
    write_file_atomically((fs::path(directory) / "config.toml").string(),
                          run_config_to_toml(config, {.out = directory}));
    write_file_atomically((fs::path(directory) / "metrics.jsonl").string(), run.log);
    return directory;
  }

  heed::testing::TemporaryDirectory directory_;
};

const std::string kBegin =
    "{\"kind\":\"start\",\"system\":\"luong-dot\",\"parameters\":7,\"train_pairs\":60,\"updates\":20,\"metric\":"
    "\"bleu\"}\n"
    "{\"kind\":\"update\",\"update\":10,\"epoch\":1,\"loss\":3.5,\"seconds\":1}\n"
    "{\"kind\":\"validation\",\"update\":10,\"epoch\":1,\"loss\":3,\"best\":true,\"bleu\":20,\"perplexity\":9,"
    "\"seconds\":2}\n"
    "{\"kind\":\"validation\",\"update\":15,\"epoch\":2,\"loss\":2,\"best\":false,\"bleu\":19,\"perplexity\":8,"
    "\"seconds\":4}\n";
const std::string kAverage =
    "{\"kind\":\"average\",\"update\":20,\"epoch\":2,\"best\":true,\"bleu\":22,\"seconds\":5}\n";
const std::string kEnd = "{\"kind\":\"end\",\"update\":20,\"reason\":\"epochs\",\"best\":22,\"seconds\":6}\n";

TEST_F(RunLists, TellTheBestValidationAndTheState) {
  RunInfo run = read_run(write("a", {kBegin}));
  EXPECT_EQ(run.progress, RunProgress::stopped);
  EXPECT_EQ(run.update, 15);
  EXPECT_EQ(run.epoch, 2);
  EXPECT_EQ(run.seconds, 4);
  EXPECT_EQ(run.train_pairs, 60);
  EXPECT_EQ(run.best_value("bleu"), 20);
  EXPECT_EQ(run.best_value("perplexity"), 9);  // of the same validation, not the lowest one
  EXPECT_EQ(run.best_value("loss"), 3);
  EXPECT_EQ(run.best_value("chrf"), std::nullopt);

  run = read_run(write("a", {kBegin + kAverage + kEnd}));
  EXPECT_EQ(run.progress, RunProgress::finished);
  EXPECT_EQ(run.best_value("bleu"), 22);
  EXPECT_EQ(run.best_value("perplexity"), std::nullopt);
  EXPECT_EQ(run.seconds, 6);
  // Resumed with more epochs.
  EXPECT_EQ(read_run(write("a", {kBegin + kEnd + kAverage})).progress, RunProgress::stopped);
  const std::string divergence = "{\"kind\":\"divergence\",\"update\":17,\"back_to\":";
  EXPECT_EQ(read_run(write("a", {kBegin + divergence + "null}\n"})).progress, RunProgress::diverged);
  EXPECT_EQ(read_run(write("a", {kBegin + divergence + "10}\n"})).progress, RunProgress::stopped);
}

TEST_F(RunLists, TellWhetherARunIsTrainedNow) {
  const std::string path = write("a", {kBegin});
  RunDirectory directory(path);
  directory.open();
  EXPECT_EQ(read_run(path).progress, RunProgress::running);
}

TEST_F(RunLists, RefuseDamagedLogsAndSurviveStrangeOnes) {
  EXPECT_THROW(read_run(directory_.file("none")), InputError);
  for (const char* log : {"", "{\"kind\":\"start\"}\nnonsense\n", "{\"kind\":\"update\"}\n", "[1]\n"})
    EXPECT_THROW(read_run(write("a", {log})), InputError) << log;
  const RunInfo run = read_run(write(
      "a",
      {"{\"kind\":\"start\",\"updates\":-1,\"parameters\":1e300,\"system\":7}\n{\"kind\":[]}\n{\"kind\":\"validation\","
       "\"update\":\"x\",\"best\":1,\"seconds\":\"long\"}\n{}\n"}));
  EXPECT_EQ(run.updates, 0);
  EXPECT_EQ(run.parameters, 0);
  EXPECT_TRUE(run.best.empty());
  write_file_atomically(directory_.file("a/config.toml"), "training.seed = \"x\"\n");
  EXPECT_NE(read_run(directory_.file("a")).settings_problem.find("training.seed"), std::string::npos);
}

TEST_F(RunLists, FindRunsBelowADirectory) {
  for (const char* name : {"x/seed-10", "x/seed-2", "a", "a/inside", ".hidden/b", "1/2/3/4", "1/2/3/4/5/6"})
    write(name, {kBegin});
  const std::string root = fs::path(directory_.file("a")).parent_path().string();
  fs::create_directory_symlink(root, directory_.file("loop"));
  std::vector<std::string> found;
  for (const std::string& path : find_runs(root)) found.push_back(fs::path(path).lexically_relative(root).string());
  EXPECT_EQ(found, (std::vector<std::string>{"1/2/3/4", "a", "x/seed-2", "x/seed-10"}));
  EXPECT_EQ(find_runs(directory_.file("a")), std::vector{directory_.file("a")});
  EXPECT_TRUE(find_runs(directory_.file("nothing")).empty());
}

TEST_F(RunLists, ShowTheSettingsThatSomebodyChose) {
  const RunInfo a = read_run(write("a", {kBegin, 0.001})), b = read_run(write("b", {kBegin, 0.002}));
  const RunInfo other = read_run(write("c", {kBegin, 0.001, 1, "bahdanau-lstm"}));
  EXPECT_EQ(differing_settings({&a, &b}), std::vector<std::string>{"training.learning_rate"});
  EXPECT_EQ(b.settings.at("training.learning_rate"), "0.002");
  EXPECT_TRUE(differing_settings({&a, &a}).empty());
  // The presets differ in many settings.
  EXPECT_NE(a.settings.at("attention.score"), other.settings.at("attention.score"));
  for (const std::string& key : differing_settings({&a, &other})) EXPECT_NE(key, "attention.score");
}

TEST_F(RunLists, GroupRunsThatDifferOnlyInTheirSeed) {
  std::vector<RunInfo> runs;
  for (const std::int64_t seed : {1, 2})
    runs.push_back(read_run(write(fmt::format("x/seed-{}", seed), {kBegin, 0.001, seed})));
  runs.push_back(read_run(write("x/seed-3", {kBegin, 0.002, 3})));
  runs.push_back(read_run(write("x/other", {kBegin, 0.001, 4})));
  runs.push_back(read_run(write("y/seed-1", {kBegin})));
  const std::vector<RunGroup> groups = group_seeds(runs);
  ASSERT_EQ(groups.size(), 4U);
  EXPECT_EQ(groups[0].runs, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(groups[0].directory, directory_.file("x"));
  EXPECT_TRUE(groups[0].several_seeds);
  for (std::size_t g = 1; g < groups.size(); ++g) EXPECT_FALSE(groups[g].several_seeds) << g;
  EXPECT_EQ(groups[3].directory, directory_.file("y/seed-1"));
}

TEST(MeanDeviations, AreThoseOfASample) {
  const MeanDeviation some = mean_and_deviation({2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_DOUBLE_EQ(some.mean, 5);
  EXPECT_NEAR(some.deviation.value(), 2.13809, 1e-5);  // √(32/7)
  EXPECT_EQ(mean_and_deviation({3}).deviation, std::nullopt);
  EXPECT_EQ(metric_text("bleu", {31.254, 0.5}), "31.25 ± 0.50");
  EXPECT_EQ(metric_text("accuracy", {0.901, {}}), "90.1%");
}

TEST_F(RunLists, SummarizeWhatAllRunsHave) {
  const RunInfo a = read_run(write("a", {kBegin})), b = read_run(write("b", {kBegin + kAverage}));
  const auto summary = summarize({&a, &b});
  EXPECT_DOUBLE_EQ(summary.at("bleu").mean, 21);
  EXPECT_EQ(summary.count("perplexity"), 0U);
}

TEST_F(RunLists, WriteOneRowPerMeasurement) {
  const RunInfo run = read_run(write("a", {kBegin + kEnd}));
  EXPECT_EQ(metrics_csv({{"a \"b\", c", &run}}),
            "run,kind,update,epoch,loss,seconds,best,bleu,perplexity\n"
            "\"a \"\"b\"\", c\",update,10,1,3.5,1,,,\n"
            "\"a \"\"b\"\", c\",validation,10,1,3,2,true,20,9\n"
            "\"a \"\"b\"\", c\",validation,15,2,2,4,false,19,8\n");
}

}  // namespace
}  // namespace heed::train
