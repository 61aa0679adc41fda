// A directory through which any number of processes, on any number of machines, divide the lines of a text. It contains
//
//   job.json             the job: settings that must be the same for all workers, and the lines per chunk
//   input/00000000.zst   the lines of each chunk (shards/chunk_file.h)
//   split.json           written when all chunks are there: the number of chunks and of lines
//   output/00000000.zst  the result for each chunk
//   claims/              who works on what (shards/claims.h)
//
// Every file except a claim appears complete or not at all. Other files are ignored. Failures are InputErrors. Methods
// that only read are thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace heed::shards {

// Something that the result depends on. If it differs, the message reads "DIR was started with NAME VALUE, but …" or,
// for the digest of files, "DIR was started with another NAME". `way_out` says what to do; if it is empty, the message
// advises to start all workers with the same command.
struct Setting {
  std::string name, value, way_out = {};
  bool is_digest = false;
};

class ShardDirectory {
 public:
  // Joins the job in a directory. If there is none, starts one, and creates the directory if necessary; `chunk_lines`
  // is called only then. UsageError if the job has other settings; it says what differs.
  static ShardDirectory join(const std::string& path, std::span<const Setting> settings,
                             const std::function<std::int64_t()>& chunk_lines);
  // An existing job, whatever its settings are.
  static ShardDirectory open(const std::string& path);

  const std::string& path() const { return path_; }
  // The digest of job.json, which all chunks contain.
  const std::string& job() const { return job_; }
  std::int64_t chunk_lines() const { return chunk_lines_; }

  std::string input_path(std::int64_t chunk) const { return chunk_path("input", chunk); }
  std::string output_path(std::int64_t chunk) const { return chunk_path("output", chunk); }
  std::string claims_path() const { return path_ + "/claims"; }
  std::string split_path() const { return path_ + "/split.json"; }

  // How the input was split; none until it has been split.
  struct Split {
    std::int64_t chunks = 0, lines = 0;
  };
  std::optional<Split> split() const;
  void finish_split(const Split& split) const;

  // Which chunks have an input or an output, by index; chunks after the last such one are not listed.
  std::vector<bool> inputs() const { return listed("input"); }
  std::vector<bool> outputs() const { return listed("output"); }
  // Whether a chunk has an output. Opens the file, because a directory listing may be out of date (on NFS).
  bool is_done(std::int64_t chunk) const;
  // InputError if the directory, or the disk that it is on, is gone.
  void check_present() const;

 private:
  ShardDirectory(std::string path, const std::string& job_text);
  std::string chunk_path(const char* folder, std::int64_t chunk) const;
  std::vector<bool> listed(const char* folder) const;

  std::string path_, job_;
  std::int64_t chunk_lines_ = 0;
};

}  // namespace heed::shards
