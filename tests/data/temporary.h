// A directory for the files of one test, removed with everything in it.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

#include "support/files.h"

namespace heed {

class TemporaryDirectory : testing::TemporaryDirectory {
 public:
  std::string path(const std::string& name = ".") const { return file(name); }
  std::string write(const std::string& name, std::string_view text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
};

}  // namespace heed
