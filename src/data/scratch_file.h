// A temporary file without a name: written once, then mapped. Nothing is left behind, however the process ends.
#pragma once

#include <cstdio>
#include <span>
#include <string>

namespace heed::data {

class ScratchFile {
 public:
  // In that directory, since the system's own for temporary files may lie in memory. InputError if it cannot be made.
  explicit ScratchFile(const std::string& directory);
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();

  // InputError if the disk is full.
  void write(std::span<const std::byte> bytes);
  // Everything that was written, as long as this object lives. Nothing may be written any more.
  std::span<const std::byte> map();

 private:
  [[noreturn]] void fail(int error) const;

  std::string directory_;
  std::FILE* file_ = nullptr;
  std::span<std::byte> mapped_;
};

}  // namespace heed::data
