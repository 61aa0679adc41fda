// The text that `heed translate` gets as arguments: `heed translate MODEL… [FILE | TEXT…]`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace heed::cli {

// The file among the arguments, for Option::reads(): none if the argument is text.
std::vector<std::string> text_argument_files(const std::string& argument);

// Whether a word can only be meant as a file name: no white space, and a path separator or the ending of a file.
bool looks_like_file(const std::string& argument);

// UsageError if a file that should contain text is a model (model::is_model()): "'m.safetensors' is a model, not text;
// ADVICE".
void refuse_model(const std::string& path, std::string_view advice);

// InputError if the lines of a file are not text: an office document, a PDF, an archive or a model.
void check_has_lines(const std::string& path);

// Lines of a file, or of the arguments themselves.
class LineSource {
 public:
  // One argument that names a file is that file, line by line. Otherwise each argument is text, one or more lines.
  // InputError for something that looks like a file but does not exist, and for a format other than plain text.
  LineSource(std::span<const std::string> arguments, Encoding encoding);
  // The file, or standard input if the path is "-".
  LineSource(const std::string& path, Encoding encoding)
      : reader_(std::in_place, path, encoding), name_(reader_->name()) {}

  // As those of LineReader.
  bool next(std::string& line);
  bool has_line() const { return reader_ ? reader_->has_line() : true; }
  std::int64_t line_number() const { return reader_ ? reader_->line_number() : static_cast<std::int64_t>(next_); }
  const std::string& name() const { return name_; }
  std::string note() const { return reader_ ? reader_->note() : ""; }
  Encoding encoding() const { return reader_ ? reader_->encoding() : Encoding::utf8; }

 private:
  std::optional<LineReader> reader_;
  std::vector<std::string> lines_;
  std::size_t next_ = 0;
  std::string name_ = "the text";
};

}  // namespace heed::cli
