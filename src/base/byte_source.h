// The bytes of a text file or of standard input, decompressed (gzip, zstd or xz, recognized by the first bytes,
// whatever the name) and converted to UTF-8. Every text that heed reads comes through here. Not thread-safe.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "base/decompress.h"
#include "base/encoding.h"
#include "base/system.h"

namespace heed::inline base {

class ByteSource {
 public:
  // "-": standard input. With Encoding::detect, the encoding of a regular file is detected in the first chunk that is
  // not plain ASCII. For a pipe, which should not have to wait, and for standard input, whose lines must not depend on
  // each other, only a byte-order mark counts. InputError if the file cannot be read.
  explicit ByteSource(const std::string& path, Encoding encoding = Encoding::detect);

  // The unread part of the current chunk, or else the next one. Empty at the end. A byte-order mark is skipped.
  std::string_view peek() { return view_.empty() ? next_chunk() : view_; }
  void skip(std::size_t size) { view_.remove_prefix(size); }
  // What peek() would return without reading from the file.
  std::string_view waiting() const;

  // Before the first peek(): the start of the text, at most a chunk.
  std::string sample();
  // Before the first peek(): changes the encoding; utf8 leaves the bytes as they are, even a byte-order mark.
  void set_encoding(Encoding encoding) { encoding_ = encoding, keeps_mark_ = true; }

  // For messages: the path, or "standard input".
  const std::string& name() const { return name_; }
  // If the detected encoding is not UTF-8, a sentence about it for the user; otherwise empty.
  const std::string& note() const { return note_; }
  // The encoding in which the text was read so far.
  Encoding encoding() const { return encoding_; }

 private:
  static constexpr std::size_t kChunk = 1 << 16;

  bool read_raw();
  bool load();
  bool load_compressed();
  void decide();
  std::string_view next_chunk();

  std::string name_, note_;
  Descriptor file_;
  Encoding encoding_;
  bool regular_ = false, ended_ = false, started_ = false, keeps_mark_ = false;
  std::array<char, kChunk> input_, output_;
  std::string_view raw_;    // unread part of input_
  std::string_view block_;  // loaded, but not yet converted: part of input_, or of output_ if the file is compressed
  std::string_view view_;   // what peek() returns: part of a block, or of decoded_
  std::string decoded_;
  std::unique_ptr<Decompressor> decompressor_;
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace heed::base
