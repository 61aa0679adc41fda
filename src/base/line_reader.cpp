#include <fcntl.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/system.h"

namespace heed::inline base {

namespace {
// Far more than a sentence or a paragraph, and little enough that its tokens, up to a hundred times as large, fit into
// memory.
constexpr std::size_t kMaxLine = std::size_t{16} << 20;
constexpr std::size_t kChunk = 1 << 16;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Descriptor open_lines(const std::string& path) {
  if (path != "-") return open_for_reading(path);
  Descriptor input(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  if (input.get() < 0) throw InputError("cannot read standard input: {}", system_message(errno));
  return input;
}
}  // namespace

// The bytes of the file, decompressed if it is gzip, one chunk at a time.
class LineReader::Source {
 public:
  Source(const std::string& path, std::string name) : name_(std::move(name)), file_(open_lines(path)) {
    // A pipe may deliver a single byte first; only the first byte of the gzip signature is worth waiting for another.
    constexpr std::string_view kGzip = "\x1f\x8b";
    while (raw_.size() < kGzip.size() && kGzip.starts_with(raw_) && read_raw()) continue;
    gzip_ = raw_.starts_with(kGzip);
    if (!gzip_) return;
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw InputError("cannot decompress '{}': out of memory", name_);
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  ~Source() {
    if (gzip_) inflateEnd(&stream_);
  }

  // The unread part of the current chunk, or else the next chunk. Empty at the end.
  std::string_view peek() {
    while (view_.empty() && (gzip_ ? inflate_chunk() : plain_chunk())) continue;
    return view_;
  }
  void skip(std::size_t size) { view_.remove_prefix(size); }
  // What peek() would return without reading from the file.
  std::string_view waiting() const { return view_.empty() && !gzip_ ? raw_ : view_; }

 private:
  // Appends bytes of the file to raw_; false at the end.
  bool read_raw() {
    const std::size_t got = read_some(file_.get(), input_.data() + raw_.size(), input_.size() - raw_.size(), name_);
    raw_ = {input_.data(), raw_.size() + got};
    return got > 0;
  }

  bool plain_chunk() {
    if (raw_.empty() && !read_raw()) return false;
    view_ = std::exchange(raw_, {});
    return true;
  }

  // Decompresses up to a chunk into output_. As gzip allows, there may be several members, and zeros may pad the end.
  bool inflate_chunk() {
    if (raw_.empty() && !read_raw()) {
      if (!between_members_) throw InputError("'{}' is truncated: its gzip data ends too early; fetch it again", name_);
      return false;
    }
    if (between_members_ && raw_.front() == '\0') {
      raw_.remove_prefix(std::min(raw_.find_first_not_of('\0'), raw_.size()));
      return true;
    }
    between_members_ = false;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(raw_.data()));
    stream_.avail_in = static_cast<uInt>(raw_.size());
    stream_.next_out = reinterpret_cast<Bytef*>(output_.data());
    stream_.avail_out = static_cast<uInt>(output_.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      throw InputError("'{}' is damaged: its gzip data is not valid; fetch it again", name_);
    raw_.remove_prefix(raw_.size() - stream_.avail_in);
    view_ = {output_.data(), output_.size() - stream_.avail_out};
    if (status == Z_STREAM_END) {
      between_members_ = true;
      inflateReset(&stream_);
    }
    return true;
  }

  std::string name_;
  Descriptor file_;
  std::array<char, kChunk> input_;
  std::array<char, kChunk> output_;
  std::string_view raw_;   // unread part of input_
  std::string_view view_;  // what peek() returns: part of input_ (plain) or output_ (gzip)
  z_stream stream_{};
  bool gzip_ = false;
  bool between_members_ = false;
};

LineReader::LineReader(const std::string& path)
    // A link to an open file of this process is a copy of standard input: data/spool.h.
    : name_(path == "-" || path.starts_with("/proc/self/fd/") ? "standard input" : path),
      source_(std::make_unique<Source>(path, name_)) {}
LineReader::~LineReader() = default;

bool LineReader::has_line() const {
  return source_->waiting().find('\n') != std::string_view::npos;
}

bool LineReader::next(std::string& line) {
  line.clear();
  if (source_->peek().empty()) return false;
  ++line_number_;
  for (std::string_view chunk; !(chunk = source_->peek()).empty();) {
    const void* found = std::memchr(chunk.data(), '\n', chunk.size());
    const std::size_t size = found ? static_cast<const char*>(found) - chunk.data() : chunk.size();
    if (line.size() + size > kMaxLine)
      throw InputError("{}:{}: a line of more than {} MiB; give a text file with one sentence per line", name_,
                       line_number_, kMaxLine >> 20);
    line.append(chunk.substr(0, size));
    source_->skip(found ? size + 1 : size);
    if (!found) continue;
    if (line.ends_with('\r')) line.pop_back();
    break;
  }
  if (line_number_ == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  return true;
}

}  // namespace heed::base
