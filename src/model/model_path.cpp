#include "model/model_path.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/utf8.h"

namespace heed::model {

namespace fs = std::filesystem;

namespace {

constexpr const char* kModelName = "model.safetensors";

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_run_directory(const fs::path& path) {
  return is_folder(path) && (is_there(path / kModelName) || is_there(path / "checkpoint"));
}

// Whether the log of a run says that it is complete.
bool has_ended(const fs::path& run) {
  std::ifstream log(run / "metrics.jsonl");
  bool ended = false;
  for (std::string line; std::getline(log, line);) ended = line.starts_with(R"({"kind":"end")");
  return ended;
}

// The run directories in a directory, such as those of several seeds: "'runs/seed-1' or 'runs/seed-2'"; empty if there
// are none.
std::string models_in(const fs::path& path) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator at(path, error); !error && at != fs::directory_iterator(); at.increment(error))
    if (is_there(at->path() / kModelName)) found.push_back(in_quotes(at->path().string()));
  std::ranges::sort(found);
  const std::size_t more = found.size() - std::min(found.size(), kMost);
  found.resize(found.size() - more);
  return fmt::format("{}{}", fmt::join(found, " or "), more > 0 ? fmt::format(" or one of {} more", more) : "");
}

}  // namespace

std::vector<std::string> model_files(const std::string& path) {
  return {is_folder(path) ? (fs::path(path) / kModelName).string() : path};
}

std::string model_path(const std::string& path) {
  const std::string file = model_files(path).front();
  std::error_code error;
  check<InputError>(fs::status(path, error).type() != fs::file_type::not_found,
                    "there is no model {}; give a model file or the directory of a training run", in_quotes(path));
  if (file == path || is_there(file)) return file;
  const bool is_run = is_run_directory(path);
  check<InputError>(!is_run || !has_ended(path),
                    "the run in {0} is complete, but its {1} is missing; heed train --resume --out {0} writes it again "
                    "if a checkpoint contains it",
                    in_quotes(path), kModelName);
  check<InputError>(!is_run, "the run in {} has no {} yet: training writes it at the first validation, or at its end",
                    in_quotes(path), kModelName);
  if (const std::string models = models_in(path); !models.empty())
    throw InputError("{} is not a model, but a directory of models; give {}", in_quotes(path), models);
  throw InputError("{} is a directory without {}; give a model file or the directory of a training run",
                   in_quotes(path), kModelName);
}

bool is_model(const std::string& path) {
  if (is_folder(path)) return is_run_directory(path);
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  if (path.ends_with(".safetensors")) return true;
  // The length of a JSON object in eight bytes, little-endian, then the object: no text begins like that.
  std::array<char, 9> head{};
  std::ifstream file(path, std::ios::binary);
  return file.read(head.data(), head.size()) && head[8] == '{' && head[4] == 0 && head[5] == 0 && head[6] == 0 &&
         head[7] == 0;
}

std::string model_title(const std::string& path) {
  if (!is_folder(path)) return path;
  const fs::path whole = fs::absolute(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

}  // namespace heed::model
