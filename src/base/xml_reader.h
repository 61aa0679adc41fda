// XML, one event at a time: a thin layer over libxml2's streaming reader, which no other file includes. Nothing is
// loaded from the network or from other files; entities that a document declares are refused, and so are documents
// nested deeper than 256 levels and texts of more than 10 MB.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"

namespace heed::inline base {

class XmlReader {
 public:
  enum class Event { start, end, text, finished };

  // With Encoding::detect, the encoding is that of the XML declaration or the byte-order mark.
  XmlReader(std::unique_ptr<ByteSource> bytes, Encoding encoding);
  ~XmlReader();
  XmlReader(const XmlReader&) = delete;
  XmlReader& operator=(const XmlReader&) = delete;

  // The next start or end of an element, or text. An empty element has a start and an end. InputError with file and
  // line if the document is not well-formed or not accepted.
  Event next();

  // The elements around the current event, outermost first, without namespace prefixes; of a start or end, this element
  // is the last.
  const std::vector<std::string>& path() const { return path_; }
  bool is_inside(std::string_view parent, std::string_view element) const;  // whether these are the last two
  std::string_view text() const;                                            // of Event::text
  // Of Event::start: the first of these attributes that the element has, by its name without prefix; empty: none.
  std::string attribute(std::string_view name, std::string_view other = {}) const;
  // Of the current event; beyond line 65,534, the parser's, which may be a few lines ahead.
  std::int64_t line() const;
  const std::string& name() const { return bytes_->name(); }

 private:
  static int read_bytes(void* self, char* to, int size);
  static void on_error(void* self, void* error);
  [[noreturn]] void fail(std::string_view what) const;
  void enter();

  struct Parser;
  std::unique_ptr<ByteSource> bytes_;
  std::unique_ptr<Parser> parser_;
  std::vector<std::string> path_;
  bool leaves_ = false, empty_ = false;  // the last element of the path ended; it is empty and ends next
  std::string error_;
  std::string cut_off_in_;  // the element that the end of a truncated file is in
  std::int64_t error_line_ = 0;
  bool ended_ = false;         // there are no more bytes
  std::exception_ptr thrown_;  // by the byte source, within libxml2
};

}  // namespace heed::base
