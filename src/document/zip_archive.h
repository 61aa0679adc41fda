// Reads and rewrites the zip archives of office documents: entries are copied as they are, or replaced. Const functions
// are thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"

namespace heed::document {

class ZipArchive {
 public:
  struct Entry {
    std::string name;
    std::uint16_t version = 20, flags = 0, method = 0;
    std::uint32_t time = 0, crc = 0;  // time and date as MS-DOS writes them
    std::uint64_t packed = 0, size = 0, offset = 0;
    std::string extra, comment;
    std::uint16_t version_by = 20, internal = 0;
    std::uint32_t external = 0;
    bool encrypted() const { return (flags & 1) != 0; }
  };

  // Reads the whole input. InputError unless it is a complete zip archive of at most kMaxArchive bytes. `kind` is the
  // expected document format, for error messages.
  ZipArchive(ByteSource& input, std::string_view kind);

  const std::vector<Entry>& entries() const { return entries_; }
  // Null if there is none.
  const Entry* find(std::string_view name) const;
  // The uncompressed content. InputError if it is encrypted, damaged or larger than kMaxContent bytes.
  std::string read(const Entry& entry) const;

  // Writes the archive with the entries in the same order. `change` either returns false, and the entry is copied, or
  // sets `content` and returns true.
  using Change = std::function<bool(const Entry& entry, std::string& content)>;
  void write(const std::function<void(std::string_view)>& write, const Change& change) const;

  static constexpr std::size_t kMaxArchive = std::size_t{1} << 30, kMaxContent = std::size_t{256} << 20;

 private:
  void read_directory();
  std::size_t find_directory(std::size_t& count) const;
  std::string_view packed_data(const Entry& entry) const;
  [[noreturn]] void fail(std::string_view what) const;

  std::string name_, bytes_;
  std::vector<Entry> entries_;
};

}  // namespace heed::document
