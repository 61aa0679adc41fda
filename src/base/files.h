// Files: whole, mapped, line by line (plain or gzip), and written so that a reader never meets half a file.
// Every failure is an InputError that names the path and the system's reason. Objects are owned by one thread at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace heed::inline base {

// The whole file. Works for regular files, pipes and devices.
std::string read_file(const std::string& path);

// Makes a directory and the ones above it; fine if it is there already.
void make_directories(const std::string& path);

// Lets go of the whole pages within a part of a mapped file, which count as this process's memory until then; they are
// read again when needed.
void release_pages(std::span<const std::byte> mapped);

// A regular file mapped read-only. The views live as long as the object; the file must not shrink meanwhile (files that
// are replaced by renaming, as AtomicFile does, never do). An empty file is an empty view.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }
  std::string_view text() const { return {static_cast<const char*>(data_), size_}; }
  std::size_t size() const { return size_; }
  // Whether the file was written to or shortened since it was mapped.
  bool changed() const;

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
  std::int64_t written_ = 0;  // when it was written last, in nanoseconds
  int descriptor_ = -1;
};

// A file that appears under its name only when commit() has put every byte on the disk: written to a temporary name in
// the same directory, synced, renamed, directory synced. Without commit() the destructor removes the temporary, and
// what was under the name before stays as it was. A symbolic link is followed; a pipe or device is written to directly.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::string_view bytes);
  void write(std::span<const std::byte> bytes) {
    write(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  void commit();

 private:
  void write_through(std::string_view bytes);
  [[noreturn]] void fail(int error) const;

  std::string path_;       // as the user wrote it, for messages
  std::string target_;     // with symbolic links followed
  std::string temporary_;  // empty: written to directly
  std::string buffer_;
  int descriptor_ = -1;
};

void write_file_atomically(const std::string& path, std::string_view bytes);

// Lines of a text file, or of standard input if the path is "-". Gzip is known by its first bytes, whatever the
// name. Only LF and CRLF end a line (other Unicode line ends, lone CR and NUL are content); the last line may lack its
// end. A byte-order mark at the start is removed. Reads ahead a bounded amount; a line of more than 1 GiB is an error.
class LineReader {
 public:
  explicit LineReader(const std::string& path);
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  ~LineReader();

  // Puts the next line, without its end, into `line`; false at the end of the file.
  bool next(std::string& line);
  // Whether a whole line waits in memory: next() gives it without waiting for the file or pipe.
  bool has_line() const;
  // The number of the line that next() gave last, counted from 1.
  std::int64_t line_number() const { return line_number_; }
  // For messages: the path, or "standard input".
  const std::string& name() const { return name_; }

 private:
  class Source;
  std::string name_;
  std::unique_ptr<Source> source_;
  std::int64_t line_number_ = 0;
};

}  // namespace heed::base
