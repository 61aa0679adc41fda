// Where a command writes its result: standard output, or a file, compressed if its name ends in .gz, .zst or .xz.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/compress.h"
#include "base/files.h"

namespace heed::cli {

// A file keeps what it holds until commit(), unless each line is to be seen at once or it is a pipe or a device.
// InputError on failure.
class OutputFile {
 public:
  // An empty path is standard output.
  OutputFile(std::string path, bool at_once);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view text);
  void flush();
  // Ends the file; the destructor without it leaves an existing file as it was, if needs_commit().
  void commit();
  bool needs_commit() const { return replaced_.has_value(); }

 private:
  void compress(std::string_view text, Compressor::End end);
  void put(std::string_view bytes);
  [[noreturn]] void fail() const;

  std::string path_;
  std::unique_ptr<Compressor> compressor_;
  std::string packed_;
  std::optional<AtomicFile> replaced_;
  std::FILE* file_ = nullptr;
};

}  // namespace heed::cli
