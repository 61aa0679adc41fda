#include "base/xml_reader.h"

#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlreader.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace heed::inline base {

namespace {

std::string_view view(const xmlChar* text) {
  return text == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(text));
}

void print_nothing(void*, const char*, ...) {}

// The global tables of libxml2, made once by whichever thread comes first. On every thread, libxml2 is kept from
// printing: errors in the encoding do not reach a reader's own handler.
void initialize_libxml() {
  static const bool kDone = (xmlInitParser(), true);
  static_cast<void>(kDone);
  xmlSetGenericErrorFunc(nullptr, print_nothing);
}

}  // namespace

struct XmlReader::Parser {
  xmlTextReaderPtr reader = nullptr;
  ~Parser() { xmlFreeTextReader(reader); }
};

XmlReader::XmlReader(std::unique_ptr<ByteSource> bytes, Encoding encoding)
    : bytes_(std::move(bytes)), parser_(std::make_unique<Parser>()) {
  initialize_libxml();
  const bool declared = encoding == Encoding::detect;
  if (declared) bytes_->set_encoding(Encoding::utf8);  // the bytes as they are
  parser_->reader = xmlReaderForIO(&XmlReader::read_bytes, nullptr, this, nullptr, declared ? nullptr : "UTF-8",
                                   XML_PARSE_NONET | XML_PARSE_NOCDATA | XML_PARSE_COMPACT);
  check<InputError>(parser_->reader != nullptr, "cannot read '{}': out of memory", name());
  xmlTextReaderSetStructuredErrorHandler(
      parser_->reader,
      [](void* self, auto* error) { on_error(self, const_cast<xmlError*>(static_cast<const xmlError*>(error))); },
      this);
}
XmlReader::~XmlReader() = default;

int XmlReader::read_bytes(void* self, char* to, int size) {
  auto& reader = *static_cast<XmlReader*>(self);
  try {
    const std::string_view chunk = reader.bytes_->peek();
    const std::size_t count = std::min(chunk.size(), static_cast<std::size_t>(size));
    std::ranges::copy(chunk.substr(0, count), to);
    reader.bytes_->skip(count);
    reader.ended_ = count == 0;
    return static_cast<int>(count);
  } catch (...) {
    reader.thrown_ = std::current_exception();
    return -1;
  }
}

void XmlReader::on_error(void* self, void* error) {
  auto& reader = *static_cast<XmlReader*>(self);
  const auto& found = *static_cast<const xmlError*>(error);
  if (found.level != XML_ERR_FATAL || !reader.error_.empty() || found.message == nullptr) return;
  reader.error_ = found.message;
  reader.error_.erase(std::min(reader.error_.find('\n'), reader.error_.size()));
  if (reader.error_.empty()) reader.error_ = "unknown error";
  reader.error_line_ = found.line;
  const auto* parser = static_cast<const xmlParserCtxt*>(found.ctxt);
  if (!reader.ended_ || parser == nullptr || parser->node == nullptr || parser->input == nullptr) return;
  const bool at_end = parser->input->cur >= parser->input->end || found.code == XML_ERR_DOCUMENT_END;
  if (at_end && found.code != XML_ERR_TAG_NAME_MISMATCH) reader.cut_off_in_ = view(parser->node->name);
}

void XmlReader::fail(std::string_view what) const {
  throw InputError("{}:{}: {}", name(), error_line_ > 0 ? error_line_ : line(), what);
}

void XmlReader::enter() {
  path_.emplace_back(view(xmlTextReaderConstLocalName(parser_->reader)));
  empty_ = xmlTextReaderIsEmptyElement(parser_->reader) == 1;
}

XmlReader::Event XmlReader::next() {
  if (std::exchange(leaves_, false)) path_.pop_back();
  if (std::exchange(empty_, false)) {
    leaves_ = true;
    return Event::end;
  }
  for (;;) {
    const int status = xmlTextReaderRead(parser_->reader);
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    if (!cut_off_in_.empty())
      fail(fmt::format("the file ends inside <{}>; it may be truncated: copy or download it again", cut_off_in_));
    if (status < 0 || !error_.empty())
      fail(error_.empty() ? "there are bytes that do not fit the file's encoding; name another with --encoding"
                          : "this is not well-formed XML: " + error_);
    if (status == 0) return Event::finished;
    switch (xmlTextReaderNodeType(parser_->reader)) {
      case XML_READER_TYPE_ELEMENT:
        enter();
        return Event::start;
      case XML_READER_TYPE_END_ELEMENT:
        leaves_ = true;
        return Event::end;
      case XML_READER_TYPE_TEXT:
      case XML_READER_TYPE_CDATA:
      case XML_READER_TYPE_WHITESPACE:
      case XML_READER_TYPE_SIGNIFICANT_WHITESPACE:
        return Event::text;
      case XML_READER_TYPE_ENTITY_REFERENCE:
        fail(fmt::format("the entity &{}; is not one of XML's own; replace it by its text",
                         view(xmlTextReaderConstName(parser_->reader))));
      default:
        break;  // declarations, comments, processing instructions
    }
  }
}

bool XmlReader::is_inside(std::string_view parent, std::string_view element) const {
  return path_.size() >= 2 && path_[path_.size() - 2] == parent && path_.back() == element;
}

std::string_view XmlReader::text() const {
  return view(xmlTextReaderConstValue(parser_->reader));
}

std::string XmlReader::attribute(std::string_view name, std::string_view other) const {
  std::string first, second;
  xmlTextReaderPtr reader = parser_->reader;
  for (int more = xmlTextReaderMoveToFirstAttribute(reader); more == 1;
       more = xmlTextReaderMoveToNextAttribute(reader)) {
    const std::string_view local = view(xmlTextReaderConstLocalName(reader));
    if (local == name) first = view(xmlTextReaderConstValue(reader));
    if (local == other) second = view(xmlTextReaderConstValue(reader));
  }
  xmlTextReaderMoveToElement(reader);
  return first.empty() ? second : first;
}

std::int64_t XmlReader::line() const {
  constexpr long kLast = 65'535;  // that libxml2 stores in a node
  const xmlNode* node = xmlTextReaderCurrentNode(parser_->reader);
  const long stored = node == nullptr ? 0 : xmlGetLineNo(node);
  return stored > 0 && stored < kLast ? stored : xmlTextReaderGetParserLineNumber(parser_->reader);
}

}  // namespace heed::base
