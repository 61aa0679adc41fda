#include "base/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/system.h"

namespace heed::inline base {

std::string system_message(int error) {
  return std::generic_category().message(error);
}

std::string descriptor_path(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

std::string input_name(const std::string& path) {
  return path == "-" || path.starts_with("/proc/self/fd/") ? "standard input" : path;
}

Descriptor open_for_reading(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw InputError("cannot read '{}': {}", path, system_message(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw InputError("cannot read '{}': {}", path, system_message(errno));
  if (S_ISDIR(status.st_mode)) throw InputError("cannot read '{}': it is a directory, not a file", path);
  return file;
}

Descriptor open_own_file(const std::string& path, int flags) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags, 0666));
  if (file.get() < 0 && errno == ELOOP) throw InputError("cannot write '{}': it is a symbolic link; remove it", path);
  if (file.get() < 0) throw InputError("cannot write '{}': {}", path, system_message(errno));
  return file;
}

int write_all(int descriptor, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written > 0)
      bytes.remove_prefix(static_cast<std::size_t>(written));
    else if (written == 0 || errno != EINTR)
      return written == 0 ? EIO : errno;
  }
  return 0;
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
  if (!error) return;
  std::error_code ignored;
  for (std::filesystem::path part = path; part != part.parent_path(); part = part.parent_path())
    if (std::filesystem::exists(part, ignored) && !std::filesystem::is_directory(part, ignored))
      throw InputError("cannot create the directory '{}': '{}' is a file; choose another name", path, part.string());
  throw InputError("cannot create the directory '{}': {}", path, error.message());
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

constexpr std::string_view kTemporaryPrefix = ".heed-", kTemporarySuffix = ".tmp";

std::string directory_of(const std::string& file) {
  const auto directory = std::filesystem::path(file).parent_path();
  return directory.empty() ? "." : directory.string();
}

// A path in the target's directory that no other process uses.
std::string temporary_name(const std::string& target) {
  static std::atomic<unsigned> counter{0};
  const auto name = fmt::format("{}{}-{}{}", kTemporaryPrefix, ::getpid(), counter++, kTemporarySuffix);
  return (std::filesystem::path(target).parent_path() / name).string();
}

// Opens a new file in the target's directory; returns its descriptor and its name, which is empty if it has none. The
// umask sets the permissions, as for any new file. The lock says that a process is writing to it: see
// remove_stale_files().
std::pair<int, std::string> open_temporary(const std::string& target) {
  Descriptor nameless(::open(directory_of(target).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666));
  if (nameless.get() >= 0 && ::access(descriptor_path(nameless.get()).c_str(), F_OK) == 0) {
    ::flock(nameless.get(), LOCK_EX | LOCK_NB);
    return {nameless.release(), ""};
  }
  for (;;) {
    std::string name = temporary_name(target);
    Descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.get() < 0 && errno == EEXIST) continue;
    if (file.get() < 0) return {-1, ""};
    // Another process may have mistaken the new file for a stale one and removed it; without locks it cannot have.
    struct stat status {};
    const bool taken = ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!taken && (::fstat(file.get(), &status) != 0 || status.st_nlink > 0)) return {file.release(), std::move(name)};
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
    replaces_ = false;
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  std::tie(descriptor_, temporary_) = open_temporary(target_);
  if (descriptor_ < 0) fail(errno);
  // A replaced file keeps its permissions; if the file system has none, the write still succeeds.
  if (exists && ::fchmod(descriptor_, status.st_mode & 07777) != 0) errno = 0;
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  ::close(descriptor_);
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
  if (const int error = write_all(descriptor_, bytes); error != 0) fail(error);
}

// Gives the temporary file the target's name; returns 0 or an errno value.
int AtomicFile::give_name() {
  while (temporary_.empty()) {
    std::string name = temporary_name(target_);
    const std::string own = descriptor_path(descriptor_);
    if (::linkat(AT_FDCWD, own.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0)
      temporary_ = std::move(name);
    else if (errno != EEXIST)
      return errno;
  }
  return ::rename(temporary_.c_str(), target_.c_str()) == 0 ? 0 : errno;
}

void AtomicFile::commit() {
  if (descriptor_ < 0) throw InternalError("'{}' was committed twice", path_);
  write_through(buffer_);
  if (replaces_) {
    if (::fsync(descriptor_) != 0) fail(errno);
    if (const int error = give_name(); error != 0) fail(error);
    temporary_.clear();
  }
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) fail(errno);
  if (!replaces_) return;
  // The rename itself must survive a power failure. Some file systems cannot sync a directory; the data is safe anyway.
  const Descriptor opened(::open(directory_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() >= 0 && ::fsync(opened.get()) != 0 && errno == EIO) fail(EIO);
}

bool is_temporary_file(std::string_view name) {
  return name.starts_with(kTemporaryPrefix) && name.ends_with(kTemporarySuffix);
}

void remove_stale_files(const std::string& directory) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!is_temporary_file(entry->path().filename().string())) continue;
    const Descriptor file(::open(entry->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.get() >= 0 && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(entry->path().c_str());
  }
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace heed::base
