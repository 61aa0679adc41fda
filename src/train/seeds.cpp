#include "train/seeds.h"

#include <filesystem>
#include <limits>

#include "base/error.h"
#include "base/files.h"
#include "train/run_directory.h"

namespace heed::train {
namespace {

std::string summary_path(const std::string& out) {
  return RunDirectory(out).file("seeds.json");
}

}  // namespace

std::string seed_directory(const std::string& out, int number) {
  return RunDirectory(out).file(fmt::format("seed-{}", number));
}

std::vector<std::string> seed_directories(const std::string& out) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (int number = 1; number <= kMaxSeeds; ++number)
    if (const std::string directory = seed_directory(out, number); std::filesystem::is_directory(directory, ignored))
      found.push_back(directory);
  return found;
}

int seed_count(const std::string& out) {
  const std::string path = summary_path(out);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return 0;
  const Json json = parse_json(read_file(path), path);
  const Json seeds = json.is_object() ? json.value("seeds", Json()) : Json();
  check<InputError>(seeds.is_number_integer() && seeds > 0 && seeds <= kMaxSeeds,
                    "'{}' does not say how many seeds there are; remove it and give --seeds", path);
  return seeds.get<int>();
}

void check_no_single_run(const std::string& out) {
  check<UsageError>(!RunDirectory(out).has_checkpoint(),
                    "'{}' contains a single run; to resume it, leave out --seeds; for runs with several seeds, choose "
                    "another --out",
                    out);
}

std::vector<std::string> seed_files(const std::string& out) {
  std::vector<std::string> files{summary_path(out)};
  for (const std::string& directory : seed_directories(out))
    for (std::string& file : RunDirectory(directory).files()) files.push_back(std::move(file));
  return files;
}

SeedRuns::SeedRuns(RunConfig config, RunFiles files, int seeds, Start start, Communicator& communicator)
    : config_(std::move(config)), files_(std::move(files)), seeds_(seeds), start_(start), communicator_(communicator) {
  if (!communicator_.is_main()) return;
  const std::string& out = files_.out;
  check_no_single_run(out);
  const int before = start_ == Start::overwrite ? 0 : seed_count(out);  // also rejects a seeds.json that is not heed's
  check<UsageError>(!resumes(start_) || before <= seeds_,
                    "'{}' contains runs with {} seeds; resume them with --seeds {}, or more", out, before, before);
  check<UsageError>(config_.training.seed <= std::numeric_limits<std::int64_t>::max() - seeds_,
                    "training.seed is {}, which leaves no room for {} seeds; give a smaller one", config_.training.seed,
                    seeds_);
  for (const std::string& directory : seed_directories(out)) {
    check<UsageError>(
        start_ != Start::fresh || !RunDirectory(directory).has_checkpoint(),
        "'{}' already contains runs; use --resume to continue them, --overwrite to start again, or choose "
        "another --out",
        out);
    // Clear all of them now: if the new runs are interrupted and resumed, an old run must not pass for a finished one.
    if (start_ == Start::overwrite) {
      RunDirectory old(directory);
      old.open();
      old.clear();
    }
  }
  make_directories(out);
  write_file_atomically(summary_path(out),
                        dump_json({{"seeds", seeds_}, {"first_seed", config_.training.seed}}, 2) + "\n");
}

std::string SeedRuns::directory(int number) const {
  return seed_directory(files_.out, number);
}

RunResult SeedRuns::train(int number, RunObserver& observer) const {
  RunConfig config = config_;
  RunFiles files = files_;
  config.training.seed += number - 1;
  files.out = directory(number);
  return train_run(config, files, start_, observer, communicator_);
}

std::map<std::string, MeanDeviation> SeedRuns::finish() const {
  std::vector<RunInfo> runs;
  Json list = Json::array();
  for (int number = 1; number <= seeds_; ++number) {
    const RunInfo& run = runs.emplace_back(read_run(directory(number)));
    Json best = Json::object();
    for (const auto& [name, value] : run.best) best[name] = value;
    list.push_back({{"directory", fmt::format("seed-{}", number)},
                    {"seed", config_.training.seed + number - 1},
                    {"update", run.update},
                    {"seconds", run.seconds},
                    {"best", best}});
  }
  std::vector<const RunInfo*> pointers;
  for (const RunInfo& run : runs) pointers.push_back(&run);
  const std::map<std::string, MeanDeviation> summary = summarize(pointers);
  write_file_atomically(summary_path(files_.out), dump_json({{"seeds", seeds_},
                                                             {"first_seed", config_.training.seed},
                                                             {"metric", runs[0].metric},
                                                             {"runs", list},
                                                             {"summary", to_json(summary)}},
                                                            2) +
                                                      "\n");
  return summary;
}

}  // namespace heed::train
