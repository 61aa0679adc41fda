// Directories of the tests: golden files, shared data that may be missing, and temporary directories.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace heed::testing {

// Tests run from the repository's root (see heed_tests in cmake/modules.cmake).
inline std::filesystem::path golden_directory() {
  return "tests/model/golden";
}

// The .safetensors files of a directory whose names do not begin with `without`, sorted.
inline std::vector<std::string> golden_files(const std::filesystem::path& directory,
                                             const std::string& without = "trajectory") {
  std::vector<std::string> files;
  if (!std::filesystem::exists(directory)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().extension() == ".safetensors" && !entry.path().filename().string().starts_with(without))
      files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

// Shared data: $HEED_SHARED, or ../shared beside the repository.
inline std::filesystem::path shared_directory() {
  const char* set = std::getenv("HEED_SHARED");
  return set != nullptr ? std::filesystem::path(set) : std::filesystem::path("../shared");
}

// A new temporary directory, removed by the destructor.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "heed-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace heed::testing
