// Files: read whole, mapped or line by line, and written so that a reader never sees a partial file.
// Every failure is an InputError with the path and the system's reason. An object is used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/encoding.h"

namespace heed::inline base {

class ByteSource;

// The contents of a regular file, pipe or device.
std::string read_file(const std::string& path);

// Creates a directory and its parents; does nothing if it exists.
void make_directories(const std::string& path);

// Releases the memory of the whole pages within a part of a mapped file; they are read again when needed.
void release_pages(std::span<const std::byte> mapped);

// A regular file mapped read-only. The views live as long as the object; the file must not shrink meanwhile (replacing
// it by renaming, as AtomicFile does, is safe).
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }
  // Whether the file was written to since it was mapped.
  bool changed() const;

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
  std::int64_t written_ = 0;  // modification time in nanoseconds
  int descriptor_ = -1;
};

// A file that gets its name only when commit() has put every byte on the disk: written to a temporary file in the same
// directory, synced, renamed, directory synced. Without commit() the temporary file disappears, and an existing file
// stays as it was. If the file system allows it, the temporary file has no name before commit(), so that even a killed
// process leaves nothing behind. A symbolic link is followed; a pipe or device is written to directly.
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
  int give_name();
  [[noreturn]] void fail(int error) const;

  std::string path_;       // as the user wrote it, for messages
  std::string target_;     // with symbolic links followed
  std::string temporary_;  // its name, empty if it has none
  bool replaces_ = true;   // false: a pipe or device is written to directly
  std::string buffer_;
  int descriptor_ = -1;
};

void write_file_atomically(const std::string& path, std::string_view bytes);

// Whether this name, without its directory, is one that heed gives to temporary files.
bool is_temporary_file(std::string_view name);
// Removes the temporary files that killed processes left in a directory, but not those that a process is writing.
void remove_stale_files(const std::string& directory);

// Lines of a text file, or of standard input if the path is "-": plain, gzip, zstd or xz, in any encoding that
// ByteSource reads, returned as UTF-8. Only LF and CRLF end a line (other Unicode line ends, lone CR and NUL are
// content); the last line needs no line end. A byte-order mark at the start is removed. Reads ahead a bounded amount; a
// line of more than kMaxLine bytes is an error.
class LineReader {
 public:
  // Far more than a sentence or a paragraph, and little enough that its tokens, up to a hundred times as large, fit
  // into memory.
  static constexpr std::size_t kMaxLine = std::size_t{16} << 20;

  explicit LineReader(const std::string& path, Encoding encoding = Encoding::detect);
  explicit LineReader(std::unique_ptr<ByteSource> source);
  ~LineReader();

  // Puts the next line, without its line end, into `line`; false at the end of the file.
  bool next(std::string& line);
  // Whether next() has a whole line in memory and will not wait for the file or pipe.
  bool has_line() const;
  // The number of the line that next() read last, counted from 1.
  std::int64_t line_number() const { return line_number_; }
  // For messages: the path, or "standard input".
  const std::string& name() const;
  // ByteSource::note() and encoding(), so far.
  const std::string& note() const;
  Encoding encoding() const;

 private:
  std::unique_ptr<ByteSource> source_;
  std::int64_t line_number_ = 0;
};

}  // namespace heed::base
