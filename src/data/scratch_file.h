// A temporary file without a name: written once, then mapped. It disappears however the process ends.
#pragma once

#include <cstdio>
#include <span>
#include <string>

namespace heed::data {

class ScratchFile {
 public:
  // Creates the file in `directory`, not in the system's temporary directory, which may be in memory (tmpfs).
  // InputError if it cannot be created.
  explicit ScratchFile(const std::string& directory);
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();

  // InputError if the disk is full.
  void write(std::span<const std::byte> bytes);
  // Makes everything written so far readable through path(). InputError if the disk is full.
  void flush();
  // A name under which this process can open the file for reading.
  std::string path() const;
  // Everything written so far, valid as long as this object. write() must not be called afterwards.
  std::span<const std::byte> map();

 private:
  [[noreturn]] void fail(int error) const;

  std::string directory_;
  std::FILE* file_ = nullptr;
  std::span<std::byte> mapped_;
};

}  // namespace heed::data
