// Workers, threads and ranks: the same gradients, bit for bit, however the workers are distributed.
#include "train/data_parallel.h"

#include <gtest/gtest.h>

#include <array>
#include <mutex>

#include "support/allocations.h"
#include "support/compare.h"
#include "support/language_model.h"
#include "support/rank_threads.h"
#include "train/rank_times.h"

namespace heed::testing {
namespace {

#ifdef HEED_COUNTS_ALLOCATIONS
TEST(DataParallel, NoAllocationInSteadyState) {
  const LanguageModel model;
  const auto data = sentences(8);
  train::DataParallel parallel(model.parameters, 2);
  const auto step = [&] {
    parallel.run([&](int worker, autograd::Tape& tape) {
      model.compute(tape, std::span(data).subspan(static_cast<std::size_t>(worker) * 4, 4), 0.1);
      return false;
    });
  };
  for (int i = 0; i < 3; ++i) step();
  const long before = allocations;
  for (int i = 0; i < 5; ++i) step();
  EXPECT_EQ(allocations - before, 0);
  // The counter itself works.
  ::operator delete(::operator new(1));
  EXPECT_EQ(allocations - before, 1);
}
#endif

// The summed gradients; every worker computes its sentences in `micro_batches` micro-batches.
std::vector<double> replicated(const LanguageModel& model, const std::vector<std::vector<Id>>& data, int workers,
                               std::size_t micro_batches = 1) {
  train::DataParallel parallel(model.parameters, workers);
  const std::size_t own = data.size() / static_cast<std::size_t>(workers), size = own / micro_batches;
  for (int i = 0; i < 2; ++i) {  // the second run must not depend on the first
    std::vector<std::size_t> done(static_cast<std::size_t>(workers), 0);
    parallel.run([&](int worker, autograd::Tape& tape) {
      const auto w = static_cast<std::size_t>(worker);
      model.compute(tape, std::span(data).subspan(w * own + done[w] * size, size), 0.1);
      return ++done[w] < micro_batches;
    });
  }
  return numbers(parallel.gradients().flat());
}

TEST(DataParallel, SameWorkersGiveTheSameBitsOthersDifferByRounding) {
  const LanguageModel model;
  const auto data = sentences(12);
  const auto one = replicated(model, data, 1);
  for (const int workers : {2, 3, 4}) {
    const auto first = replicated(model, data, workers), second = replicated(model, data, workers);
    EXPECT_EQ(first, second) << workers;
    EXPECT_EQ(difference(first, one, {.absolute = 1e-6, .relative = 1e-5}), "") << workers;
    const auto by_sentence = replicated(model, data, workers, data.size() / static_cast<std::size_t>(workers));
    EXPECT_EQ(difference(by_sentence, one, {.absolute = 1e-6, .relative = 1e-5}), "") << workers;
  }
  const LanguageModel exact(DType::f64);
  EXPECT_EQ(difference(replicated(exact, data, 4), replicated(exact, data, 1), {.absolute = 1e-14}), "");
}

TEST(DataParallel, RethrowsTheErrorOfAWorkerAndTheNextRunWorks) {
  const LanguageModel model;
  const auto data = sentences(4);
  train::DataParallel parallel(model.parameters, 2);
  const auto run = [&](bool fail) {
    parallel.run([&](int worker, autograd::Tape& tape) {
      check(!fail || worker != 1, "worker {} fails", worker);
      model.compute(tape, std::span(data).subspan(static_cast<std::size_t>(worker) * 2, 2), 0.1);
      return false;
    });
  };
  EXPECT_THROW(run(true), ShapeError);
  run(false);
  EXPECT_EQ(numbers(parallel.gradients().flat()), replicated(model, data, 2));
}

// The gradients of a rank after a run: the values, the touched rows in their order, and the sum of squares.
struct Summed {
  std::vector<double> numbers;
  std::vector<Id> rows;
  double squares = 0;
  bool operator==(const Summed&) const = default;
};

// Every worker computes its sentences one by one; the last worker has none.
std::vector<Summed> summed(const LanguageModel& model, const std::vector<std::vector<Id>>& data, int ranks, int threads,
                           train::GradientFormat format = train::GradientFormat::f32) {
  std::vector<Summed> result(static_cast<std::size_t>(ranks));
  RankThreads::run(ranks, [&](train::Communicator& communicator) {
    train::DataParallel parallel(model.parameters, threads, communicator, format);
    const std::size_t own = data.size() / static_cast<std::size_t>(parallel.workers());
    // The second run must not depend on the first, which touches rows that the second one does not.
    for (std::uint64_t i = 0; i < 2; ++i) {
      std::vector<std::size_t> done(static_cast<std::size_t>(threads), i);
      const auto compute = [&](int thread, autograd::Tape& tape) {
        const auto worker = static_cast<std::size_t>(parallel.first_worker() + thread);
        if (static_cast<int>(worker) == parallel.workers() - 1) return false;
        std::size_t& next = done[static_cast<std::size_t>(thread)];
        model.compute(tape, std::span(data).subspan(worker * own + next, 1), 0.1);
        return ++next < own;
      };
      parallel.run(compute, i);
    }
    const Ids rows = parallel.gradients().touched(model.table)->rows();
    result[static_cast<std::size_t>(communicator.rank())] = {
        numbers(parallel.gradients().flat()), {rows.begin(), rows.end()}, parallel.gradients().sum_of_squares()};
  });
  return result;
}

TEST(DataParallel, RanksAndThreadsGiveTheSameBits) {
  const LanguageModel model;
  const auto data = sentences(18);
  const Summed one = summed(model, data, 1, 6).front();
  EXPECT_LT(one.rows.size(), static_cast<std::size_t>(kVocabulary)) << "every row is touched, so nothing is sparse";
  for (const auto& [ranks, threads] : {std::pair(2, 3), std::pair(3, 2), std::pair(6, 1)})
    for (const Summed& rank : summed(model, data, ranks, threads)) EXPECT_EQ(rank, one) << ranks << " ranks";
}

TEST(DataParallel, ALargeModelIsExchangedInManyBuckets) {
  LanguageModel model(DType::f64, 700'000);
  const auto data = sentences(6);
  const Summed one = summed(model, data, 1, 3).front();
  for (const Summed& rank : summed(model, data, 3, 1)) EXPECT_EQ(rank, one);
}

TEST(DataParallel, RoundedGradientsAreTheSameOnAllRanksAndNearTheExactOnes) {
  const LanguageModel model;
  const auto data = sentences(12);
  const Summed exact = summed(model, data, 1, 6).front();
  for (const auto& [ranks, threads] : {std::pair(2, 3), std::pair(3, 2)}) {
    const std::vector<Summed> rounded = summed(model, data, ranks, threads, train::GradientFormat::bf16);
    for (const Summed& rank : rounded) EXPECT_EQ(rank, rounded.front()) << ranks << " ranks";
    EXPECT_EQ(rounded, summed(model, data, ranks, threads, train::GradientFormat::bf16)) << "not repeatable";
    EXPECT_NE(rounded.front().numbers, exact.numbers);
    EXPECT_EQ(rounded.front().rows, exact.rows);
    EXPECT_EQ(difference(rounded.front().numbers, exact.numbers, {.absolute = 2e-3, .relative = 0.02}), "");
  }
}

TEST(DataParallel, AFailureOfOneRankEndsTheExchangeOfAll) {
  const LanguageModel model;
  const auto data = sentences(3);
  EXPECT_THROW(RankThreads::run(3,
                                [&](train::Communicator& c) {
                                  train::DataParallel parallel(model.parameters, 1, c);
                                  parallel.run([&](int, autograd::Tape& tape) {
                                    check(c.rank() != 1, "rank 1 fails");
                                    model.compute(tape, data, 0.1);
                                    return false;
                                  });
                                }),
               std::exception);
}

TEST(DataParallel, RanksNeedTheSameNumberOfThreads) {
  const LanguageModel model;
  EXPECT_THROW(
      RankThreads::run(2, [&](train::Communicator& c) { train::DataParallel(model.parameters, 1 + c.rank(), c); }),
      UsageError);
}

TEST(Communicator, SumInOrderAddsRankByRank) {
  // In another order or grouping the sum of these is different.
  const std::array<double, 4> terms = {1, 1e17, -1e17, 3};
  EXPECT_EQ(sum_in_order(train::single_process(), terms), 3);
  for (const int ranks : {2, 4})
    RankThreads::run(ranks, [&](train::Communicator& c) {
      const std::size_t own = terms.size() / static_cast<std::size_t>(ranks);
      const double sum = sum_in_order(c, std::span(terms).subspan(static_cast<std::size_t>(c.rank()) * own, own));
      EXPECT_EQ(sum, 3) << ranks << " ranks, rank " << c.rank();
    });
}

TEST(Communicator, BroadcastsTheTextOfRankZero) {
  RankThreads::run(3, [](train::Communicator& c) {
    std::string text = c.rank() == 0 ? "the text" : std::string(static_cast<std::size_t>(c.rank()), 'x');
    broadcast(c, text);
    EXPECT_EQ(text, "the text");
  });
  EXPECT_THROW(train::single_process().send(1, {}), InternalError);
}

TEST(Communicator, GathersTheTextsOfAllRanks) {
  RankThreads::run(3, [](train::Communicator& c) {
    const auto texts = gather(c, std::string(static_cast<std::size_t>(c.rank()), 'x'));
    EXPECT_EQ(texts, c.is_main() ? (std::vector<std::string>{"", "x", "xx"}) : std::vector<std::string>{});
  });
}

TEST(Communicator, CheckSameNamesTheFirstRankAndLineThatDiffer) {
  RankThreads::run(3, [](train::Communicator& c) { check_same(c, "the plan", "a\nb\n", ""); });
  std::mutex mutex;
  std::vector<std::string> errors;
  RankThreads::run(4, [&](train::Communicator& c) {
    try {
      check_same(c, "the plan", c.rank() < 2 ? "a\nb\nc\n" : fmt::format("a\nb {}\nc\n", c.rank()), "fix it");
    } catch (const InputError& error) {
      const std::lock_guard lock(mutex);
      errors.emplace_back(error.what());
    }
  });
  EXPECT_EQ(errors, std::vector<std::string>(4,
                                             "the plan of rank 2 differs from that of rank 0 ('b 2', not 'b'); fix "
                                             "it"));
}

TEST(RankTimes, FindsTheRankThatTheOthersWaitFor) {
  RankThreads::run(3, [](train::Communicator& c) {
    train::RankTimes times(c);
    std::optional<train::JobSpeed> speed;
    std::string note;
    for (int i = 0; i < 40; ++i) {
      speed = times.add(c.rank() == 1 ? 3e-9 : 1e-9);
      if (speed) note += times.find_straggler(*speed);
    }
    ASSERT_EQ(speed.has_value(), c.is_main());
    if (!speed) return;
    EXPECT_EQ(speed->ranks, 3);
    EXPECT_EQ(speed->slowest, 1);
    EXPECT_NEAR(speed->slowdown, 3, 1e-6);
    EXPECT_GT(speed->efficiency, 0);
    EXPECT_LT(speed->efficiency, 0.5) << "the ranks did almost nothing";
    EXPECT_EQ(note.find("rank 1 on "), 0u) << note;
    EXPECT_EQ(note.find("rank 1 on ", 1), note.npos) << "reported twice: " << note;
  });
  train::RankTimes alone(train::single_process());
  EXPECT_FALSE(alone.add(1).has_value());
}

}  // namespace
}  // namespace heed::testing
