#include "shards/digest.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/checksum.h"
#include "base/error.h"
#include "base/system.h"

namespace heed::shards {
namespace {

constexpr std::size_t kPart = 1 << 20, kParts = 64;

std::string text_of(const Xxh64& digest) {
  return "xxh64:" + hex_digest(digest.digest());
}

void add(Xxh64& digest, int file, const std::string& path, std::size_t bytes, std::string& buffer) {
  buffer.resize(kPart);
  while (bytes > 0) {
    const std::size_t got = read_some(file, buffer.data(), std::min(bytes, kPart), path);
    if (got == 0) return;
    digest.update(std::string_view(buffer.data(), got));
    bytes -= got;
  }
}

}  // namespace

std::string digest_of(std::string_view text) {
  Xxh64 digest;
  digest.update(text);
  return text_of(digest);
}

std::string digest_of_file(const std::string& path) {
  const Descriptor file = open_for_reading(path);
  Xxh64 digest;
  std::string buffer;
  add(digest, file.get(), path, static_cast<std::size_t>(-1), buffer);
  return text_of(digest);
}

std::string sampled_digest_of_file(const std::string& path) {
  const Descriptor file = open_for_reading(path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw InputError("cannot read '{}': {}", path, system_message(errno));
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size <= kPart * kParts) return digest_of_file(path);
  Xxh64 digest;
  digest.update(std::to_string(size));
  std::string buffer;
  for (std::size_t i = 0; i < kParts; ++i) {  // the first and the last are the ends of the file
    ::lseek(file.get(), static_cast<off_t>((size - kPart) / (kParts - 1) * i), SEEK_SET);
    if (i + 1 == kParts) ::lseek(file.get(), -static_cast<off_t>(kPart), SEEK_END);
    add(digest, file.get(), path, kPart, buffer);
  }
  return text_of(digest);
}

}  // namespace heed::shards
