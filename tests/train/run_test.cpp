// Complete runs with several ranks write the same bytes as a run in one process.
#include "train/run.h"

#include "base/json.h"
#include "data/split.h"
#include "train/run_fixture.h"
#include "train/run_text.h"

namespace heed::testing {
namespace {

TEST_F(Runs, TwoRanksWriteTheFilesOfTwoThreads) {
  // Validation text of several batches, and more translations than samples, so that both ranks have work.
  files_.valid_source = {directory_.file("valid.source")};
  files_.valid_target = {directory_.file("valid.target")};
  std::string source, target;
  for (int i = 0; i < 150; ++i) {
    source += fmt::format("the lake {} is near house {}\n", i % 13, i % 7);
    target += fmt::format("der see {} ist am haus {}\n", i % 13, i % 7);
  }
  write_file_atomically(files_.valid_source[0], source);
  write_file_atomically(files_.valid_target[0], target);
  config_.validation.sentences = 12;
  Observer one, two;
  EXPECT_EQ(run("one", 1, 2, train::Start::fresh, one).end, train::RunResult::End::done);
  EXPECT_EQ(run("two", 2, 1, train::Start::fresh, two).end, train::RunResult::End::done);
  EXPECT_EQ(two.validations, one.validations);
  EXPECT_GT(one.validations, 4);
  expect_same_files("one", "two");
  const auto validations = [&](const char* run) {
    std::vector<Json> lines;
    const std::string log = read_file(directory_.file(run) + "/metrics.jsonl");
    for (std::size_t from = 0; from < log.size(); from = log.find('\n', from) + 1) {
      Json line = parse_json(log.substr(from, log.find('\n', from) - from), "a line of the log");
      line.erase("seconds");
      if (line["kind"] == "validation") lines.push_back(std::move(line));
    }
    return lines;
  };
  EXPECT_EQ(validations("one"), validations("two"));
}

TEST_F(Runs, AStoppedRunResumesWithAnotherNumberOfRanks) {
  Observer whole, stopped(5), finished, again;
  run("whole", 1, 2, train::Start::fresh, whole);
  EXPECT_EQ(run("parts", 2, 1, train::Start::fresh, stopped).end, train::RunResult::End::stopped);
  EXPECT_EQ(run("parts", 1, 2, train::Start::resume, finished).end, train::RunResult::End::done);
  expect_same_files("whole", "parts");
  EXPECT_EQ(run("parts", 2, 1, train::Start::resume, again).end, train::RunResult::End::was_done);
  EXPECT_THROW(run("parts", 2, 1, train::Start::fresh, again), UsageError);
  config_.training.epochs = 3;
  EXPECT_THROW(run("parts", 2, 2, train::Start::resume, again), UsageError) << "another number of workers";
  Observer more;
  EXPECT_EQ(run("parts", 3, 1, train::Start::resume_with_other_workers, more).end, train::RunResult::End::done);
  const std::string log = read_file(directory_.file("parts") + "/metrics.jsonl");
  EXPECT_NE(log.find(R"("kind":"workers")"), log.npos);
  EXPECT_NE(log.find(R"("threads_before":2,"threads":3)"), log.npos);
}

TEST_F(Runs, RoundedGradientsNeedTheSameNumberOfRanks) {
  config_.training.gradient_exchange = train::GradientFormat::bf16;
  Observer whole, stopped(5), again;
  run("whole", 2, 1, train::Start::fresh, whole);
  EXPECT_EQ(run("parts", 2, 1, train::Start::fresh, stopped).end, train::RunResult::End::stopped);
  EXPECT_THROW(run("parts", 1, 2, train::Start::resume, again), UsageError);
  EXPECT_EQ(run("parts", 2, 1, train::Start::resume, again).end, train::RunResult::End::done);
  expect_same_files("whole", "parts");
}

TEST_F(Runs, ARankThatWasStartedWithOtherSettingsOrTextIsNamed) {
  const auto message = [&](auto change) {
    std::string said;
    std::mutex mutex;
    RankThreads::run(3, [&](train::Communicator& c) {
      train::RunConfig config = config_;
      train::RunFiles files = files_;
      config.training.threads = 1;
      files.out = directory_.file("wrong");
      if (c.rank() == 2) change(config, files);
      train::RunObserver silent;
      try {
        train_run(config, files, train::Start::fresh, silent, c);
      } catch (const InputError& error) {
        const std::lock_guard lock(mutex);
        said = error.what();
      }
    });
    return said;
  };
  const std::string setting = message([](auto& config, auto&) { config.training.label_smoothing = 0.2; });
  EXPECT_NE(setting.find("the configuration of rank 2 differs"), setting.npos) << setting;
  EXPECT_NE(setting.find("label_smoothing = 0.2"), setting.npos) << setting;
  const std::string text = message([](auto&, auto& files) { files.valid_source = files.valid_target; });
  EXPECT_NE(text.find("the validation text of rank 2 differs"), text.npos) << text;

  // Two parents of the same shape, but with other weights.
  config_.training.updates = 1;
  Observer one, two;
  run("one", 1, 1, train::Start::fresh, one);
  config_.training.seed = 2;
  run("two", 1, 1, train::Start::fresh, two);
  files_.from = directory_.file("one");
  const std::string parent = message([&](auto&, auto& files) { files.from = directory_.file("two"); });
  EXPECT_NE(parent.find("the model of --from of rank 2 differs"), parent.npos) << parent;
}

TEST_F(Runs, HoldOutValidationTextThatIsTheSameOnEveryRankAndAfterAStop) {
  std::string source, target;
  for (int i = 0; i < 300; ++i) {
    source += fmt::format("the house {} is near lake {}\n", i, i % 5);
    target += fmt::format("das haus {} ist am see {}\n", i, i % 5);
  }
  write_file_atomically(files_.train_source[0], source + "The house 7, is near lake 2!\n");
  write_file_atomically(files_.train_target[0], target + "das haus 7\n");
  files_.valid_source = files_.valid_target = {};
  config_.data.holdout = true;
  config_.training.epochs = 1;
  config_.validation.updates = 15;
  Observer whole, ranks, stopped(20), finished;
  run("whole", 1, 2, train::Start::fresh, whole);
  EXPECT_EQ(whole.choice.held_out, 15);
  EXPECT_EQ(whole.valid_pairs, 15u);
  EXPECT_EQ(whole.train_pairs, 301 - 15 - static_cast<std::size_t>(whole.choice.removed));
  EXPECT_GE(whole.validations, 2);
  // Samples are evenly spaced over all held-out pairs, not over the first ones.
  const data::Split split = split_corpus(files_.train({}), {});
  std::vector<std::string> held_out, sampled;
  data::PairReader reader(files_.train({}));
  for (data::SentencePair pair; reader.next(pair);)
    if (split.parts[static_cast<std::size_t>(reader.pairs() - 1)] == 1) held_out.push_back(pair.source);
  const std::string samples = read_file(directory_.file("whole") + "/samples.jsonl");
  const Json line = parse_json(samples.substr(0, samples.find('\n')), "samples");
  for (const Json& sample : line["samples"]) sampled.push_back(sample["text"]);
  ASSERT_EQ(held_out.size(), 15u);
  EXPECT_EQ(sampled, (std::vector{held_out[0], held_out[3], held_out[6], held_out[9], held_out[12]}));
  run("ranks", 2, 1, train::Start::fresh, ranks);
  expect_same_files("whole", "ranks");
  EXPECT_EQ(run("parts", 1, 2, train::Start::fresh, stopped).end, train::RunResult::End::stopped);
  EXPECT_EQ(run("parts", 1, 2, train::Start::resume, finished).end, train::RunResult::End::done);
  expect_same_files("whole", "parts");
  config_.data.holdout = false;
  EXPECT_THROW(run("parts", 1, 2, train::Start::resume, finished), UsageError);
  config_.data.holdout = true;
  files_.valid_source = files_.train_source, files_.valid_target = files_.train_target;
  Observer given;
  run("given", 1, 2, train::Start::fresh, given);
  EXPECT_EQ(given.choice.held_out, 0) << "there is validation text";
  EXPECT_EQ(given.train_pairs, 301u);
}

TEST_F(Runs, TiedEmbeddingsNeedOneVocabularyWhateverTheSizes) {
  apply_settings(config_, "embeddings = { tied = \"all\" }\nreadout = { tanh = true, size = 8 }\n");
  files_.out = directory_.file("tied");
  const auto problem = [&](bool is_new) -> std::string {
    try {
      check_before_reading(config_, files_, is_new);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  const std::string separate = "embeddings.tied is all, but source and target have separate vocabularies: set ";
  EXPECT_TRUE(problem(true).starts_with(separate + "data.subword_joint to true")) << problem(true);
  EXPECT_EQ(problem(false), "") << "a run that is resumed";
  config_.text.subword_joint = true;
  EXPECT_EQ(problem(true), "");
  config_.text.tokenizer = "words";
  EXPECT_TRUE(problem(true).starts_with(separate + "data.shared_vocabulary to true")) << problem(true);
  config_.data.shared_vocabulary = true;
  EXPECT_EQ(problem(true), "");
}

TEST_F(Runs, RanksRollBackTogetherAfterADivergence) {
  config_.training.learning_rate = 5;
  config_.training.checkpoint_updates = 2;
  Observer one, two;
  run("one", 1, 2, train::Start::fresh, one);
  run("two", 2, 1, train::Start::fresh, two);
  EXPECT_GT(one.divergences, 0);
  EXPECT_EQ(two.divergences, one.divergences);
  expect_same_files("one", "two");
}

}  // namespace
}  // namespace heed::testing
