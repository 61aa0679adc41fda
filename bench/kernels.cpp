// make bench: the kernels against the limits of the machine. Every result is verified before it is timed; ratios come
// from interleaved runs in one process, best of several.
//   1. matrix products with the reference model's shapes, against a bare dnnl_sgemm loop; for products with weights
//   also
//      the batch-invariant product of translation
//   2. forward and backward of the reference model, against its matrix products alone
//   3. every fused operation, against the least time that its bytes or its arithmetic need
//   4. text to examples: megabytes per minute on one core
// usage: bench_kernels [--json] [--threads N]
#include <dnnl.h>
#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <numeric>

#include "base/json.h"
#include "indexing_speed.h"
#include "kernels/cpu.h"
#include "kernels/elementwise.h"
#include "kernels/matmul.h"
#include "model/model.h"
#include "model/presets.h"
#include "pocket/corpus.h"
#include "support/op_cases.h"
#include "train/data_parallel.h"

namespace heed {
namespace {

using kernels::MatmulCall;
using testing::CaseRunner;
using testing::OpCase;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double time_of(const std::function<void()>& work) {
  const double start = now();
  work();
  return now() - start;
}

// The best time of each workload. They run in turns, so that all see the same load on the machine.
std::vector<double> best_times(const std::vector<std::function<void()>>& work, int rounds) {
  std::vector<double> best(work.size(), 1e9);
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < work.size(); ++i) best[i] = std::min(best[i], time_of(work[i]));
  return best;
}

// The operands of one product.
struct Operands {
  explicit Operands(const MatmulCall& c) : call(c) {
    const auto& o = c.options;
    a = o.transpose_a ? arena.tensor(DType::f32, c.k, c.m) : arena.tensor(DType::f32, c.m, c.k);
    b = o.transpose_b ? arena.tensor(DType::f32, c.n, c.k) : arena.tensor(DType::f32, c.k, c.n);
    out = arena.zeros(DType::f32, c.m, c.n);
    testing::randomize(a, 1);
    testing::randomize(b, 2);
  }
  // y = x Wᵀ, the forward of a layer.
  bool is_layer() const { return !call.options.transpose_a && call.options.transpose_b; }
  void project() const { kernels::project(out, a, b, call.options.accumulate); }
  void bare() const {
    const auto& o = call.options;
    dnnl_sgemm(o.transpose_a ? 'T' : 'N', o.transpose_b ? 'T' : 'N', call.m, call.n, call.k, 1.0f, a.data<float>(),
               a.columns(), b.data<float>(), b.columns(), o.accumulate ? 1.0f : 0.0f, out.data<float>(), call.n);
  }
  void ours() const { kernels::matmul(out, a, b, call.options); }
  double operations() const {
    return 2.0 * static_cast<double>(call.m) * static_cast<double>(call.n) * static_cast<double>(call.k);
  }

  MatmulCall call;
  Arena arena;
  Tensor a, b, out;
};

// heed and the bare call must compute the same numbers.
void verify(const Operands& x) {
  kernels::fill(x.out, 0);
  x.bare();
  std::vector<float> expected(x.out.data<float>(), x.out.data<float>() + x.out.elements());
  kernels::fill(x.out, 0);
  x.ours();
  check<InternalError>(std::equal(expected.begin(), expected.end(), x.out.data<float>()),
                       "matmul and dnnl_sgemm disagree");
  if (!x.is_layer()) return;
  kernels::fill(x.out, 0);
  x.project();
  for (std::size_t i = 0; i < expected.size(); ++i)
    check<InternalError>(std::abs(expected[i] - x.out.data<float>()[i]) < 1e-3f, "project and dnnl_sgemm disagree");
}

std::string shape_of(const MatmulCall& c) {
  return fmt::format("{:>5} x {:>5} x {:>5} {}{}", c.m, c.n, c.k, c.options.transpose_a ? 'T' : 'N',
                     c.options.transpose_b ? 'T' : 'N');
}

// One batch of the reference model, of the same size as in the training benchmark: 128 sentences of Multi30k's mean
// length, divided among the workers.
struct Reference {
  static constexpr int kBatch = 128, kSource = 14, kTarget = 14;

  explicit Reference(int workers) : model(config()), parallel(model.parameters(), workers) {
    model.initialize(1);
    for (int i = 0; i < kBatch; ++i) {
      for (auto& [list, length] : {std::pair{&sources, kSource}, std::pair{&targets, kTarget}}) {
        list->emplace_back();
        for (int t = 0; t + 1 < length + i % 3 - 1; ++t)
          list->back().push_back(static_cast<Id>(
              4 + Random(1, Stream::test, static_cast<std::uint32_t>(i)).below(static_cast<std::uint64_t>(t), 5000)));
        list->back().push_back(1);
      }
      tokens += static_cast<double>(targets.back().size());
    }
  }

  static model::ModelConfig config() {
    model::ModelConfig c = model::preset_config("bigru-deep-output");
    c.vocabulary = {.source = 7877, .target = 5921};
    return c;
  }

  double step() {
    std::vector<double> losses(static_cast<std::size_t>(parallel.threads()));
    parallel.run([&](int worker, autograd::Tape& tape) {
      losses[static_cast<std::size_t>(worker)] = loss(worker, tape);
      return false;
    });
    return std::accumulate(losses.begin(), losses.end(), 0.0);
  }

  // The loss of one worker's part of the batch.
  double loss(int worker, autograd::Tape& tape) {
    const std::size_t count = kBatch / static_cast<std::size_t>(parallel.threads()),
                      from = count * static_cast<std::size_t>(worker);
    std::vector<Ids> s, t;
    std::vector<std::uint32_t> keys;
    for (std::size_t i = from; i < from + count; ++i) {
      s.emplace_back(sources[i]);
      t.emplace_back(targets[i]);
      keys.push_back(static_cast<std::uint32_t>(i));
    }
    const model::TrainRandom random{.seed = 1, .update = 1, .sentence_keys = keys};
    return model.loss(tape, {s, t}, {.weight = 1 / tokens, .random = &random}).loss;
  }

  // Every matrix product of one worker's forward and backward.
  std::vector<MatmulCall> trace() {
    std::vector<MatmulCall> calls;
    autograd::Gradients gradients(model.parameters());
    autograd::Tape tape(model.parameters(), &gradients);
    tape.clear(autograd::Tape::Mode::record);
    kernels::trace_matmuls(&calls);
    loss(0, tape);
    tape.backward();
    kernels::trace_matmuls(nullptr);
    return calls;
  }

  model::Model model;
  train::DataParallel parallel;
  std::vector<std::vector<Id>> sources, targets;
  double tokens = 0;
};

bool same(const MatmulCall& a, const MatmulCall& b) {
  return a.m == b.m && a.n == b.n && a.k == b.k && a.options.transpose_a == b.options.transpose_a &&
         a.options.transpose_b == b.options.transpose_b && a.options.accumulate == b.options.accumulate;
}

// The distinct products of a trace and their number of calls, by total cost, highest first.
std::vector<std::pair<MatmulCall, int>> distinct(const std::vector<MatmulCall>& calls) {
  std::vector<std::pair<MatmulCall, int>> result;
  for (const MatmulCall& call : calls) {
    const auto found = std::ranges::find_if(result, [&](const auto& entry) { return same(entry.first, call); });
    if (found == result.end())
      result.emplace_back(call, 1);
    else
      ++found->second;
  }
  std::ranges::sort(result, std::greater{}, [](const auto& e) {
    return static_cast<double>(e.first.m) * static_cast<double>(e.first.n) * static_cast<double>(e.first.k) * e.second;
  });
  return result;
}

Json bench_matmul(const std::vector<MatmulCall>& calls, bool quiet) {
  if (!quiet)
    fmt::print(
        "Matrix products with the reference model's shapes, one thread\n  {:<24} {:>6} {:>12} {:>12} {:>7} {:>14}\n",
        "rows x columns x inner", "calls", "bare GFLOP/s", "heed GFLOP/s", "ratio", "own GFLOP/s");
  Json rows = Json::array();
  double bare_total = 0, ours_total = 0;
  const auto list = distinct(calls);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto& [call, count] = list[i];
    const Operands x(call);
    verify(x);
    const int repeat = std::max(1, static_cast<int>(5e7 / x.operations()));
    const auto many = [&](auto f) {
      return [&x, f, repeat] {
        for (int r = 0; r < repeat; ++r) (x.*f)();
      };
    };
    std::vector<std::function<void()>> ways = {many(&Operands::bare), many(&Operands::ours)};
    if (x.is_layer()) ways.push_back(many(&Operands::project));
    const auto best = best_times(ways, 7);
    bare_total += best[0] / repeat * count;
    ours_total += best[1] / repeat * count;
    const double scale = x.operations() * repeat / 1e9;
    rows.push_back({{"shape", shape_of(call)},
                    {"calls", count},
                    {"bare_gflops", scale / best[0]},
                    {"heed_gflops", scale / best[1]},
                    {"share", best[0] / best[1]}});
    if (x.is_layer()) rows.back()["project_gflops"] = scale / best[2];
    if (!quiet && i < 12)
      fmt::print("  {:<24} {:>6} {:>12.1f} {:>12.1f} {:>6.1f}% {:>14}\n", shape_of(call), count, scale / best[0],
                 scale / best[1], 100 * best[0] / best[1], x.is_layer() ? fmt::format("{:.1f}", scale / best[2]) : "");
  }
  if (!quiet)
    fmt::print("  {} shapes in all, weighted by calls: heed reaches {:.1f}% of bare dnnl_sgemm\n\n", list.size(),
               100 * bare_total / ours_total);
  return {{"share", bare_total / ours_total}, {"shapes", rows}};
}

// The matrix products of one worker, and nothing else.
class BareMatmuls {
 public:
  explicit BareMatmuls(const std::vector<MatmulCall>& calls) {
    for (const MatmulCall& call : calls) {
      auto found = std::ranges::find_if(operands_, [&](const auto& o) { return same(o->call, call); });
      if (found == operands_.end()) {
        operands_.push_back(std::make_unique<Operands>(call));
        found = operands_.end() - 1;
      }
      order_.push_back(found->get());
    }
  }
  void run() const {
    omp_set_num_threads(1);
    for (const Operands* x : order_) x->bare();
  }
  double operations() const {
    double total = 0;
    for (const Operands* x : order_) total += x->operations();
    return total;
  }

 private:
  std::vector<std::unique_ptr<Operands>> operands_;
  std::vector<const Operands*> order_;
};

Json bench_model(Reference& reference, const std::vector<MatmulCall>& calls, bool quiet) {
  const int workers = reference.parallel.threads();
  std::vector<std::unique_ptr<BareMatmuls>> bare;
  for (int i = 0; i < workers; ++i) bare.push_back(std::make_unique<BareMatmuls>(calls));
  const double loss = reference.step();
  check<InternalError>(std::isfinite(loss), "the reference model's loss is {}", loss);
  reference.step();
  const auto best = best_times(
      {[&] { reference.parallel.pool().run(workers, [&](int w) { bare[static_cast<std::size_t>(w)]->run(); }); },
       [&] { reference.step(); }},
      5);
  const double limit = reference.tokens / best[0], speed = reference.tokens / best[1];
  if (!quiet) {
    fmt::print("Forward and backward of the reference model, {} sentences, {} threads\n", Reference::kBatch, workers);
    fmt::print("  its products alone      {:>10.0f} target tokens/s ({:.1f} MFLOP per token): the limit\n", limit,
               bare[0]->operations() * workers / reference.tokens / 1e6);
    fmt::print("  heed                    {:>10.0f} target tokens/s, {:.1f}% of the limit\n\n", speed,
               100 * speed / limit);
  }
  return {{"threads", workers},
          {"limit_tokens_per_second", limit},
          {"tokens_per_second", speed},
          {"share", speed / limit},
          {"operations_per_token", bare[0]->operations() * workers / reference.tokens}};
}

// Bytes per second of an addition of vectors that have about `bytes` bytes in total.
double bandwidth(double bytes) {
  Arena arena;
  const auto n = static_cast<Index>(bytes / 12);
  const Tensor a = arena.zeros(DType::f32, 1, n), b = arena.zeros(DType::f32, 1, n), c = arena.zeros(DType::f32, 1, n);
  const int repeat = std::max(1, static_cast<int>(4e7 / bytes));
  const auto best = best_times({[&] {
                                 for (int r = 0; r < repeat; ++r) kernels::add_forward(c, a, b);
                               }},
                               9);
  return 12 * static_cast<double>(n) * repeat / best[0];
}

// Operations per second of a product that stays in the cache.
double peak_operations() {
  const Operands x(MatmulCall{192, 192, 512, {}});
  const auto best = best_times({[&] {
                                 for (int r = 0; r < 50; ++r) x.bare();
                               }},
                               9);
  return 50 * x.operations() / best[0];
}

Json bench_ops(bool quiet) {
  const double peak = peak_operations();
  if (!quiet) {
    fmt::print("Fused operations, forward and backward, {} rows of {}, against the limit of memory or arithmetic\n",
               testing::kBenchSizes.rows, testing::kBenchSizes.columns);
    fmt::print("  {:<24} {:>9} {:>9} {:>8}  limited by\n", "operation", "us", "limit us", "ratio");
  }
  Json rows = Json::array();
  for (const OpCase& op_case : testing::op_cases()) {
    if (op_case.cost == nullptr) continue;
    CaseRunner runner(op_case, testing::kBenchSizes, DType::f32);
    check<InternalError>(std::isfinite(runner.run(true)), "{} does not give a finite number", op_case.name);
    double best = 1e9;
    for (int i = 0; i < 40; ++i) best = std::min(best, runner.time());
    const testing::Cost cost = op_case.cost(testing::kBenchSizes);
    const double by_bytes = cost.bytes / bandwidth(cost.bytes), by_operations = cost.operations / peak;
    const double limit = std::max(by_bytes, by_operations);
    const char* bound = by_bytes > by_operations ? "memory" : "arithmetic";
    rows.push_back({{"operation", op_case.name},
                    {"microseconds", best * 1e6},
                    {"limit_microseconds", limit * 1e6},
                    {"share", limit / best},
                    {"bound", bound}});
    if (!quiet)
      fmt::print("  {:<24} {:>9.1f} {:>9.1f} {:>7.1f}%  {}\n", op_case.name, best * 1e6, limit * 1e6,
                 100 * limit / best, bound);
  }
  if (!quiet) fmt::print("  (arithmetic limit: {:.0f} GFLOP/s, a product in the cache)\n", peak / 1e9);
  return rows;
}

// Reads, tokenizes (by rules), counts and indexes the built-in corpus on one core.
Json bench_indexing(bool quiet) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("heed-bench-{}", ::getpid());
  std::filesystem::create_directories(folder);
  write_pocket(folder / "pocket", pocket::PocketCorpus(), {.valid = 1, .test = 1});
  const data::CorpusFiles files{
      .parts = {{.source = (folder / "pocket.train.en").string(), .target = (folder / "pocket.train.de").string()}}};
  const auto english = text::make_tokenizer({.kind = "words", .language = "en"}),
             german = text::make_tokenizer({.kind = "words", .language = "de"});
  IndexingSpeed best;
  for (int round = 0; round < 3; ++round) {
    const IndexingSpeed speed = measure_indexing(files, *english, *german);
    if (speed.megabytes_per_minute() > best.megabytes_per_minute()) best = speed;
  }
  std::filesystem::remove_all(folder);
  if (!quiet)
    fmt::print("\nTokenizing and indexing, {} pairs on one core: {:.0f} MB of text per minute\n", best.pairs,
               best.megabytes_per_minute());
  return {{"pairs", best.pairs}, {"megabytes_per_minute", best.megabytes_per_minute()}};
}

int run(int argc, char** argv) {
  bool json = false;
  int threads = 2;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0)
      json = true;
    else if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
      threads = std::atoi(argv[++i]);
    else
      throw UsageError("bench_kernels takes --json and --threads N, not {}", argv[i]);
  }
  check<UsageError>(threads >= 1 && threads <= 64, "--threads is {}, expected 1 to 64", threads);
  omp_set_num_threads(1);
  if (!json) fmt::print("heed kernels on {}\n\n", kernels::instruction_set());
  Reference reference(threads);
  const auto calls = reference.trace();
  const Json matmul = bench_matmul(calls, json), model = bench_model(reference, calls, json), ops = bench_ops(json),
             indexing = bench_indexing(json);
  if (json)
    fmt::print("{}\n", dump_json({{"instruction_set", kernels::instruction_set()},
                                  {"multiply", matmul},
                                  {"reference_model", model},
                                  {"operations", ops},
                                  {"indexing", indexing}}));
  return 0;
}

}  // namespace
}  // namespace heed

int main(int argc, char** argv) {
  try {
    return heed::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_kernels: {}\n", error.what());
    return 2;
  }
}
