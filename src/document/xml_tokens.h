// Splits XML into tags and texts and keeps every byte, for formats that change only parts of a file. Never expands
// entities or reads anything outside the file. Not thread-safe.
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
  // The name of a tag, with and without its prefix.
  std::string_view name() const;
  std::string_view local_name() const;
  // Whether this is a start tag or empty tag with this local name.
  bool starts(std::string_view local) const {
    return (kind == Kind::start || kind == Kind::empty) && local_name() == local;
  }
};

class XmlTokenizer {
 public:
  // The reader must outlive the tokenizer.
  explicit XmlTokenizer(DocumentReader& reader) : reader_(reader) {}

  // False at the end. InputError if tags are malformed, do not match or are nested too deeply.
  bool next(XmlToken& token);
  // Appends the tokens after a start tag, up to and including its end tag. InputError if they take more than
  // 4 * kMaxPart bytes of memory.
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

// Reads the input in the encoding that it declares. True if that is not UTF-8: then the declaration must be changed,
// because documents are written in UTF-8.
bool use_xml_encoding(ByteSource& input);

// The value of an attribute, with references decoded. The name includes the prefix.
std::optional<std::string> find_attribute(const XmlToken& tag, std::string_view name);
// Changes the attribute, or adds it at the end.
void set_attribute(XmlToken& tag, std::string_view name, std::string_view value);

// Appends the text of a text or CDATA token. References to entities that XML itself does not define become single tags.
void add_text_items(const XmlToken& token, std::vector<InlineItem>& items);

// The index after the element that starts at `at`.
std::size_t skip_element(std::span<const XmlToken> tokens, std::size_t at);
// The tokens as they are in the file.
std::string join_tokens(std::span<const XmlToken> tokens);

}  // namespace heed::document
