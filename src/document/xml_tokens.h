// XML as a sequence of tags and texts that keeps every byte, for formats that change only parts of a file. Entities are
// never expanded and nothing outside the file is read. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/document_reader.h"
#include "document/inline_marks.h"

namespace heed::document {

struct XmlToken {
  enum class Kind : std::uint8_t { text, start, empty, end, cdata, comment, instruction, doctype };
  Kind kind = Kind::text;
  std::string raw;  // as it is in the file

  bool is_tag() const { return kind == Kind::start || kind == Kind::empty || kind == Kind::end; }
  // Of a tag: its name with and without a prefix.
  std::string_view name() const;
  std::string_view local_name() const;
  bool starts(std::string_view local) const {
    return (kind == Kind::start || kind == Kind::empty) && local_name() == local;
  }
};

class XmlTokenizer {
 public:
  // The reader must outlive it.
  explicit XmlTokenizer(DocumentReader& reader) : reader_(reader) {}

  // False at the end. InputError if a tag is not closed, if tags do not match, or if they are nested too deep.
  bool next(XmlToken& token);
  // Appends the tokens after a start tag, up to and with its end tag. InputError if these are more than kMaxPart bytes.
  void take_element(std::vector<XmlToken>& tokens);

  std::size_t depth() const { return open_.size(); }
  const DocumentReader& reader() const { return reader_; }

 private:
  void take_markup(XmlToken& token);
  void take_through(std::string& raw, std::string_view end);
  void take_tag(std::string& raw);
  void take_doctype(std::string& raw);
  void follow(const XmlToken& token);

  DocumentReader& reader_;
  std::vector<std::string> open_;
};

// Reads the input in the encoding that its first line declares. True if that is not UTF-8, in which documents are
// written, so that the declaration must be changed.
bool use_xml_encoding(ByteSource& input);

// The value of an attribute, by its name with the prefix; references are decoded.
std::optional<std::string> find_attribute(const XmlToken& tag, std::string_view name);
// Changes the attribute, or adds it at the end.
void set_attribute(XmlToken& tag, std::string_view name, std::string_view value);

// Appends the text of a text or CDATA token; references to entities that XML does not define become single tags.
void add_text_items(const XmlToken& token, std::vector<InlineItem>& items);
// Text between tags.
void append_xml(std::string& out, std::string_view text);

// The index behind the element that starts at `at`.
std::size_t skip_element(std::span<const XmlToken> tokens, std::size_t at);
// As they are in the file.
std::string join_tokens(std::span<const XmlToken> tokens);

}  // namespace heed::document
