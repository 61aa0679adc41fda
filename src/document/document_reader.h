// Reads a document character by character or line by line, and counts lines. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/byte_source.h"

namespace heed::document {

// The longest line, string, tag or translation unit in bytes; memory does not grow beyond a few of these.
inline constexpr std::size_t kMaxPart = std::size_t{16} << 20;

class DocumentReader {
 public:
  // `input` or `text` must outlive the reader. `name` is for error messages.
  explicit DocumentReader(ByteSource& input);
  DocumentReader(std::string_view text, std::string name);

  const std::string& name() const { return name_; }
  std::int64_t line() const { return line_; }  // of the next character
  // The byte-order mark of the file, which is not part of the text; empty if there is none.
  std::string_view byte_order_mark() const { return mark_; }

  bool at_end() { return view().empty(); }
  // The next character, which must exist.
  char peek() { return view().front(); }
  // Appends the next character, which must exist, to `part`. InputError if the part gets longer than kMaxPart.
  void take(std::string& part);
  // Sets `line` to the next line, including its line end; false at the end.
  bool next_line(std::string& line);

  // InputError with the file and the current line.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  std::string_view view() { return input_ == nullptr ? text_ : input_->peek(); }
  void skip(std::size_t size);

  ByteSource* input_ = nullptr;
  std::string_view text_, mark_;
  std::string name_;
  std::int64_t line_ = 1;
};

// Reads the input in the encoding that `text` names between `key` and one of the characters `ends`, if any. True if the
// name is not UTF-8: then it must be replaced, because documents are written in UTF-8. InputError if the encoding is
// not supported.
bool use_declared_encoding(ByteSource& input, std::string_view text, std::string_view key, std::string_view ends);

}  // namespace heed::document
