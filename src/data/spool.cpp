#include "data/spool.h"

#include <unistd.h>

#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/system.h"

namespace heed::data {
namespace {

std::string temporary_directory() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::temp_directory_path(error);
  check<InputError>(
      !error, "there is no directory for temporary files; set TMPDIR to one that exists and that you may write to");
  return path.string();
}

}  // namespace

SpooledCorpus::SpooledCorpus(CorpusFiles files, const std::string& directory) : files_(std::move(files)) {
  files_.check();
  if (!files_.reads_standard_input()) return;
  copy_ = std::make_unique<ScratchFile>(directory.empty() ? temporary_directory() : directory);
  std::vector<char> buffer(1 << 16);
  while (const std::size_t size = read_some(STDIN_FILENO, buffer.data(), buffer.size(), "standard input"))
    copy_->write(std::as_bytes(std::span(buffer).first(size)));
  copy_->flush();
  for (CorpusPart& part : files_.parts)
    for (std::string* path : {&part.source, &part.target, &part.file})
      if (*path == "-") *path = copy_->path();
}

}  // namespace heed::data
