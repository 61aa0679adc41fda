// Complete runs with several ranks write the same bytes as a run in one process.
#include "train/run.h"

#include "train/run_fixture.h"

namespace heed::testing {
namespace {

TEST_F(Runs, TwoRanksWriteTheFilesOfTwoThreads) {
  Observer one, two;
  EXPECT_EQ(run("one", 1, 2, train::Start::fresh, one).end, train::RunResult::End::done);
  EXPECT_EQ(run("two", 2, 1, train::Start::fresh, two).end, train::RunResult::End::done);
  EXPECT_EQ(two.validations, one.validations);
  EXPECT_GT(one.validations, 4);
  expect_same_files("one", "two");
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
