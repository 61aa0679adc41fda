#include "output_file.h"

#include <sys/stat.h>

#include <cerrno>

#include "base/error.h"
#include "base/system.h"
#include "command.h"

namespace heed::cli {

OutputFile::OutputFile(std::string path, bool at_once) : path_(std::move(path)), compressor_(make_compressor(path_)) {
  if (path_.empty()) return;
  struct stat status {};
  if (!at_once && (::stat(path_.c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
    replaced_.emplace(path_);
  else if ((file_ = std::fopen(path_.c_str(), "wb")) == nullptr)
    fail();
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
}

void OutputFile::fail() const {
  throw InputError("cannot write '{}': {}", path_, system_message(errno));
}

void OutputFile::put(std::string_view bytes) {
  if (replaced_) return replaced_->write(bytes);
  if (file_ == nullptr) return write_output(bytes);
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
}

void OutputFile::compress(std::string_view text, Compressor::End end) {
  packed_.clear();
  compressor_->run(text, end, packed_);
  put(packed_);
}

void OutputFile::write(std::string_view text) {
  compressor_ ? compress(text, Compressor::End::more) : put(text);
}

void OutputFile::flush() {
  if (replaced_) return;
  if (file_ == nullptr) return flush_output();
  if (compressor_) compress({}, Compressor::End::flush);
  if (std::fflush(file_) != 0) fail();
}

void OutputFile::commit() {
  if (compressor_) compress({}, Compressor::End::finish);
  if (replaced_) return replaced_->commit();
  if (file_ != nullptr && std::fflush(file_) != 0) fail();
}

}  // namespace heed::cli
