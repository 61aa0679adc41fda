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

// Replaces a file only at commit(), so that a failure leaves it as it was. With `at_once`, and for pipes and devices,
// text is written as it comes. InputError on failure.
class OutputFile {
 public:
  // An empty path is standard output.
  OutputFile(std::string path, bool at_once);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view text);
  void flush();
  // Completes the output. If needs_commit(), the file is unchanged until then, and stays so without it.
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
