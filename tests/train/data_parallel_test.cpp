// Workers, threads and ranks: the same gradients, bit for bit, however the workers are distributed.
#include "train/data_parallel.h"

#include <gtest/gtest.h>

#include <array>
#include <mutex>

#include "support/allocations.h"
#include "support/compare.h"
#include "support/language_model.h"
#include "support/rank_threads.h"

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

std::vector<Summed> summed(const LanguageModel& model, const std::vector<std::vector<Id>>& data, int ranks,
                           int threads) {
  std::vector<Summed> result(static_cast<std::size_t>(ranks));
  RankThreads::run(ranks, [&](train::Communicator& communicator) {
    train::DataParallel parallel(model.parameters, threads, communicator);
    const std::size_t own = data.size() / static_cast<std::size_t>(parallel.workers());
    for (int i = 0; i < 2; ++i)
      parallel.run([&](int thread, autograd::Tape& tape) {
        const auto worker = static_cast<std::size_t>(parallel.first_worker() + thread);
        model.compute(tape, std::span(data).subspan(worker * own, own), 0.1);
        return false;
      });
    const Ids rows = parallel.gradients().touched(model.table)->rows();
    result[static_cast<std::size_t>(communicator.rank())] = {
        numbers(parallel.gradients().flat()), {rows.begin(), rows.end()}, parallel.gradients().sum_of_squares()};
  });
  return result;
}

TEST(DataParallel, RanksAndThreadsGiveTheSameBits) {
  const LanguageModel model;
  const auto data = sentences(12);
  const Summed one = summed(model, data, 1, 6).front();
  EXPECT_LT(one.rows.size(), static_cast<std::size_t>(kVocabulary)) << "every row is touched, so nothing is sparse";
  for (const auto& [ranks, threads] : {std::pair(2, 3), std::pair(3, 2), std::pair(6, 1)})
    for (const Summed& rank : summed(model, data, ranks, threads)) EXPECT_EQ(rank, one) << ranks << " ranks";
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

}  // namespace
}  // namespace heed::testing
