#include "document/zip_archive.h"

#include <algorithm>
#include <set>

#include "base/deflate.h"
#include "base/error.h"
#include "base/utf8.h"

namespace heed::document {

namespace {

constexpr std::uint32_t kLocalHeader = 0x04034B50, kCentralHeader = 0x02014B50, kEndOfDirectory = 0x06054B50;
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22;
constexpr std::uint16_t kStored = 0, kDeflated = 8;
constexpr std::size_t kMaxEntries = 20000;

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// Reads the fields of a record one after the other. The record must be long enough.
class ZipFields {
 public:
  explicit ZipFields(std::string_view bytes) : bytes_(bytes) {}
  std::uint16_t two() { return static_cast<std::uint16_t>(little_endian(take(2))); }
  std::uint32_t four() { return static_cast<std::uint32_t>(little_endian(take(4))); }
  std::string_view take(std::size_t size) {
    const std::string_view part = bytes_.substr(0, size);
    bytes_.remove_prefix(std::min(size, bytes_.size()));
    return part;
  }

 private:
  std::string_view bytes_;
};

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

// The extra fields without those of zip64, whose values go to `sizes` if it is not null.
std::string without_zip64(std::string_view extra, ZipArchive::Entry* sizes) {
  constexpr std::uint32_t kInExtra = 0xFFFFFFFF;
  std::string rest;
  while (extra.size() >= 4) {
    const std::size_t size = 4 + static_cast<std::size_t>(little_endian(extra.substr(2, 2)));
    if (size > extra.size()) break;
    if (little_endian(extra.substr(0, 2)) != 1) {
      rest += extra.substr(0, size);
    } else if (sizes != nullptr) {
      std::string_view values = extra.substr(4, size - 4);
      for (std::uint64_t* value : {&sizes->size, &sizes->packed, &sizes->offset})
        if (*value == kInExtra && values.size() >= 8) {
          *value = little_endian(values.substr(0, 8));
          values.remove_prefix(8);
        }
    }
    extra.remove_prefix(size);
  }
  return rest;
}

// Writes the fields that the local header and the central directory have in common, after the versions.
void put_entry(std::string& out, const ZipArchive::Entry& entry) {
  put(out, entry.flags, 2);
  put(out, entry.method, 2);
  put(out, entry.time, 4);
  put(out, entry.crc, 4);
  put(out, entry.packed, 4);
  put(out, entry.size, 4);
  put(out, entry.name.size(), 2);
}

}  // namespace

ZipArchive::ZipArchive(ByteSource& input, std::string_view kind) : name_(input.name()) {
  input.set_encoding(Encoding::utf8);  // the bytes as they are
  for (std::string_view chunk; !(chunk = input.peek()).empty(); input.skip(chunk.size())) {
    check<InputError>(bytes_.size() + chunk.size() <= kMaxArchive, "'{}' is larger than 1 GiB, the limit for a {} file",
                      name_, kind);
    bytes_ += chunk;
  }
  check<InputError>(!bytes_.starts_with("\xD0\xCF\x11\xE0"),
                    "'{}' is protected by a password or in an old format; save it as {} without a password", name_,
                    kind);
  check<InputError>(bytes_.starts_with("PK\3\4"), "'{}' is not in the format {}: it is not a zip archive", name_, kind);
  read_directory();
}

void ZipArchive::fail(std::string_view what) const {
  throw InputError("'{}' is damaged: {}; copy or download it again", name_, what);
}

// The position of the central directory; sets `count` to the number of its entries.
std::size_t ZipArchive::find_directory(std::size_t& count) const {
  constexpr std::size_t kMaxComment = 0xFFFF;
  if (bytes_.size() < kEndSize) fail("the zip archive is truncated");
  const std::size_t lowest = bytes_.size() - std::min(bytes_.size(), kEndSize + kMaxComment);
  const std::size_t at = bytes_.rfind("PK\5\6", bytes_.size() - kEndSize);
  if (at == bytes_.npos || at < lowest) fail("the zip archive is truncated");
  ZipFields fields(std::string_view(bytes_).substr(at + 8));
  fields.take(2);
  count = fields.two();
  const std::size_t size = fields.four(), start = fields.four();
  if (start > at || size > at - start) fail("the directory of the zip archive lies outside of it");
  return start;
}

void ZipArchive::read_directory() {
  std::size_t count = 0, at = find_directory(count);
  check<InputError>(count <= kMaxEntries, "'{}' has {} files in its zip archive, more than the {} that heed reads",
                    name_, count, kMaxEntries);
  std::set<std::string_view> names;
  std::uint64_t packed = 0;
  entries_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view rest = std::string_view(bytes_).substr(at);
    if (rest.size() < kCentralSize || little_endian(rest.substr(0, 4)) != kCentralHeader)
      fail("the directory of the zip archive is incomplete");
    ZipFields fields(rest.substr(4));
    Entry entry;
    entry.version_by = fields.two();
    entry.version = fields.two();
    entry.flags = fields.two();
    entry.method = fields.two();
    entry.time = fields.four();
    entry.crc = fields.four();
    entry.packed = fields.four();
    entry.size = fields.four();
    const std::size_t name = fields.two(), extra = fields.two(), comment = fields.two();
    fields.take(2);  // the number of a floppy disk
    entry.internal = fields.two();
    entry.external = fields.four();
    entry.offset = fields.four();
    if (rest.size() < kCentralSize + name + extra + comment) fail("the directory of the zip archive is incomplete");
    entry.name = fields.take(name);
    entry.extra = without_zip64(fields.take(extra), &entry);
    entry.comment = fields.take(comment);
    if (entry.packed > bytes_.size() || entry.offset > bytes_.size()) fail("an entry lies outside of the zip archive");
    packed_data(entry);
    packed += entry.packed;
    if (packed > bytes_.size()) fail("entries of its zip archive overlap");
    entries_.push_back(std::move(entry));
    if (!names.insert(entries_.back().name).second)
      fail(fmt::format("its zip archive has two files named {}", in_quotes(entries_.back().name)));
    at += kCentralSize + name + extra + comment;
  }
}

const ZipArchive::Entry* ZipArchive::find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &Entry::name);
  return found == entries_.end() ? nullptr : &*found;
}

std::string_view ZipArchive::packed_data(const Entry& entry) const {
  const std::string_view rest = std::string_view(bytes_).substr(entry.offset);
  if (rest.size() < kLocalSize || little_endian(rest.substr(0, 4)) != kLocalHeader)
    fail(fmt::format("{} is missing in its zip archive", in_quotes(entry.name)));
  const std::size_t start = kLocalSize + static_cast<std::size_t>(little_endian(rest.substr(26, 2))) +
                            static_cast<std::size_t>(little_endian(rest.substr(28, 2)));
  if (start > rest.size() || entry.packed > rest.size() - start)
    fail(fmt::format("{} is truncated in its zip archive", in_quotes(entry.name)));
  return rest.substr(start, entry.packed);
}

std::string ZipArchive::read(const Entry& entry) const {
  check<InputError>(!entry.encrypted(), "'{}' is protected by a password; save it without one", name_);
  check<InputError>(
      entry.method == kStored || entry.method == kDeflated,
      "'{}': {} is compressed in a way that heed does not read (method {}); save it again with an office program",
      name_, in_quotes(entry.name), entry.method);
  check<InputError>(entry.size <= kMaxContent, "'{}': {} has more than {} MiB, the most that heed reads", name_,
                    in_quotes(entry.name), kMaxContent >> 20);
  const std::string_view packed = packed_data(entry);
  std::string content;
  // Never unpacks more than the declared size, which may be a lie.
  const bool good = entry.method == kStored ? (content = packed, true) : inflate_bytes(packed, content, entry.size);
  if (!good || content.size() != entry.size || crc32_of(content) != entry.crc)
    fail(fmt::format("{} in its zip archive has the wrong size or checksum", in_quotes(entry.name)));
  return content;
}

void ZipArchive::write(const std::function<void(std::string_view)>& write, const Change& change) const {
  constexpr std::uint16_t kSizesFollow = 8;
  std::string directory;
  std::uint64_t offset = 0;
  for (Entry entry : entries_) {
    std::string content, packed;
    std::string_view data = packed_data(entry);
    const std::size_t header = static_cast<std::size_t>(entry.offset);
    const std::string_view local = std::string_view(bytes_).substr(header, kLocalSize);
    const std::size_t name = little_endian(local.substr(26, 2)), extra = little_endian(local.substr(28, 2));
    const std::string local_extra =
        without_zip64(std::string_view(bytes_).substr(header + kLocalSize + name, extra), nullptr);
    if (change(entry, content)) {
      packed = entry.method == kStored ? content : deflate_bytes(content);
      data = packed;
      entry.crc = crc32_of(content);
      entry.size = content.size();
      entry.packed = data.size();
    }
    entry.flags &= static_cast<std::uint16_t>(~kSizesFollow);
    std::string out;
    put(out, kLocalHeader, 4);
    put(out, entry.version, 2);
    put_entry(out, entry);
    put(out, local_extra.size(), 2);
    (out += entry.name) += local_extra;
    write(out);
    write(data);
    put(directory, kCentralHeader, 4);
    put(directory, entry.version_by, 2);
    put(directory, entry.version, 2);
    put_entry(directory, entry);
    put(directory, entry.extra.size(), 2);
    put(directory, entry.comment.size(), 2);
    put(directory, 0, 2);
    put(directory, entry.internal, 2);
    put(directory, entry.external, 4);
    put(directory, offset, 4);
    ((directory += entry.name) += entry.extra) += entry.comment;
    offset += out.size() + data.size();
  }
  check<InputError>(offset + directory.size() < 0xFFFFFFFF, "'{}' would get larger than 4 GiB", name_);
  const std::size_t size = directory.size();
  put(directory, kEndOfDirectory, 4);
  put(directory, 0, 4);
  put(directory, entries_.size(), 2);
  put(directory, entries_.size(), 2);
  put(directory, size, 4);
  put(directory, offset, 4);
  put(directory, 0, 2);
  write(directory);
}

}  // namespace heed::document
