#include "shards/worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "shards/chunk_file.h"
#include "support/files.h"

namespace heed::shards {
namespace {

using testing::TemporaryDirectory;

// Lines "0", "1", …, which become "<0>", "<1>", ….
Work numbers(int lines) {
  return {.open =
              [lines] {
                return [lines, next = 0](std::string& line) mutable {
                  if (next == lines) return false;
                  line = std::to_string(next++);
                  return true;
                };
              },
          .process =
              [](const Lines& chunk) {
                std::string text;
                std::int64_t number = chunk.first;
                for (const std::string& line : chunk.lines) {
                  EXPECT_EQ(line, std::to_string(number++));
                  text += "<" + line + ">\n";
                }
                return std::optional(text);
              },
          .stopped = [] { return false; },
          .lease_seconds = 5};
}

std::string expected(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i) text += "<" + std::to_string(i) + ">\n";
  return text;
}

std::string gathered(const ShardDirectory& directory) {
  std::string text;
  gather(directory, [&](std::string_view part) { text += part; });
  return text;
}

class WorkerTest : public ::testing::Test {
 protected:
  ShardDirectory join(std::int64_t chunk_lines = 7, const std::string& beam = "1") const {
    return ShardDirectory::join(path_, std::vector<Setting>{{"--beam", beam}, {"MODEL", "xxh64:0", "fetch it", true}},
                                [&] { return chunk_lines; });
  }
  void remove(const std::string& name) const { std::filesystem::remove(path_ + "/" + name); }

  TemporaryDirectory temporary_;
  std::string path_ = temporary_.file("a/shards");
};

template <class Failure, class Call>
std::string message(const Call& call) {
  try {
    call();
  } catch (const Failure& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(WorkerTest, ProcessesEveryLineOnce) {
  for (const int lines : {0, 1, 6, 7, 8, 50}) {
    path_ = temporary_.file(std::to_string(lines));
    const ShardDirectory directory = join();
    EXPECT_EQ(run_worker(directory, numbers(lines)), Outcome::all_done);
    EXPECT_EQ(gathered(directory), expected(lines)) << lines;
    EXPECT_EQ(directory.split()->chunks, (lines + 6) / 7);
    EXPECT_TRUE(std::filesystem::is_empty(directory.claims_path()));
  }
}

TEST_F(WorkerTest, ManyWorkersShareTheChunks) {
  std::atomic<int> processed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      const ShardDirectory directory = join();
      Work work = numbers(140);
      work.process = [&, process = work.process](const Lines& chunk) {
        ++processed;
        return process(chunk);
      };
      EXPECT_EQ(run_worker(directory, work), Outcome::all_done);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(gathered(join()), expected(140));
  EXPECT_EQ(processed, 20) << "no chunk was done twice";
}

TEST_F(WorkerTest, TheLinesOfSeveralInputsAlternate) {
  Work work = numbers(40);
  work.inputs = 2;
  work.process = [](const Lines& chunk) {
    std::string text;
    for (std::size_t i = 0; i < chunk.lines.size(); i += 2) text += chunk.lines[i] + "-" + chunk.lines[i + 1] + "\n";
    return std::optional(text);
  };
  const ShardDirectory directory = join();
  EXPECT_EQ(run_worker(directory, work), Outcome::all_done);
  EXPECT_EQ(directory.split()->lines, 20);
  EXPECT_TRUE(gathered(directory).starts_with("0-1\n2-3\n"));
}

TEST_F(WorkerTest, AShareLeavesTheOtherChunksToOthers) {
  const ShardDirectory directory = join();
  Work work = numbers(50);
  work.share = {2, 3};
  EXPECT_EQ(run_worker(directory, work), Outcome::share_is_done);
  const std::vector<bool> done = directory.outputs();
  EXPECT_EQ(std::vector<bool>({false, true, false, false, true, false, false, true}), done);
  EXPECT_NE(message<InputError>([&] { gathered(directory); }).find("5 of 8 chunks"), std::string::npos);
  work.share = {1, 1};
  EXPECT_EQ(run_worker(directory, work), Outcome::all_done);
  EXPECT_EQ(gathered(directory), expected(50));
}

TEST_F(WorkerTest, StopsAndResumes) {
  const ShardDirectory directory = join();
  int calls = 0;
  Work work = numbers(50);
  work.stopped = [&] { return calls >= 3; };
  work.process = [&, process = work.process](const Lines& chunk) {
    return ++calls == 3 ? std::nullopt : process(chunk);
  };
  EXPECT_EQ(run_worker(directory, work), Outcome::stopped);
  EXPECT_EQ(std::ranges::count(directory.outputs(), true), 2);
  EXPECT_TRUE(std::filesystem::is_empty(directory.claims_path()));
  EXPECT_EQ(run_worker(directory, numbers(50)), Outcome::all_done);
  EXPECT_EQ(gathered(directory), expected(50));
}

TEST_F(WorkerTest, SplitsAgainAfterADeadWorkerButOnlyTheSameText) {
  const ShardDirectory directory = join();
  run_worker(directory, numbers(50));
  for (const char* name : {"split.json", "input/00000003.zst", "output/00000003.zst"}) remove(name);
  EXPECT_EQ(run_worker(directory, numbers(50)), Outcome::all_done);
  EXPECT_EQ(gathered(directory), expected(50));
  remove("split.json");
  Work other = numbers(50);
  other.open = [] {
    return [next = 0](std::string& line) mutable {
      line = next == 16 ? "other" : std::to_string(next);
      return next++ < 50;
    };
  };
  EXPECT_NE(message<InputError>([&] { run_worker(directory, other); }).find("lines 15 to 21"), std::string::npos);
}

TEST_F(WorkerTest, ALongLineEndsAChunk) {
  const ShardDirectory directory = join(1000);
  Work work = numbers(10);
  work.open = [] {
    return [next = 0](std::string& line) mutable {
      line.assign(1 << 20, 'x');
      return next++ < 10;
    };
  };
  work.process = [](const Lines& chunk) {
    EXPECT_LE(chunk.lines.size(), 4U);
    return std::optional(std::string(chunk.lines.size(), '\n'));
  };
  EXPECT_EQ(run_worker(directory, work), Outcome::all_done);
  EXPECT_EQ(directory.split()->chunks, 3);
}

TEST_F(WorkerTest, DifferentSettingsAreRefused) {
  join();
  EXPECT_EQ(join(99).chunk_lines(), 7) << "that of the first worker";
  const std::string beam = message<UsageError>([&] { join(7, "5"); });
  EXPECT_NE(beam.find("was started with --beam 1, but this process has 5; start all"), std::string::npos) << beam;
  const std::string model = message<UsageError>([&] {
    ShardDirectory::join(path_, std::vector<Setting>{{"--beam", "1"}, {"MODEL", "xxh64:1", "fetch it", true}},
                         [] { return std::int64_t{7}; });
  });
  EXPECT_NE(model.find("was started with another MODEL"), std::string::npos) << model;
  EXPECT_TRUE(model.ends_with("; fetch it")) << model;
}

TEST_F(WorkerTest, TheWrongNumberOfLinesIsAnError) {
  const ShardDirectory directory = join();
  Work work = numbers(10);
  work.process = [](const Lines&) { return std::optional<std::string>("one\n"); };
  EXPECT_THROW(run_worker(directory, work), InternalError);
}

TEST_F(WorkerTest, GatherRefusesChunksOfAnotherJobOrIndex) {
  const ShardDirectory directory = join();
  EXPECT_NE(message<InputError>([&] { gathered(directory); }).find("is not split yet"), std::string::npos);
  run_worker(directory, numbers(50));
  const Chunk good = read_chunk(directory.output_path(2));
  for (int kind = 0; kind < 5; ++kind) {
    Chunk bad = good;
    if (kind == 0) bad.record.job = "xxh64:1";
    if (kind == 1) bad.record.chunk = 1;
    if (kind == 2) bad.record.first_line = 7;
    if (kind == 3) bad.text += "more\n";
    if (kind == 4) bad.text.clear();
    write_chunk(directory.output_path(2), bad);
    bool written = false;
    const std::string error =
        message<InputError>([&] { gather(directory, [&](std::string_view) { written = true; }); });
    EXPECT_TRUE(error.starts_with("chunk 00000002 cannot be used: ")) << kind << ": " << error;
    EXPECT_FALSE(written);
  }
}

TEST_F(WorkerTest, ADirectoryThatVanishesIsReported) {
  const ShardDirectory directory = join();
  Work work = numbers(50);
  work.process = [&, process = work.process](const Lines& chunk) {
    std::filesystem::remove_all(path_);
    return process(chunk);
  };
  EXPECT_NE(message<InputError>([&] { run_worker(directory, work); }).find("has disappeared"), std::string::npos);
}

}  // namespace
}  // namespace heed::shards
