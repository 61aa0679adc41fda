#include "data/scratch_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/error.h"
#include "base/system.h"

namespace heed::data {

ScratchFile::ScratchFile(const std::string& directory) : directory_(directory) {
  constexpr std::string_view kSuffix = ".tmp";
  std::string name = fmt::format("{}/.heed-XXXXXX{}", directory, kSuffix);
  Descriptor descriptor(::mkostemps(name.data(), static_cast<int>(kSuffix.size()), O_CLOEXEC));
  if (descriptor.get() < 0) fail(errno);
  ::unlink(name.c_str());
  file_ = ::fdopen(descriptor.get(), "w+");
  if (file_ == nullptr) fail(errno);
  descriptor.release();
}

ScratchFile::~ScratchFile() {
  if (!mapped_.empty()) ::munmap(mapped_.data(), mapped_.size());
  if (file_ != nullptr) std::fclose(file_);
}

void ScratchFile::fail(int error) const {
  throw InputError("cannot write a temporary file in '{}': {}", directory_, system_message(error));
}

void ScratchFile::write(std::span<const std::byte> bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail(errno);
}

void ScratchFile::flush() {
  if (std::fflush(file_) != 0) fail(errno);
}

std::string ScratchFile::path() const {
  return descriptor_path(::fileno(file_));
}

std::span<const std::byte> ScratchFile::map() {
  flush();
  const auto size = static_cast<std::size_t>(::lseek(::fileno(file_), 0, SEEK_END));
  if (size == 0) return {};
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, ::fileno(file_), 0);
  if (data == MAP_FAILED) fail(errno);
  mapped_ = {static_cast<std::byte*>(data), size};
  return mapped_;
}

}  // namespace heed::data
