#include "train/checkpoint.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "train/config.h"
#include "train/run_fixture.h"

namespace heed {
namespace {

std::string without(std::string toml, const std::string& line) {
  const std::size_t at = toml.find(line + "\n");
  EXPECT_NE(at, toml.npos) << line;
  return toml.erase(at, line.size() + 1);
}

// A run started by an older heed, which did not have a setting yet, used what is now its default.
TEST(SameConfig, AKeyThatIsNewerThanTheRunHasItsDefault) {
  train::RunConfig config;
  const std::string before = without(run_config_to_toml(config, {}), "guided_shift = false");
  EXPECT_NO_THROW(check_same_config(before, config, "run"));
  config.training.guided_shift = true;
  EXPECT_THROW(check_same_config(before, config, "run"), UsageError);
}

// A key that an older heed wrote and that no longer exists is ignored.
TEST(SameConfig, ARemovedKeyIsIgnored) {
  const std::string before = train::run_config_to_toml({}, {}) + "\n[removed]\nsetting = 3\n";
  EXPECT_NO_THROW(train::check_same_config(before, {}, "run"));
}

TEST(SameConfig, TheLengthOfTheRunMayDifferAndTheVocabularyIsNotCompared) {
  train::RunConfig before, now;
  before.model.vocabulary = {.source = 50, .target = 60};
  testing::apply_settings(now, R"(
training = { epochs = 3, updates = 4, checkpoint_updates = 5, threads = 6 }
validation = { patience = 7, samples = 8 }
)");
  EXPECT_NO_THROW(check_same_config(run_config_to_toml(before, {}), now, "run"));
  now.validation.metric = train::ValidationMetric::bleu;
  EXPECT_THROW(check_same_config(run_config_to_toml(before, {}), now, "run"), UsageError);
}

TEST(SameConfig, NamesTheKeyThatDiffers) {
  train::RunConfig config;
  const std::string before = run_config_to_toml(config, {});
  config.training.epochs += 1;  // a run may be extended
  EXPECT_NO_THROW(check_same_config(before, config, "run"));
  config.training.batch += 1;
  try {
    check_same_config(before, config, "run");
    FAIL() << "another batch size was accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("training.batch = "), std::string::npos) << error.what();
  }
}

// The keys of a checkpoint of version 1: later versions must read the states of earlier ones.
TEST(RunState, ReadsAndWritesTheKeysOfCheckpoints) {
  const std::string text =
      R"({"update":7,"epoch":2,"batch":3,"schedule_falls":1,"schedule_waiting":4,"checkpoint_due":false,)"
      R"("rollbacks":2,"best":0.1,"best_update":5,"waiting":6,"snapshots":[{"update":4,"value":0.25}],)"
      R"("since_line":{"loss":1.5,"tokens":10.0},"since_validation":{"loss":2.5,"tokens":20.0},"target_tokens":30,)"
      R"("seconds":0.3,"metrics_bytes":11,"samples_bytes":12,"ended":"patience"})";
  const train::RunState state = train::RunState::from_json(text, "a test");
  EXPECT_EQ(state.to_json(),
            text.substr(0, text.size() - 1) + ",\"normalized_references\":true,\"lowest_perplexity\":null}");
  EXPECT_EQ(state.trainer.position, (data::BatchPosition{2, 3}));
  EXPECT_EQ(state.best.value, 0.1);
  ASSERT_EQ(state.best.snapshots.size(), 1u);
  EXPECT_EQ(state.best.snapshots[0].value, 0.25);
  EXPECT_EQ(state.since_validation.tokens, 20);
  EXPECT_EQ(train::RunState::from_json(train::RunState{}.to_json(), "a test").best.value, std::nullopt);
  EXPECT_EQ(state.best.perplexity, std::nullopt);
  const train::RunState newer{.best = {.perplexity = 3.5}};
  EXPECT_EQ(train::RunState::from_json(newer.to_json(), "a test").best.perplexity, 3.5);
  // A run that heed 0.1 began keeps its normalized references.
  EXPECT_TRUE(state.normalized_references);
  EXPECT_TRUE(train::RunState::from_json(state.to_json(), "a test").normalized_references);
  EXPECT_FALSE(train::RunState::from_json(train::RunState{}.to_json(), "a test").normalized_references);
  for (const char* wrong : {"{\"update\":7}", "[]", "7", "{\"update\":\"x\"}"}) {
    try {
      train::RunState::from_json(wrong, "a test");
      ADD_FAILURE() << wrong << " was accepted";
    } catch (const InputError& error) {
      const std::string what = error.what();
      EXPECT_TRUE(what.starts_with("a test: this is not the state of a run: ")) << what;
      EXPECT_TRUE(what.ends_with(" is missing or has the wrong type; the file is damaged or was not written by heed"))
          << what;
    }
  }
}

TEST(RunState, RefusesValuesThatNoRunHas) {
  const train::RunState state{.trainer = {.update = 7}, .best = {.update = 7, .snapshots = {{7, 1.5}}}};
  const std::string good = state.to_json();
  EXPECT_NO_THROW(train::RunState::from_json(good, "a test"));
  const auto refuses = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    ASSERT_NE(text.find(from), text.npos) << from;
    text.replace(text.find(from), from.size(), to);
    EXPECT_THROW(train::RunState::from_json(text, "a test"), InputError) << to;
  };
  refuses("\"rollbacks\":0", "\"rollbacks\":-9223372036854775808");
  refuses("\"rollbacks\":0", "\"rollbacks\":4");
  refuses("\"best_update\":7", "\"best_update\":8");
  refuses("{\"update\":7,\"value\"", "{\"update\":8,\"value\"");
  refuses("\"seconds\":0.0", "\"seconds\":-1.0");
  refuses("\"epoch\":0", "\"epoch\":1000001");
  refuses("\"ended\":\"\"", "\"ended\":\"never\"");
}

// What the configuration says can be read again, whatever the text.
TEST(RunConfigFile, UnusualTextSurvives) {
  for (const char* name : {"a\nb", "a\"b\\", "a\n[training]\nseed = 77\n#", "a\r\x1b\x7f'"}) {
    train::RunConfig config, again;
    train::RunFiles files, files_again;
    config.model.system = name;
    files.train_source = {std::string("/") + name};
    Options options;
    declare(options, files_again);
    declare(options, again);
    const std::string toml = run_config_to_toml(config, files);
    apply_run_config(options, files_again, toml, "a test", files.out);
    EXPECT_EQ(again.model.system, name);
    EXPECT_EQ(files_again.train_source, files.train_source);
    EXPECT_EQ(again.training.seed, config.training.seed);
    EXPECT_TRUE(train::is_own_config(toml, files.out));
    EXPECT_FALSE(train::is_own_config(toml + "# mine\n", files.out));
    EXPECT_FALSE(train::is_own_config("[training]\nseed = 3\n", files.out));
  }
}

TEST(RunConfigFile, RefusesAFileNameThatIsNotUtf8) {
  train::RunFiles files;
  EXPECT_NO_THROW(check_paths(files));
  files.valid_tsv = {"a\xff"};
  EXPECT_THROW(check_paths(files), UsageError);
}

TEST(BestTracker, TracksTheBestValueAndKeepsSnapshots) {
  train::BestTracker best;
  const auto add = [&](std::int64_t update, double bleu) {
    return best.add(train::ValidationMetric::bleu, {.perplexity = 9, .bleu = bleu}, update);
  };
  EXPECT_TRUE(add(1, 20));
  EXPECT_FALSE(add(2, 20));
  EXPECT_FALSE(add(3, std::nan("")));
  EXPECT_EQ(best.waiting, 2);
  EXPECT_TRUE(add(4, 30));
  EXPECT_EQ(best.waiting, 0);
  EXPECT_EQ(best.update, 4);
  train::TrainingConfig config;
  config.average = 2;
  const auto kept = [&](train::AverageOf of) {
    config.average_of = of;
    best.snapshots.clear();
    std::vector<std::int64_t> updates;
    for (const train::Snapshot& s : {train::Snapshot{1, 20}, train::Snapshot{2, 10}, train::Snapshot{3, 15}})
      best.keep_snapshot(s, train::ValidationMetric::bleu, config);
    for (const train::Snapshot& s : best.snapshots) updates.push_back(s.update);
    return updates;
  };
  EXPECT_EQ(kept(train::AverageOf::best), (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(kept(train::AverageOf::last), (std::vector<std::int64_t>{2, 3}));
}

TEST(BestTracker, GoesByPerplexityUntilThereIsAScore) {
  train::BestTracker best;
  std::int64_t update = 0;
  const auto add = [&](double bleu, double perplexity) {
    return best.add(train::ValidationMetric::bleu, {.perplexity = perplexity, .bleu = bleu}, ++update);
  };
  EXPECT_TRUE(add(0, 1800));
  EXPECT_TRUE(add(0, 900)) << "the same BLEU";
  EXPECT_TRUE(add(0.4, 500));
  EXPECT_TRUE(add(0.2, 400)) << "a lower BLEU that means nothing";
  EXPECT_FALSE(add(0.9, 450));
  EXPECT_FALSE(add(0.3, std::nan("")));
  EXPECT_EQ(best.waiting, 2);
  EXPECT_TRUE(add(1.5, 470)) << "a first score";
  EXPECT_FALSE(add(1.4, 100)) << "from then on, BLEU alone selects";
  EXPECT_EQ(best.waiting, 0) << "but perplexity shows that the model learns";
  EXPECT_FALSE(add(0.5, 200));
  EXPECT_FALSE(add(1.4, 101)) << "lower than that of the best model, but not the lowest";
  EXPECT_EQ(best.waiting, 2);
  EXPECT_TRUE(add(1.6, 300));
  EXPECT_EQ(best.waiting, 0);
  EXPECT_EQ(best.value, 1.6);
  EXPECT_EQ(best.update, update);
  // Fractions of sentences and tokens are below 1 also if they are good.
  train::BestTracker exact;
  EXPECT_TRUE(exact.add(train::ValidationMetric::exact, {.perplexity = 3, .exact = 0.5}, 1));
  EXPECT_FALSE(exact.add(train::ValidationMetric::exact, {.perplexity = 2, .exact = 0.4}, 2));
  // Of a checkpoint that does not say the perplexity:
  train::BestTracker old{.value = 0.5, .perplexity = {}, .update = 1, .waiting = 3, .snapshots = {}};
  EXPECT_FALSE(old.add(train::ValidationMetric::bleu, {.perplexity = 90, .bleu = 0.4}, 2));
  EXPECT_EQ(old.waiting, 4);
  EXPECT_TRUE(old.add(train::ValidationMetric::bleu, {.perplexity = 80, .bleu = 0.4}, 3));
}

}  // namespace
}  // namespace heed
