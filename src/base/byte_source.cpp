#include "base/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "base/error.h"

namespace heed::inline base {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Descriptor open_text(const std::string& path) {
  if (path != "-") return open_for_reading(path);
  Descriptor input(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  if (input.get() < 0) throw InputError("cannot read standard input: {}", system_message(errno));
  return input;
}

bool is_regular(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

bool is_plain_ascii(std::string_view bytes) {
  // No early exit, so that the compiler can vectorize the loop; there are few bytes.
  unsigned high = 0, zeros = 0;
  for (const char c : bytes) {
    high |= static_cast<unsigned char>(c);
    zeros |= static_cast<unsigned>(c == '\0');
  }
  return high < 0x80 && zeros == 0;
}

}  // namespace

ByteSource::ByteSource(const std::string& path, Encoding encoding)
    : name_(input_name(path)),
      file_(open_text(path)),
      encoding_(encoding),
      regular_(path != "-" && is_regular(file_.get())) {
  // A pipe may deliver a single byte first; more are awaited only if the bytes so far could start a signature.
  while ((may_become_compressed(raw_) || may_become_mark(raw_)) && read_raw()) continue;
  decompressor_ = make_decompressor(raw_, name_);
}

// Appends bytes of the file to raw_; false at the end.
bool ByteSource::read_raw() {
  const std::size_t got = read_some(file_.get(), input_.data() + raw_.size(), input_.size() - raw_.size(), name_);
  raw_ = {input_.data(), raw_.size() + got};
  ended_ = got == 0;
  return !ended_;
}

// Fills block_; false at the end.
bool ByteSource::load() {
  if (decompressor_) return load_compressed();
  if (raw_.empty() && !read_raw()) return false;
  block_ = std::exchange(raw_, {});
  return true;
}

// Fills a whole chunk from a regular file, so that detection sees the same text however it is compressed. From a pipe,
// takes what is there, but enough for a byte-order mark.
bool ByteSource::load_compressed() {
  std::size_t made = 0;
  while (made < output_.size() && (regular_ || made < kByteOrderMark.size())) {
    if (raw_.empty() && !ended_) read_raw();
    const Decompressor::Step step = decompressor_->run(raw_, std::span(output_).subspan(made), ended_);
    made += step.made;
    if (ended_ && step.made == 0 && step.used == 0) {
      check<InputError>(decompressor_->is_complete(),
                        "'{}' is truncated: its {} data ends too early; copy or download it again", name_,
                        decompressor_->format());
      break;
    }
    raw_.remove_prefix(step.used);
  }
  block_ = {output_.data(), made};
  return made > 0;
}

// Chooses the encoding of block_ and of what follows, or leaves it open if everything so far is plain ASCII.
void ByteSource::decide() {
  const bool marked = block_.starts_with("\xFF\xFE") || block_.starts_with("\xFE\xFF");
  if (!regular_ && !(marked && !started_)) {
    encoding_ = Encoding::utf8;
    return;
  }
  if (is_plain_ascii(block_)) return;
  encoding_ = detect_encoding(block_);
  // Text that began as plain ASCII is not UTF-16.
  if (started_ && encoding_ != Encoding::cp1252) encoding_ = Encoding::utf8;
  if (encoding_ == Encoding::utf8) return;
  note_ = fmt::format("{}: this is not UTF-8; reading it as {} (--encoding NAME if that is wrong)", printable(name_),
                      encoding_title(encoding_));
}

std::string ByteSource::sample() {
  if (block_.empty()) load();
  const Encoding encoding = encoding_ == Encoding::detect ? detect_encoding(block_) : encoding_;
  std::string text;
  Decoder(encoding).decode(block_, false, text);
  return text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
}

std::string_view ByteSource::next_chunk() {
  while (view_.empty()) {
    const bool loaded = !block_.empty() || load();
    if (loaded && encoding_ == Encoding::detect) decide();
    if (!decoder_ && encoding_ != Encoding::detect && encoding_ != Encoding::utf8)
      decoder_ = std::make_unique<Decoder>(encoding_);
    if (!loaded && !decoder_) return {};
    if (decoder_) {
      decoded_.clear();
      decoder_->decode(block_, !loaded, decoded_);
      view_ = decoded_;
    } else {
      view_ = block_;
    }
    block_ = {};
    if (!std::exchange(started_, true) && !keeps_mark_ && view_.starts_with(kByteOrderMark))
      view_.remove_prefix(kByteOrderMark.size());
    if (!loaded) return view_;
  }
  return view_;
}

std::string_view ByteSource::waiting() const {
  if (!view_.empty()) return view_;
  const bool as_is = !decompressor_ && !decoder_ && (encoding_ == Encoding::utf8 || encoding_ == Encoding::detect);
  return as_is ? (block_.empty() ? raw_ : block_) : view_;
}

}  // namespace heed::base
