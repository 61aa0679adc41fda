#include "shard_flags.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/numbers.h"
#include "base/utf8.h"
#include "command.h"

namespace heed::cli {

namespace {

// The environment variables with which a launcher tells a process its rank and the number of processes. Ranks count
// from `first` in steps of `step`, which are variables too; null: from 0 in steps of 1.
struct Launcher {
  const char *rank, *size, *first, *step;
  bool is_mpi;
};
constexpr Launcher kLaunchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", nullptr, nullptr, true},
    {"PMI_RANK", "PMI_SIZE", nullptr, nullptr, true},
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP", false},
    {"SLURM_PROCID", "SLURM_NTASKS", nullptr, nullptr, false},
};

std::optional<std::int64_t> number_in(const char* variable) {
  const char* text = variable != nullptr ? std::getenv(variable) : nullptr;
  std::int64_t number = 0;
  if (text == nullptr || parse_number(std::string_view(text), number) != std::errc()) return {};
  return number;
}

std::optional<shards::Share> launched_share(bool only_mpi) {
  for (const Launcher& launcher : kLaunchers) {
    if (only_mpi && !launcher.is_mpi) continue;
    const auto rank = number_in(launcher.rank), size = number_in(launcher.size);
    if (!rank || !size) continue;
    const std::int64_t step = std::max<std::int64_t>(number_in(launcher.step).value_or(1), 1);
    const shards::Share share{(*rank - number_in(launcher.first).value_or(0)) / step + 1, *size};
    if (share.number >= 1 && share.number <= share.count) return share;
  }
  return {};
}

}  // namespace

void declare(Options& o, ShardFlags& v, std::string_view what) {
  o.group("Many processes and machines");
  o.flag("shard-dir", v.directory,
         fmt::format("share the {} with all processes that use this directory: each takes chunks of lines until all "
                     "are done; `heed gather` joins the results",
                     what))
      .value("DIR")
      .writes([](const std::string&) { return std::vector<std::string>{}; });
  o.flag("shard", v.share,
         "process only part K of N; the parts, joined in order, equal the whole. auto: take K and N from mpirun, srun "
         "or a Slurm array")
      .value("K/N|auto")
      .may_change();
  o.flag("chunk-lines", v.chunk_lines,
         "with --shard-dir: number of lines per chunk; 0: as many as take about half a minute, or fewer, so that there "
         "are "
         "a few hundred chunks",
         range(0, 10'000'000));
  o.flag("lease", v.lease,
         "with --shard-dir: seconds without a sign of life from a process after which others take over its chunk",
         range(0.5, 86'400));
}

std::optional<shards::Share> share_of(const ShardFlags& flags) {
  if (flags.share.empty()) return {};
  if (flags.share == "auto") {
    const std::optional<shards::Share> share = launched_share(false);
    check<UsageError>(share.has_value(),
                      "--shard auto needs the variables of mpirun, srun or a Slurm array, which are not set; give "
                      "--shard K/N");
    return share;
  }
  const std::size_t slash = flags.share.find('/');
  shards::Share share;
  const std::string_view text = flags.share;
  const bool parsed = slash != flags.share.npos && parse_number(text.substr(0, slash), share.number) == std::errc() &&
                      parse_number(text.substr(slash + 1), share.count) == std::errc();
  check<UsageError>(parsed && share.number >= 1 && share.number <= share.count,
                    "--shard is {}; expected K/N with K from 1 to N, such as 2/10, or auto", in_quotes(flags.share));
  return share;
}

LineRange lines_of(const shards::Share& share, std::int64_t lines) {
  // Without an overflow for any number of lines.
  const auto start = [&](std::int64_t parts) {
    return lines / share.count * parts + lines % share.count * parts / share.count;
  };
  return {start(share.number - 1), start(share.number) - start(share.number - 1)};
}

LineRange lines_of(const shards::Share& share, const std::string& path, Encoding encoding) {
  std::error_code ignored;
  check<UsageError>(path != "-" && std::filesystem::exists(path, ignored),
                    "--shard {}/{} needs a file, because the number of its lines must be known; give one with --input",
                    share.number, share.count);
  std::int64_t lines = 0;
  LineReader reader(path, encoding);
  for (std::string line; reader.next(line);) ++lines;
  return lines_of(share, lines);
}

std::int64_t launched_rank() {
  const std::optional<shards::Share> share = launched_share(true);
  return share ? share->number - 1 : 0;
}

void check_shard_flags(const ShardFlags& flags, const Options& options) {
  check<UsageError>(!options.is_set(&flags.directory) || !flags.directory.empty(),
                    "--shard-dir is empty; give a directory that all processes share");
  share_of(flags);
  const std::pair<const void*, const char*> needs_directory[] = {{&flags.chunk_lines, "--chunk-lines"},
                                                                 {&flags.lease, "--lease"}};
  for (const auto& [field, flag] : needs_directory)
    check<UsageError>(!flags.directory.empty() || !options.is_set(field), "{} has no effect without --shard-dir DIR",
                      flag);
  const std::optional<shards::Share> share = launched_share(true);
  if (share && share->count > 1 && share->number == 1 && flags.directory.empty() && flags.share.empty())
    print_note(
        "each of the {} processes works on the whole text; add --shard-dir DIR or --shard auto to divide it among them",
        share->count);
}

}  // namespace heed::cli
