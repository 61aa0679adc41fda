// Real data that is not part of the project; tests that need it are skipped if it is missing.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"

namespace heed {

inline std::string shared_data(const std::string& file) {
  const char* root = std::getenv("HEED_SHARED");
  return std::string(root ? root : "../shared") + "/data/" + file;
}

inline std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  LineReader reader(path);
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

}  // namespace heed

#define HEED_NEEDS(path) \
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "needs " << (path) << ", which is missing"
