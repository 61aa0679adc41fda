#include "base/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/system.h"

namespace heed::inline base {

std::string system_message(int error) {
  return std::generic_category().message(error);
}

Descriptor open_for_reading(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw InputError("cannot read '{}': {}", path, system_message(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw InputError("cannot read '{}': {}", path, system_message(errno));
  if (S_ISDIR(status.st_mode)) throw InputError("cannot read '{}': it is a directory, not a file", path);
  return file;
}

std::size_t read_some(int descriptor, char* to, std::size_t size, std::string_view name) {
  for (;;) {
    const ssize_t got = ::read(descriptor, to, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw InputError("cannot read '{}': {}", name, system_message(errno));
  }
}

std::string read_file(const std::string& path) {
  const Descriptor file = open_for_reading(path);
  struct stat status {};
  std::string text;
  // The size is only a hint: it is 0 for pipes and in /proc, and a file may grow while it is read.
  if (::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode))
    text.resize(static_cast<std::size_t>(status.st_size));
  std::size_t filled = 0;
  for (;;) {
    if (filled == text.size()) text.resize(text.size() + 65536);
    const std::size_t got = read_some(file.get(), text.data() + filled, text.size() - filled, path);
    if (got == 0) break;
    filled += got;
  }
  text.resize(filled);
  return text;
}

void make_directories(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && !std::filesystem::is_directory(path, error) && !error) error.assign(ENOTDIR, std::generic_category());
  if (error) throw InputError("cannot create the directory '{}': {}", path, error.message());
}

void release_pages(std::span<const std::byte> mapped) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto from = reinterpret_cast<std::uintptr_t>(mapped.data());
  const std::uintptr_t begin = (from + page - 1) / page * page, end = (from + mapped.size()) / page * page;
  if (end > begin) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

static std::int64_t modification_time(const struct stat& status) {
  return std::int64_t{1'000'000'000} * status.st_mtim.tv_sec + status.st_mtim.tv_nsec;
}

MappedFile::MappedFile(const std::string& path) {
  Descriptor file = open_for_reading(path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw InputError("cannot read '{}': {}", path, system_message(errno));
  if (!S_ISREG(status.st_mode)) throw InputError("cannot map '{}': it is a pipe or a device, not a file", path);
  size_ = static_cast<std::size_t>(status.st_size);
  written_ = modification_time(status);
  if (size_ == 0) return;
  void* data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) throw InputError("cannot map '{}': {}", path, system_message(errno));
  data_ = data;
  descriptor_ = file.release();
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool MappedFile::changed() const {
  struct stat status {};
  return descriptor_ >= 0 && (::fstat(descriptor_, &status) != 0 || static_cast<std::size_t>(status.st_size) != size_ ||
                              modification_time(status) != written_);
}

namespace {

constexpr std::size_t kWriteBuffer = 1 << 16;

std::string follow_links(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const auto target = std::filesystem::weakly_canonical(path, error);
  return error ? path : target.string();
}

// Each file of each process has a unique name; the umask sets the permissions, as for any new file.
std::pair<int, std::string> open_temporary(const std::filesystem::path& target) {
  static std::atomic<unsigned> counter{0};
  for (;;) {
    const auto name = target.parent_path() / fmt::format(".heed-{}-{}.tmp", ::getpid(), counter++);
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return {descriptor, name.string()};
  }
}

std::string_view write_hint(int error) {
  if (error == ENOSPC || error == EDQUOT) return "; free some space or write elsewhere";
  if (error == EACCES || error == EPERM || error == EROFS) return "; choose a directory that you may write to";
  return error == ENOENT ? "; create the directory first" : "";
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(follow_links(path_)) {
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw InputError("cannot write '{}': it is a directory, not a file", path_);
  if (path_.empty() || path_.back() == '/') throw InputError("cannot write '{}': this is not a file name", path_);
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  auto [descriptor, name] = open_temporary(target_);
  if (descriptor < 0) fail(errno);
  descriptor_ = descriptor;
  temporary_ = std::move(name);
  // A replaced file keeps its permissions; if the file system has none, the write still succeeds.
  if (exists && ::fchmod(descriptor_, status.st_mode & 07777) != 0) errno = 0;
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(int error) const {
  throw InputError("cannot write '{}': {}{}", path_, system_message(error), write_hint(error));
}

void AtomicFile::write(std::string_view bytes) {
  if (descriptor_ < 0) throw InternalError("'{}' was written to after it was committed", path_);
  if (buffer_.size() + bytes.size() < kWriteBuffer) {
    buffer_ += bytes;
    return;
  }
  write_through(buffer_);
  buffer_.clear();
  write_through(bytes);  // a tensor of gigabytes is not copied first
}

void AtomicFile::write_through(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(descriptor_, bytes.data(), bytes.size());
    if (wrote >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(wrote));
    else if (errno != EINTR)
      fail(errno);
  }
}

void AtomicFile::commit() {
  if (descriptor_ < 0) throw InternalError("'{}' was committed twice", path_);
  write_through(buffer_);
  if (!temporary_.empty() && ::fsync(descriptor_) != 0) fail(errno);
  const bool closed = ::close(std::exchange(descriptor_, -1)) == 0, renames = !temporary_.empty();
  if (!closed || (renames && ::rename(temporary_.c_str(), target_.c_str()) != 0)) {
    const int error = errno;
    if (renames) ::unlink(temporary_.c_str());
    fail(error);
  }
  if (!renames) return;
  // The rename itself must survive a power failure. Some file systems cannot sync a directory; the data is safe anyway.
  const auto directory = std::filesystem::path(target_).parent_path();
  const Descriptor opened(::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() >= 0 && ::fsync(opened.get()) != 0 && errno == EIO) fail(EIO);
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace heed::base
