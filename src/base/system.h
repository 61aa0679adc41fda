// Small wrappers around system calls that several files use.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace heed::inline base {

// Owns a file descriptor; -1: none.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int get() const { return value_; }
  // The caller must close the returned descriptor.
  int release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

// The system's message for an errno value.
std::string system_message(int error);

// Whether the process can allocate this many more bytes. For use before calls to a library that crashes if memory runs
// out.
bool has_memory(std::size_t bytes);

// A path to the open file of a descriptor of this process, even if the file has no name.
std::string descriptor_path(int descriptor);
// For messages: "standard input" for "-" and for a descriptor_path(), which leads to a copy of it (data/spool.h);
// otherwise the path.
std::string input_name(const std::string& path);

// Opens anything but a directory; InputError with the path on failure.
Descriptor open_for_reading(const std::string& path);

// Opens a file of heed's own for writing, and creates it if there is none; `flags` are added. A symbolic link in its
// place is not followed: it could lead to a file that is not heed's. InputError with the path on failure.
Descriptor open_own_file(const std::string& path, int flags = 0);

// Writes all bytes, resuming after interruptions; returns 0, or the errno value of the failure.
int write_all(int descriptor, std::string_view bytes) noexcept;

// Reads up to `size` bytes and returns how many were read, 0 only at the end; InputError with `name` on failure.
std::size_t read_some(int descriptor, char* to, std::size_t size, std::string_view name);

}  // namespace heed::base
