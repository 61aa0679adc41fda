#include "document/xml_check.h"

#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlreader.h>

#include <memory>
#include <string>

#include "base/error.h"

namespace heed::document {
namespace {

struct XmlProblem {
  std::string message;
  int line = 0;
};

void keep_first_problem(void* problem, const xmlError* error) {
  auto& first = *static_cast<XmlProblem*>(problem);
  if (error->level != XML_ERR_FATAL || !first.message.empty() || error->message == nullptr) return;
  first.message = error->message;
  first.message.erase(std::min(first.message.find('\n'), first.message.size()));
  if (first.message.empty()) first.message = "unknown error";
  // libxml2's message names a parser option that the user cannot set.
  if (first.message.find("XML_PARSE_HUGE") != first.message.npos)
    first.message = "its elements are nested more than 256 deep, or a part of it is larger than 10 MB";
  first.line = error->line;
}

void ignore_message(void*, const char*, ...) {}

}  // namespace

void check_xml(std::string_view xml, std::string_view name) {
  check<InputError>(!xml.empty(), "'{}' is empty, but XML needs an element", name);
  static const bool kInitialized = (xmlInitParser(), true);
  static_cast<void>(kInitialized);
  xmlSetGenericErrorFunc(nullptr, ignore_message);
  const std::unique_ptr<xmlTextReader, decltype(&xmlFreeTextReader)> reader(
      xmlReaderForMemory(xml.data(), static_cast<int>(xml.size()), nullptr, "UTF-8",
                         XML_PARSE_NONET | XML_PARSE_COMPACT),
      xmlFreeTextReader);
  check<InputError>(reader != nullptr, "cannot read '{}': out of memory", name);
  XmlProblem problem;
  xmlTextReaderSetStructuredErrorHandler(
      reader.get(), [](void* self, auto* error) { keep_first_problem(self, error); }, &problem);
  int status = 1;
  while (status == 1) status = xmlTextReaderRead(reader.get());
  check<InputError>(status == 0 && problem.message.empty(), "{}:{}: this is not well-formed XML: {}", name,
                    problem.line > 0 ? problem.line : xmlTextReaderGetParserLineNumber(reader.get()),
                    problem.message.empty() ? "the text ends too early or has invalid bytes" : problem.message);
}

}  // namespace heed::document
